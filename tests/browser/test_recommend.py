"""The next place after a history: by clicks, by keys, of a user, as text; on a desktop and on a phone."""

import re
from pathlib import Path

import pytest
from django.core.files.base import ContentFile
from django.urls import reverse
from playwright.sync_api import expect

from dashboard.datasets.services import import_dataset
from dashboard.jobs.models import State, now
from dashboard.releases.checkins.expected import expected_hits
from dashboard.releases.models import Release
from privacy_engine.mechanisms.base.mechanism import mechanisms
from tests.browser.actions import contains, downloaded
from tests.browser.conftest import DESKTOP, PHONE, check_page, run_jobs
from tests.browser.rendering import expect_painted, painted
from tests.dashboard import kinds
from tests.dashboard.release_runs import submitted
from tests.engine.format_samples import zipped
from tests.patience import patience

READY = "[data-recommend][data-ready=all]"


def fitted(owner, *levels):
    """Check-ins of a generated city with a popularity model of each level."""
    dataset = import_dataset(owner=owner, upload=ContentFile(kinds.city(60, 10), name="city.csv"))
    for epsilon in levels:
        submitted(dataset, {"name": "checkin-popularity", "epsilon": epsilon} | kinds.CITY_BOX)
    run_jobs()
    return dataset


def compare(page, dataset, query=""):
    page.goto(reverse("releases:compare", args=[dataset.pk]) + query)
    expect(page.locator(READY)).to_be_visible(timeout=patience(30_000))


def places(page):
    return [text.strip()[1:].rstrip("×") for text in page.locator("[data-places] li").all_text_contents()]


def click_cell(page, dx=0.0, dy=0.0):
    """Click the map where the grid is, shares of the map's size away from its middle."""
    box = page.locator("[data-map]").bounding_box()
    shift = 105 if box["width"] >= 760 else 0  # the legend lies on the left of a wide map
    page.mouse.click(box["x"] + box["width"] * (0.5 + dx) + shift, box["y"] + box["height"] * (0.5 + dy))


def test_places_are_added_and_removed_by_clicks_and_keys_models_layers_and_a_user_are_chosen(page, owner):
    dataset = fitted(owner, 5.0, 0.1)
    compare(page, dataset)
    rows, listed = page.locator("[data-rows] button"), page.locator("[data-places] li")
    expect(rows).to_have_count(10)
    expect(page.locator("[data-places]")).to_have_css("position", "static")  # it lies in the panel, not over the map
    assert painted(page, "history") == 0
    page.locator("[data-map]").scroll_into_view_if_needed()
    click_cell(page)
    expect(listed).to_have_count(1)
    click_cell(page, 0.08, 0.08)
    expect(listed).to_have_count(2)
    expect(page.locator("[data-after]")).to_have_text(f"after {places(page)[1]}")
    for layer in ("recommended", "reference", "history", "density", "grid"):
        expect_painted(page, layer, lambda pixels: pixels > 100)
    assert places(page)[1] not in rows.all_text_contents()
    assert len(page.url.split("history=")[1].split(",")) == 2
    rows.first.hover()
    expect(page.locator("[data-rows] tr[data-marked]")).to_have_count(1)
    expect_painted(page, "chosen", lambda pixels: pixels > 20)
    check_page(page)
    page.locator("[data-clear]:visible").click()
    expect(listed).to_have_count(0)

    page.reload()
    expect(page.locator(READY)).to_be_visible()
    page.locator("[data-map]").focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowUp", "Enter"):
        page.keyboard.press(key)
    expect(listed).to_have_count(1)
    assert places(page) == ["J7"]  # from the middle, I8, to the right and up
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#announcer")).to_contain_text("I7")
    page.keyboard.press("Backspace")
    expect(listed).to_have_count(0)
    cell = page.get_by_label("Cell to add", exact=False)
    for name in ("c12", "Z99"):
        cell.fill(name)
        page.keyboard.press("Enter")
    expect(listed).to_contain_text("C12")
    expect(page.locator("[data-problem]")).to_contain_text("from A1 to P16")
    page.get_by_role("button", name="Remove place 1, C12").click()
    expect(listed).to_have_count(0)

    compare(page, dataset, "?history=100,101")
    shown = page.locator("[data-promise-title]")
    newest, other = Release.objects.filter(dataset=dataset).order_by("-created_at")
    expect(shown).to_contain_text("0.1")
    page.locator(f"[name=model][value='{other.pk}']").check()
    expect(shown).to_contain_text("5")
    expect(page.locator("[data-losses]")).to_contain_text("148")  # exp(5)
    assert len(places(page)) == 2, "the history stays on the same grid"
    assert str(newest.pk) not in page.url
    page.get_by_label("Show the history of a user").fill("u3")
    page.get_by_role("button", name="Show", exact=True).click()
    expect(page.locator("[data-after]")).not_to_have_text("after F10")
    legend = page.locator("[data-legend-density]")
    expect(legend).to_contain_text("private")
    page.get_by_role("button", name="Truth").click()
    expect(legend).to_contain_text("owner only")
    page.get_by_label("Recommended", exact=True).uncheck()
    expect(page.locator("canvas[data-layer=recommended]")).to_have_count(0)


