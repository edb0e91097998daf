"""The comparison: the state of its releases, linked views, charts, and access."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.files.base import ContentFile
from playwright.sync_api import Locator, Page, expect

from dashboard.accounts.models import User
from dashboard.datasets.models import Dataset
from dashboard.datasets.services import import_dataset
from dashboard.jobs.models import State, now
from dashboard.landmarks.models import LandmarkSet
from dashboard.landmarks.services import mark_landmarks
from dashboard.releases.models import Release
from dashboard.releases.services import submit_release
from privacy_engine.samples import samples
from privacy_engine.spec import ReleaseSpec
from tests.browser.conftest import PageMonitor, accessibility_faults, run_cases, run_jobs
from tests.browser.fixtures import table
from tests.browser.rendering import at_rest, choose_series, cursors, expect_painted, lines, painted, wait_until_ready


@pytest.fixture
def submit(owner: User) -> Callable[..., Release]:
    """``submit(landmark_set, "uniform", seed=None)``: a submitted release."""

    def submit_one(landmark_set: LandmarkSet, mechanism: str, seed: int | None = None) -> Release:
        description = {"name": f"landmark-{mechanism}", "epsilon": 10.0, "radius_m": 200.0}
        spec = ReleaseSpec.parse({"mechanism": description, "seed": seed})
        return submit_release(owner=owner, dataset=landmark_set.dataset, landmark_set=landmark_set, spec=spec)

    return submit_one


def compare(page: Page, dataset: Dataset, *, query: str = "?show=all", wait: bool = True) -> None:
    page.goto(f"/datasets/{dataset.pk}/compare/{query}")
    if wait:
        wait_until_ready(page)


def row(page: Page, release: Release) -> Any:
    return page.locator(f".layer[data-layer='{release.pk}']")


class TestTruth:
    @pytest.mark.journey
    def test_never_done_before_it_is(self, page: Page, taxi: Dataset, stays: LandmarkSet, submit: Any) -> None:
        release = submit(stays, "uniform")
        compare(page, taxi, wait=False)
        page.wait_for_selector("[data-ready=map]")
        waiting = row(page, release)
        expect(waiting).to_contain_text("Waiting for a worker")
        expect(waiting.get_by_role("checkbox")).to_be_disabled()
        page.wait_for_timeout(1500)
        expect(waiting).to_contain_text("Waiting for a worker")
        assert painted(page, str(release.pk)) == 0
        expect(page.locator("[data-summary]")).not_to_contain_text("Done")
        assert page.locator("[data-summary] a").count() == 0
        run_jobs()
        wait_until_ready(page)
        expect(waiting.get_by_role("checkbox")).to_be_checked()
        assert painted(page, str(release.pk)) > 50

    def test_shows_stage_and_share_of_what_runs(
        self, page: Page, taxi: Dataset, stays: LandmarkSet, submit: Any
    ) -> None:
        release = submit(stays, "adaptive")
        Release.objects.filter(pk=release.pk).update(
            state=State.RUNNING, token=release.pk, lease_until=now(), stage="Drawing noise", progress=0.42, attempt=1
        )
        compare(page, taxi, wait=False)
        expect(row(page, release)).to_contain_text("Drawing noise · 42")
        expect(row(page, release).get_by_role("progressbar")).to_have_attribute("max", "1")

    def test_a_failure_shows_its_reason_and_can_be_retried(
        self, page: Page, taxi: Dataset, stays: LandmarkSet, submit: Any
    ) -> None:
        failed = submit(stays, "skip")
        error = {"code": "memory", "message": "The job needed more memory than one job may use."}
        Release.objects.filter(pk=failed.pk).update(
            state=State.FAILED, started_at=now(), finished_at=now(), error=error
        )
        compare(page, taxi)
        expect(row(page, failed)).to_contain_text("Failed: The job needed more memory")
        expect(row(page, failed)).to_contain_text("Retry when less is running.")
        page.get_by_role("button", name="Retry Skip").click()
        expect(page.locator("[data-layers]")).to_contain_text("Waiting for a worker")
        run_jobs()
        assert Release.objects.get().state == State.DONE
        expect(row(page, failed).get_by_role("checkbox")).to_be_checked()

    @pytest.mark.journey
    def test_cancels(self, page: Page, taxi: Dataset, stays: LandmarkSet, submit: Any) -> None:
        release = submit(stays, "skip")
        compare(page, taxi, wait=False)
        page.get_by_role("button", name="Cancel Skip · ε").first.click()
        expect(row(page, release)).to_contain_text("Cancelled")
        release.refresh_from_db()
        assert release.state == State.CANCELLED

    def test_a_seeded_release_is_never_called_private(
        self, page: Page, taxi: Dataset, stays: LandmarkSet, submit: Any
    ) -> None:
        release = submit(stays, "uniform", seed=7)
        run_jobs()
        compare(page, taxi)
        expect(row(page, release)).to_contain_text("NOT PRIVATE")
        expect(page.locator("[data-guarantee]")).to_contain_text("NOT PRIVATE")
        expect(page.locator("[data-summary]")).to_contain_text("NOT PRIVATE")

    def test_nothing_yet_names_the_next_step(self, page: Page, taxi: Dataset, monitor: PageMonitor) -> None:
        compare(page, taxi, wait=False)
        page.get_by_role("link", name="Define landmarks").click()
        page.wait_for_url("**/landmarks/new/")
        assert not [url for url in monitor.requests if "plotly" in url]


@pytest.fixture
def trio(stays: LandmarkSet, submit: Any) -> list[Release]:
    """Skip, Uniform and Adaptive of the taxi day."""
    made = [submit(stays, name) for name in ("skip", "uniform", "adaptive")]
    run_jobs()
    return made


def box(page: Page, release: Release) -> Locator:
    return row(page, release).get_by_role("checkbox")


class TestOpens:
    @pytest.mark.journey
    def test_on_the_best_release_and_shows_others_by_checkbox_or_alone(
        self, page: Page, taxi: Dataset, trio: list[Release], monitor: PageMonitor
    ) -> None:
        done = Release.objects.filter(pk__in=[one.pk for one in trio])
        best, *others = sorted(done, key=lambda one: (one.verdict.name != "usable", one.owner_view["p95_error_m"]))
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
        assert not accessibility_faults(page)
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
        assert not accessibility_faults(page)
        picker.get_by_role("checkbox", name=best.title, exact=True).uncheck()
        picker.get_by_role("checkbox", name=others[1].title, exact=True).check()
        picker.get_by_role("button", name="Compare").click()
        page.wait_for_url(lambda url: str(best.pk) not in url and url.count("release=") == 2)
        wait_until_ready(page)
        for other in others:
            expect(box(page, other)).to_be_checked()

    @pytest.mark.journey
    def test_on_those_selected_in_the_list_of_the_dataset(self, page: Page, taxi: Dataset, trio: list[Release]) -> None:
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


# Responses of the two addresses come late: the second, later still
_LATE = """({ track, curve }) => {
  const [fetch, requested] = [window.fetch, { [track]: 0, [curve]: 0 }];
  window.requested = requested;
  window.fetch = async (url, ...rest) => {
    const late = Object.keys(requested).find((part) => String(url).includes(part));
    if (late) await new Promise((resolve) => setTimeout(resolve, requested[late]++ ? 2500 : 1200));
    return fetch(url, ...rest);
  };
}"""


class TestFillsIn:
    def test_answers_that_come_late_take_no_line_away(self, page: Page, taxi: Dataset, trio: list[Release]) -> None:
        slow = {"track": f"{trio[0].pk}/track", "curve": f"{trio[2].pk}/series"}
        page.add_init_script(f"({_LATE})({json.dumps(slow)})")
        compare(page, taxi)
        for chart in lines(page):
            assert [line["name"] for line in chart] == ["Skip", "Uniform", "Adaptive"]
        assert page.evaluate("window.requested") == {slow["track"]: 1, slow["curve"]: 1}


class TestLinked:
    @pytest.mark.journey
    def test_a_drag_over_a_chart_moves_the_playhead(self, page: Page, taxi: Dataset, trio: list[Release]) -> None:
        compare(page, taxi)
        box = page.locator("[data-chart=error] .chart__plot").bounding_box()
        page.mouse.click(box["x"] + box["width"] * 0.6, box["y"] + 60)
        text = page.locator(".timeline__text").inner_text()
        event = int(text.split("event ")[1].split(" ")[0])
        assert 120 < event < 180
        assert len(set(cursors(page))) == 1

    @pytest.mark.journey
    def test_the_circle_follows_the_chosen_mechanism(self, page: Page, taxi: Dataset, trio: list[Release]) -> None:
        compare(page, taxi)
        small = painted(page, "selection")
        page.get_by_role("button", name="Noise and guarantee of Uniform").click()
        expect(page.locator("[data-guarantee] h3")).to_contain_text("Uniform")
        at_rest(page)
        assert painted(page, "selection") > 5 * small

    def test_no_motion_with_reduced_motion(
        self, open_page: Any, owner: User, taxi: Dataset, trio: list[Release]
    ) -> None:
        page = open_page(owner, reduced_motion="reduce")
        compare(page, taxi)
        expect(page.get_by_role("button", name="Play")).to_be_disabled()


class TestCharts:
    @pytest.mark.journey
    def test_numbers_as_a_table(self, page: Page, taxi: Dataset, trio: list[Release]) -> None:
        compare(page, taxi)
        page.get_by_label("Budget per event: save or show numbers").click()
        page.get_by_role("button", name="Data table").click()
        dialog = page.get_by_role("dialog")
        expect(dialog.locator("tbody tr")).to_have_count(200)
        expect(dialog.locator("caption")).to_contain_text("The first 200 of 260 rows")
        assert not accessibility_faults(page)
        dialog.get_by_role("button", name="Close").click()


def keys_choose_an_event(page: Page) -> None:
    page.get_by_role("slider", name="Event", exact=True).press("End")
    expect(page.locator(".timeline__text")).to_contain_text("event 260 of 260")
    page.get_by_role("slider", name="Event", exact=True).press("Home")
    expect(page.locator(".timeline__text")).to_contain_text("event 1 of 260")


def play_moves_on_and_stops(page: Page) -> None:
    page.get_by_label("Speed", exact=True).select_option("86400")
    page.get_by_role("button", name="Play").click()
    expect(page.locator(".timeline__text")).to_contain_text("event 260 of 260")
    expect(page.get_by_role("button", name="Play")).to_be_visible()


def toggles_remove_lines(page: Page) -> None:
    page.get_by_role("checkbox", name="Uniform").uncheck()
    for chart in lines(page):
        assert [line["visible"] for line in chart] == [True, False, True]


def the_chart_is_saved(page: Page) -> None:
    for label, start in (
        ("PNG", b"\x89PNG"),
        ("SVG", b"<svg"),
        ("CSV", "event_index,Skip · ε 10 / 200\u202fm (m)".encode()),
    ):
        page.get_by_label("Error per event: save or show numbers").click()
        with page.expect_download() as waiting:
            page.get_by_role("button", name=label, exact=True).click()
        body = Path(waiting.value.path()).read_bytes()
        assert body.startswith(start), label
    assert len(body.decode().splitlines()) == 261


ONE_COMPARISON = (
    the_chart_is_saved,
    keys_choose_an_event,
    play_moves_on_and_stops,
    toggles_remove_lines,
)


def test_one_comparison_in_many_states(
    page: Page, taxi: Dataset, trio: list[Release], subtests: pytest.Subtests
) -> None:
    compare(page, taxi)
    run_cases(subtests, ONE_COMPARISON, page)


def test_series_are_shown_one_at_a_time(page: Page, owner: User, submit: Any) -> None:
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


def test_antimeridian_is_a_short_way(page: Page, owner: User, submit: Any) -> None:
    rows = "".join(
        f"{1_700_000_000 + 60 * i},{-17.5 + i / 1e3},{(180 - 0.05 + i / 1e3 + 180) % 360 - 180}\n" for i in range(100)
    )
    crossing = import_dataset(owner=owner, upload=ContentFile(f"time,lat,lon\n{rows}".encode(), name="fiji.csv"))
    landmarks = mark_landmarks(owner=owner, dataset=crossing, method={"name": "manual", "events": [3]})
    submit(landmarks, "skip")
    run_jobs()
    compare(page, crossing)
    span = page.evaluate(
        """() => {
          const canvas = document.querySelector('canvas[data-layer="original"]');
          const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
          const columns = new Set();
          for (let i = 3; i < data.length; i += 4) if (data[i]) columns.add(((i - 3) / 4) % canvas.width);
          return [Math.max(...columns) - Math.min(...columns), columns.size, canvas.width];
        }"""
    )
    assert span[0] > 0.3 * span[2], "the walk fills the map"
    assert span[1] > 0.95 * span[0], "in one piece"


@pytest.mark.journey
def test_a_stranger_sees_nothing(open_page: Any, taxi: Dataset, trio: list[Release], monitor: PageMonitor) -> None:
    monitor.expect(404)
    page = open_page(User.objects.create_user("stranger", password="another long password"))
    for path in ("compare/", "releases/new/", "landmarks/new/"):
        assert page.goto(f"/datasets/{taxi.pk}/{path}").status == 404
