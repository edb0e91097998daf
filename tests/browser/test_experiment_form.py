"""The form of an experiment: what it shows is what is run, to the letter; what it cannot show it leaves as text."""

import json
import re

import pytest
from playwright.sync_api import expect

from dashboard.experiments.models import Experiment
from dashboard.landmarks.services import mark_landmarks
from privacy_engine.experiments import ExperimentSpec, presets
from privacy_engine.landmarks import landmark_methods
from tests.browser.rendering import wait_until_ready

ADDRESS = "/experiments/new/"
RANDOM = {"name": "synthetic", "share": 0, "distribution": "uniform", "seed": 0}
SERIES = presets.parse({"name": "error-tdrive", "events": 1000}).selection().model_dump()
ODD = {
    "base": {"landmarks": {"name": "manual", "events": [1, 2]}},
    "grid": {"landmarks.events": [[1], [1, 2], [3, 4, 5]]},
    "repetitions": 2,
    "seed": 7,
    "metrics": ["temporal-distance"],
}


ZONE = {"name": "zones", "zones": [{"type": "Circle", "center": [2.35, 48.86], "radius_m": 300}]}
BY_HAND = {"name": "manual", "events": [3, 4, 7]}
KINDS = ("trajectory", "stream", "checkins")


def landmark_sets(page):
    """The list of landmark sets, shown."""
    page.locator("[data-landmarks]").get_by_text("Landmark sets", exact=True).first.click()
    return page.locator("[data-landmarks]")


def form(page, query=""):
    page.goto(ADDRESS + query)
    wait_until_ready(page, "[data-form]")
    page.evaluate(OPEN_FOLDS)


OPEN_FOLDS = "document.querySelectorAll('[data-fold]').forEach((fold) => (fold.open = true))"


def only(page, *titles):
    """Tick these mechanisms and no others."""
    for box in page.locator("[name=mechanism]").all():
        box.uncheck()
    for title in titles:
        page.get_by_role("checkbox", name=title, exact=True).check()


def plan(page):
    return page.locator("[data-plan]")


def spec_of(page):
    return json.loads(page.locator("[data-text]").input_value())


def submitted(page):
    """The row that pressing the button makes."""
    page.get_by_role("button", name="Run the experiment").click()
    page.wait_for_url(re.compile(r"/experiments/[0-9a-f-]{36}/"))
    return Experiment.objects.latest("created_at")


def fold(page, name):
    return page.locator(f"[data-fold={name}]")


def test_from_what_is_filled_in_and_from_a_preset_by_keyboard(page, walk):
    """Folds state what is in them, open by keyboard and where a field is wrong; the submit button is in view."""
    form(page)
    expect(plan(page)).to_contain_text("18 cells × 100 repetitions")
    expect(plan(page)).to_contain_text(re.compile("It runs in about . parts"))
    made = submitted(page)
    of = {"epsilon": 1, "radius_m": 200}
    names = ("landmark-skip", "landmark-uniform", "landmark-adaptive")
    assert made.spec == {
        "base": {"landmarks": RANDOM, "redraw": True},
        "grid": {
            "release": [{"mechanism": {"name": name, **of}, "postprocess": []} for name in names],
            "landmarks.share": [0, 0.2, 0.4, 0.6, 0.8, 1],
        },
        "repetitions": 100,
        "seed": 1,
        "metrics": ["error"],
        "common": True,
        "series": SERIES,
    }
    assert made.preset == presets.parse({"name": "error-tdrive", "events": 1000}).model_dump()
    assert made.name == "Skip, Uniform, Adaptive · ε 1 / 200 m · synthetic series"

    page.goto(ADDRESS)
    wait_until_ready(page, "[data-form]")
    assert page.evaluate("document.documentElement.scrollHeight") < 1100
    page.get_by_role("link", name=re.compile("^Privacy against utility")).click()
    wait_until_ready(page, "[data-form][data-preset='Privacy against utility']")
    sweep, measures = fold(page, "sweep"), fold(page, "measures")
    expect(sweep.locator("[data-fold-line]").first).to_contain_text("Level ε 0.01–10 / 1 m")
    expect(measures).to_contain_text("Mean absolute error · 100 repetitions · seed 1")
    expect(measures.locator("[data-fold-mark]")).to_have_text("from preset")
    expect(page.locator("[data-bar]")).to_contain_text("42 cells × 100 repetitions")
    expect(page.get_by_label("Repetitions", exact=True)).to_be_hidden()
    measures.locator("summary").first.focus()
    page.keyboard.press("Enter")
    page.get_by_label("Repetitions", exact=True).fill("3")
    expect(measures.locator("[data-fold-line]")).to_contain_text("3 repetitions")
    expect(measures.locator("[data-fold-mark]")).to_have_text("changed")
    expect(fold(page, "data").locator("[data-fold-mark]")).to_have_text("from preset")
    page.get_by_label("Repetitions", exact=True).fill("0")
    measures.locator("summary").first.click()
    expect(measures.locator("[data-fold-line]")).to_contain_text("A value is missing or invalid")
    run = page.get_by_role("button", name="Run the experiment")
    expect(run).to_be_in_viewport()
    run.click()
    expect(page.get_by_label("Repetitions", exact=True)).to_be_focused()
    page.get_by_label("Repetitions", exact=True).fill("2")
    expect(page.locator("[data-bar]")).to_contain_text("42 cells × 2 repetitions")
    assert submitted(page).name.startswith("6 mechanisms · ε 0.01–10 / 1 m")