def test_the_answer_is_the_forecast_of_the_form_beside_the_public_baseline(page, owner):
    dataset = fitted(owner, 5.0, 0.1)
    compare(page, dataset)
    rows = list(dataset.releases.all())
    found = expected_hits(dataset, [row.parsed_spec.mechanism for row in rows])
    hits, best = max((one.hits, row) for one, row in zip(found.mechanisms, rows, strict=True))
    card = page.locator("[data-answer]")
    expect(card.locator(f"[data-quantity='hits:{best.pk}']")).to_have_text(f"{hits:,}")
    expect(card.locator("[data-quantity='hits:public']")).to_have_text(f"{found.public:,}")
    verdict = next(one.verdict for one in found.mechanisms if one.hits == hits)
    contains(card, "best of 2", verdict.title, "of 1,000 next places are among ten proposed (HR@10)")
    expect(card.get_by_role("link")).to_have_count(1)
    assert card.evaluate("(one) => one.scrollHeight <= one.clientHeight"), "all of it is on the card"
    check_page(page)
    legend, button = page.locator(".recommend__legend"), page.get_by_role("button", name="Base map")
    for size in (PHONE, DESKTOP):
        page.set_viewport_size(size)
        above, below = sorted((legend.bounding_box(), button.bounding_box()), key=lambda box: box["y"])
        assert above["y"] + above["height"] <= below["y"], "neither lies on the other"
        assert card.bounding_box()["y"] <= page.locator("[data-map]").bounding_box()["y"] + 16, "the answer is first"


def test_a_model_is_evaluated_charted_and_beside_all_others(page, owner):
    dataset = fitted(owner, 5.0)
    compare(page, dataset)
    with page.expect_response(lambda answer: answer.request.method == "POST"):
        page.get_by_role("button", name="Evaluate").click()
    run_jobs()
    page.locator("[data-chart] .js-plotly-plot").wait_for(timeout=patience(120_000))
    own = page.locator("[data-hit]").text_content()
    assert own not in ("", "–")
    expect(page.locator("[data-comparison]")).to_contain_text(re.compile(rf"^Popularity · .*{re.escape(str(own))}"))
    expect(page.locator("[data-baseline=checkin-popularity]")).to_have_text(str(own))
    page.get_by_role("button", name="MRR").click()
    expect(page.locator("[data-hit-title]")).to_contain_text("MRR")
    page.get_by_label("MRR: save or show numbers").click()
    started = downloaded(page.locator("[data-chart]").get_by_role("button", name="CSV"))
    assert Path(started.path()).read_text().startswith("epsilon,")

    others = [cls for cls in mechanisms.of("checkins") if cls.publishable and not cls.needs_venues][1:]
    page.get_by_role("button", name="Simulate the other models").click()
    expect(page.get_by_role("button", name="Simulating…")).to_be_visible()
    seeded = dataset.releases.filter(seeded=True)
    assert [row.spec["mechanism"]["epsilon"] for row in seeded] == [5.0] * len(others)
    one = seeded.latest("created_at")
    seeded.exclude(pk=one.pk).update(state=State.CANCELLED, finished_at=now())
    run_jobs()
    expect(page.locator("[data-models-note]")).to_contain_text("1 model of the list is a seeded simulation")
    page.locator(f"[name=model][value='{one.pk}']").check()
    expect(page.locator("[data-promise-title]")).to_have_text("Not private")


@pytest.mark.journey
def test_the_venues_of_a_cell_are_ranked_by_their_published_counts(page, owner):
    rows = [f"u{i},2024-06-01T00:0{i}:00Z,{place}" for i, place in enumerate(["v1", "v2", "v2", "v3"])]
    listed = b"place_id,lat,lon,name\nv1,48.81,2.21,Station\nv2,48.82,2.22,Park\nv3,48.89,2.39,\n"
    archive = zipped(**{"checkins.csv": kinds.checkins(rows, "user_id,time,place_id"), "venues.csv": listed})
    dataset = import_dataset(owner=owner, upload=ContentFile(archive, name="visits.zip"))
    known = kinds.POPULARITY | {"name": "checkin-venues", "epsilon": 500.0, "side": 2}
    submitted(dataset, known)
    run_jobs()
    compare(page, dataset)
    cell, ranked = page.locator("[data-venues-cell]"), page.locator("[data-venues-rows] li")
    expect(cell).to_have_value("0")
    expect(ranked).to_have_text(["Park2 check-ins", "Station1 check-in"])
    cell.select_option("B1")
    expect(ranked).to_have_text(["v31 check-in"])
