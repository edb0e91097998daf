"""The comparison: the state of its releases, linked views, charts, and access."""

import re

import pytest
from playwright.sync_api import expect

from dashboard.core.templatetags.display import metres
from dashboard.datasets.services import import_dataset
from dashboard.jobs.models import State, now
from dashboard.landmarks.services import mark_landmarks
from dashboard.releases.models import Release
from privacy_engine.landmarks.samples import samples
from tests.browser.conftest import run_jobs
from tests.browser.fixtures import table
from tests.browser.page_checks import contradictions, quantities
from tests.browser.rendering import at_rest, choose_series, cursors, expect_painted, lines, painted, wait_until_ready
from tests.cases import refreshed
from tests.dashboard.release_runs import submitted


def submit(landmark_set, mechanism, seed=None):
    return submitted(landmark_set, {"name": f"landmark-{mechanism}", "epsilon": 10.0, "radius_m": 200.0}, seed)


def compare(page, dataset, *, query="?show=all", wait=True):
    page.goto(f"/datasets/{dataset.pk}/compare/{query}")
    if wait:
        wait_until_ready(page)


def row(page, release):
    return page.locator(f".layer[data-layer='{release.pk}']")


def box(page, release):
    return row(page, release).get_by_role("checkbox")


def test_releases_that_wait_run_fail_and_are_cancelled(page, taxi, stays):
    failed = submit(stays, "skip")
    error = {"code": "memory", "message": "The job needed more memory than one job may use."}
    Release.objects.filter(pk=failed.pk).update(state=State.FAILED, started_at=now(), finished_at=now(), error=error)
    compare(page, taxi)
    expect(row(page, failed)).to_contain_text("Failed: The job needed more memory")
    expect(row(page, failed)).to_contain_text("Retry when less is running.")
    row(page, failed).get_by_role("button", name=re.compile("^Retry Skip")).click()
    expect(page.locator("[data-layers]")).to_contain_text("Waiting for a worker")

    waiting = submit(stays, "uniform", seed=7)
    running, cancelled = (submit(stays, name) for name in ("adaptive", "skip"))
    held = {"token": running.pk, "lease_until": now(), "attempt": 1}
    Release.objects.filter(pk=running.pk).update(state=State.RUNNING, stage="Drawing noise", progress=0.42, **held)
    compare(page, taxi, wait=False)
    page.wait_for_selector("[data-ready=map]")
    expect(row(page, running)).to_contain_text("Drawing noise · 42")
    expect(row(page, running).get_by_role("progressbar")).to_have_attribute("max", "1")
    row(page, cancelled).get_by_role("button", name=re.compile("^Cancel")).click()
    expect(row(page, cancelled)).to_contain_text("Cancelled")
    assert refreshed(cancelled).state == State.CANCELLED
    for _ in range(2):
        with page.expect_response("**/api/v1/jobs/"):
            pass
    expect(row(page, waiting)).to_contain_text("Waiting for a worker")
    expect(box(page, waiting)).to_be_disabled()
    assert painted(page, str(waiting.pk)) == 0
    expect(page.locator("[data-summary]")).not_to_contain_text("Done")
    assert page.locator("[data-summary] a").count() == 0, "never done before it is"

    Release.objects.filter(pk=running.pk).update(state=State.QUEUED, token=None, lease_until=None)
    run_jobs()
    wait_until_ready(page)
    for one in (waiting, running):
        expect(box(page, one)).to_be_checked()
    assert painted(page, str(waiting.pk)) > 50
    assert not Release.objects.exclude(pk=cancelled.pk).exclude(state=State.DONE).exists()
    expect(row(page, waiting)).to_contain_text("NOT PRIVATE")
    expect(page.locator("[data-summary]")).to_contain_text("NOT PRIVATE")
    page.get_by_role("button", name="Noise and guarantee of Uniform").click()
    expect(page.locator("[data-guarantee]")).to_contain_text("NOT PRIVATE")


@pytest.fixture
def trio(stays):
    """Skip, Uniform and Adaptive of the taxi day."""
    made = [submit(stays, name) for name in ("skip", "uniform", "adaptive")]
    run_jobs()
    return made