def test_every_preset_is_what_the_form_holds(page):
    for cls in (one for kind in KINDS for one in presets.of(kind)):
        preset = cls.registered_name()
        form(page, f"?preset={preset}")
        expect(page.locator("[data-by-hand]")).to_be_visible(visible=preset == "recommendation-range")
        if preset == "error-tdrive":  # changed and changed back
            seed = page.locator("[data-runs]").get_by_label("Seed", exact=True)
            seed.fill("2")
            seed.fill("1")
        expect(plan(page)).to_contain_text("repetitions")
        found, ours = ExperimentSpec.parse(spec_of(page)), presets.parse({"name": preset}).spec()
        assert [cell.digest for cell in found.cells()] == [cell.digest for cell in ours.cells()], preset


def test_landmark_sets_are_tried_as_they_are(page, owner, walk):
    for name, method in {"Clinic": ZONE, "Picked": BY_HAND}.items():
        mark_landmarks(owner=owner, dataset=walk, method=landmark_methods.parse(method), name=name)
    form(page, f"?dataset={walk.pk}")
    sets = landmark_sets(page)
    expect(sets).to_contain_text("Picked · Manual, 3 of 40 events")
    expect(page.get_by_role("button", name="Run the experiment")).to_be_disabled()
    for name in ("Clinic", "Picked"):
        page.get_by_role("checkbox", name=re.compile(f"^{name}")).check()
    only(page, "Skip")
    page.get_by_label("Repetitions", exact=True).fill("2")
    expect(plan(page)).to_contain_text("2 cells × 2 repetitions")
    expect(plan(page).locator("li", has_text="Clinic")).to_be_visible()
    made = submitted(page)
    assert [one["name"] for one in made.spec["grid"]["landmarks"]] == ["manual", "zones"]
    form(page, f"?from={made.pk}")
    expect(page.get_by_role("checkbox", name=re.compile("^Clinic"))).to_be_checked()
    expect(page.locator("[data-by-hand]")).to_be_hidden()
    page.get_by_role("checkbox", name=re.compile("^Clinic")).uncheck()
    expect(plan(page)).to_contain_text("1 cell × 2 repetitions")
    assert submitted(page).spec["base"]["landmarks"] == BY_HAND


def test_what_is_wrong_is_shown_at_its_field(page, monitor):
    monitor.expect(400)
    form(page)
    shares = page.get_by_label("Shares, %")
    wrong = page.locator("[data-field=share] .field__error")
    for typed, message in (
        ("20, 101", "Must be at most 100, got 101."),
        ("2o", "“2o” is not a number"),
        ("5 5", "5 is listed"),
    ):
        shares.fill(typed)
        expect(wrong).to_contain_text(message)
        page.get_by_role("button", name="Run the experiment").click()
        expect(shares).to_be_focused()
        assert not Experiment.objects.exists()
    shares.fill("7, 14.1")
    expect(wrong).to_be_hidden()
    expect(plan(page)).to_contain_text("6 cells")
    assert spec_of(page)["grid"]["landmarks.share"] == [0.07, 0.141]
    shares.fill("0, 20, 40, 60, 80, 100")

    page.get_by_label("Repetitions", exact=True).fill("0")
    expect(page.locator("[data-runs]")).to_contain_text("Must be at least 1, got 0")
    page.get_by_label("Repetitions", exact=True).fill("1000000")
    page.get_by_label("Shares, %").fill(", ".join(str(i / 2) for i in range(101)))
    page.get_by_label("Levels ε").fill(", ".join(str(i) for i in range(1, 21)))
    expect(page.locator("[data-runs]")).to_contain_text("Must come to at most 100 hours of work")
    assert not Experiment.objects.exists()


@pytest.mark.journey
def test_one_more_parameter_of_what_is_chosen_is_swept(page, monitor):
    monitor.expect(400)  # a value that the server refuses
    form(page, "?preset=stream-samples")
    other = page.get_by_label("Also sweep")
    expect(other).to_have_value("release.mechanism.samples")
    expect(page.locator("[data-other]").get_by_label("Samples", exact=False)).to_have_value("1, 2, 5, 10, 20, 50, 100")
    page.locator("[data-mechanisms]").get_by_label("Stream uniform", exact=True).check()
    expect(other).to_have_value("")
    expect(other.locator("option")).to_have_text(["Nothing else", "Timestamps T", "Dimensions d"])
    assert "release.mechanism.samples" not in spec_of(page)["grid"]
    other.select_option("dimensions")
    page.locator("[data-other]").get_by_label("Dimensions", exact=False).fill("1, 2, 30")
    expect(page.locator("[data-other]")).to_contain_text("Value 3: Must be at most 20")
    page.locator("[data-other]").get_by_label("Dimensions", exact=False).fill("1, 2")
    expect(plan(page)).to_contain_text("Dimensions d · horizontal axis")
    assert spec_of(page)["grid"]["dimensions"] == [1, 2]
    page.locator("[data-json] summary").click()
    page.locator("[data-text]").fill(json.dumps(spec_of(page) | {"repetitions": 7}))
    expect(page.get_by_role("textbox", name="Repetitions")).to_have_value("7")