def test_releases_are_chosen_and_shown_by_map_time_strip_and_charts_which_are_linked(page, taxi, trio, monitor):
    page.goto(f"/datasets/{taxi.pk}/")
    button = page.get_by_role("button", name="Compare selected")
    expect(button).to_be_disabled()
    for one in trio[:2]:
        page.get_by_role("checkbox", name=f"Select {one.title}").check()
    page.evaluate("for (const _ of [1, 2]) document.dispatchEvent(new CustomEvent('cairn:jobs'))")
    expect(page.locator("#releases [data-picked]")).to_have_text("2 releases chosen")
    button.click()
    wait_until_ready(page)
    assert [box(page, one).is_checked() for one in trio[:2]] == [True, True]
    expect(row(page, trio[2])).to_have_count(0)

    done = Release.objects.filter(pk__in=[one.pk for one in trio])
    best, *others = sorted(done, key=lambda one: (one.verdict.name != "usable", one.owner_view["p95_error_m"]))
    monitor.requests.clear()
    compare(page, taxi, query="")
    expect(box(page, best)).to_be_checked()
    for other in others:
        expect(box(page, other)).not_to_be_checked()
        assert not [url for url in monitor.requests if f"{other.pk}/track" in url or f"{other.pk}/series" in url]
    assert all([line["name"] for line in chart] == [best.title.split(" · ")[0]] for chart in lines(page))
    expect(row(page, best).locator(".layer__title")).to_have_text(best.title)
    assert best.title.endswith(" · ε 10 / 200\u202fm")
    assert painted(page, str(best.pk)) > 50

    box(page, others[0]).check()
    expect_painted(page, str(others[0].pk))
    expect(box(page, best)).to_be_checked()
    name = row(page, others[1]).get_by_role("button", name=others[1].title, exact=True)
    name.press("Enter")
    expect(name).to_have_attribute("aria-pressed", "true")
    expect_painted(page, str(others[1].pk))
    expect(box(page, best)).not_to_be_checked()
    expect(box(page, others[0])).not_to_be_checked()
    assert painted(page, "original") > 50
    name.press("Enter")
    expect(name).to_have_attribute("aria-pressed", "false")
    expect(box(page, others[1])).not_to_be_checked()
    for shown in (best, others[0]):
        expect(box(page, shown)).to_be_checked()
    page.wait_for_url(f"**hide={str(others[1].pk)[-8:]}**")
    page.reload()
    wait_until_ready(page)
    expect(box(page, others[0])).to_be_checked()
    expect(box(page, others[1])).not_to_be_checked()

    page.get_by_role("button", name="Choose releases").press("Enter")
    picker = page.get_by_role("dialog", name="Choose releases to compare")
    expect(picker.locator("[data-batch]")).to_have_count(1)
    expect(picker.locator("[data-picked]")).to_have_text("2 releases chosen")
    expect(picker.get_by_role("row", name=best.title)).to_contain_text(best.verdict.title)
    picker.get_by_role("checkbox", name=best.title, exact=True).uncheck()
    picker.get_by_role("checkbox", name=others[1].title, exact=True).check()
    picker.get_by_role("button", name="Compare").click()
    page.wait_for_url(lambda url: str(best.pk) not in url and url.count("release=") == 2)
    wait_until_ready(page)
    for other in others:
        expect(box(page, other)).to_be_checked()

    compare(page, taxi)
    for chart in lines(page):
        assert [line["name"] for line in chart] == ["Skip", "Uniform", "Adaptive"]
    small = painted(page, "selection")
    page.get_by_role("button", name="Noise and guarantee of Uniform").click()
    expect(page.locator("[data-guarantee] h3")).to_contain_text("Uniform")
    at_rest(page)
    assert painted(page, "selection") > 5 * small, "the circle is that of the chosen mechanism"

    plot = page.locator("[data-chart=error] .chart__plot").bounding_box()
    page.mouse.click(plot["x"] + plot["width"] * 0.6, plot["y"] + 60)
    text, event = page.locator(".timeline__text"), page.get_by_role("slider", name="Event", exact=True)
    assert 120 < int(text.inner_text().split("event ")[1].split(" ")[0]) < 180
    assert len(set(cursors(page))) == 1
    for key, shown in (("End", "event 260 of 260"), ("Home", "event 1 of 260")):
        event.press(key)
        expect(text).to_contain_text(shown)
    page.get_by_label("Speed", exact=True).select_option("86400")
    play = page.get_by_role("button", name="Play")
    play.click()
    expect(text).to_contain_text("event 260 of 260")
    expect(play).to_be_visible()
    page.get_by_role("checkbox", name="Uniform").uncheck()
    for chart in lines(page):
        assert [line["visible"] for line in chart] == [True, False, True]
    page.emulate_media(reduced_motion="reduce")
    page.reload()
    wait_until_ready(page)
    expect(play).to_be_disabled()


def test_every_figure_has_one_value_in_legend_table_guarantee_choice_and_report(page, taxi, trio):
    compare(page, taxi)
    best = min(map(refreshed, trio), key=lambda one: (one.verdict.name != "usable", one.owner_view["p95_error_m"]))
    for one in trio:
        release = refreshed(one)
        page.get_by_role("button", name=f"Noise and guarantee of {release.title}").click()
        expect(page.locator("[data-guarantee] h3")).to_contain_text(release.title.split(" · ")[0])
        found = quantities(page)
        answers = release.pk == best.pk
        places_of = {"mae_m": 1, "radius_m": 3, "median_error_m": 3 + answers, "p95_error_m": 1 + answers}
        for name, places in places_of.items():
            figure = 200.0 if name == "radius_m" else release.owner_view[name]
            assert found[f"{name}:{release.pk}"] == [metres(figure)] * places, name
        assert contradictions(page) == {}
    name = f"median_error_m:{trio[0].pk}"
    page.locator(f"[data-summary] [data-quantity='{name}']").evaluate("(one) => (one.textContent = '7 m')")
    assert list(contradictions(page)) == [name]
    page.goto(f"/datasets/{taxi.pk}/compare/report/?for=owner&" + "&".join(f"release={one.pk}" for one in trio))
    counts = {name: len(values) for name, values in quantities(page).items()}
    assert [counts[f"mae_m:{number}"] for number in (1, 2, 3)] == [2, 2, 2]  # in the overview, among the errors
    assert contradictions(page) == {}


@pytest.mark.journey
def test_series_are_shown_one_at_a_time(page, owner):
    one, other = samples()[1].series, samples()[2].series
    both = import_dataset(owner=owner, upload=table(("taxi", one), ("walker", other)), name="Two")
    landmarks = mark_landmarks(owner=owner, dataset=both, method={"name": "manual", "events": [0, 5, 262]})
    release = submit(landmarks, "uniform")
    run_jobs()
    compare(page, both)
    expect(page.locator(".timeline__text")).to_contain_text("of 260")
    choose_series(page, "walker")
    expect(page.locator(".timeline__text")).to_contain_text("event 1 of 8")
    drawn = "document.querySelector('.js-plotly-plot').data.find(({ name }) => name).x.length"
    page.wait_for_function(f"() => {drawn} === 8")
    assert painted(page, str(release.pk)) > 0
