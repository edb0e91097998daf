"""The form of an experiment: what it shows is what is run, to the letter; what it cannot show it leaves as text."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import pytest
from playwright.sync_api import Page, expect

from dashboard.accounts.models import User
from dashboard.datasets.models import Dataset
from dashboard.experiments.models import Experiment
from dashboard.experiments.services import submit_experiment
from dashboard.landmarks.models import LandmarkSet
from dashboard.landmarks.services import mark_landmarks
from dashboard.storage.data_files import read_data
from privacy_engine.experiments import AS_THEY_ARE, ExperimentSpec, presets
from privacy_engine.landmarks import landmark_methods
from tests.browser.conftest import DESKTOP, PHONE, PageMonitor, accessibility_faults, assert_fits
from tests.browser.page_checks import UNFOLD, WATCH_SHIFTS, glossary_faults, keyboard_faults, loading_faults
from tests.browser.rendering import wait_until_ready

ADDRESS = "/experiments/new/"
SHARES = [0, 0.2, 0.4, 0.6, 0.8, 1]
SERIES = presets.parse({"name": "error-tdrive", "events": 1000}).selection().model_dump()
RANDOM = {"name": "synthetic", "share": 0, "distribution": "uniform", "seed": 0}
ODD = {
    "base": {"landmarks": {"name": "manual", "events": [1, 2]}},
    "grid": {"landmarks.events": [[1], [1, 2], [3, 4, 5]]},
    "repetitions": 2,
    "seed": 7,
    "metrics": ["temporal-distance"],
}


def form(page: Page, query: str = "") -> None:
    page.goto(ADDRESS + query)
    wait_until_ready(page, "[data-form]")
    page.evaluate(OPEN_FOLDS)


OPEN_FOLDS = "document.querySelectorAll('[data-fold]').forEach((fold) => (fold.open = true))"


def only(page: Page, *titles: str) -> None:
    """Tick these mechanisms and no others."""
    for box in page.locator("[name=mechanism]").all():
        box.uncheck()
    for title in titles:
        page.get_by_role("checkbox", name=title, exact=True).check()


def plan(page: Page) -> Any:
    return page.locator("[data-plan]")


def spec_of(page: Page) -> Any:
    return json.loads(page.get_by_label("Spec as JSON").input_value())


def submitted(page: Page) -> Experiment:
    """The row that pressing the button makes."""
    page.get_by_role("button", name="Run the experiment").click()
    page.wait_for_url(re.compile(r"/experiments/[0-9a-f-]{36}/"))
    return Experiment.objects.latest("created_at")


class TestFormAndSpec:
    @pytest.mark.journey
    def test_as_it_opens_it_is_the_papers_three_over_all_shares(self, page: Page) -> None:
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
                "landmarks.share": SHARES,
            },
            "repetitions": 100,
            "seed": 1,
            "metrics": ["error"],
            "common": True,
            "series": SERIES,
        }
        assert made.preset == presets.parse({"name": "error-tdrive", "events": 1000}).model_dump()
        assert made.name == "Skip, Uniform, Adaptive · ε 1 / 200 m · synthetic series"

    def test_levels_and_mechanisms_and_steps_and_distributions_are_swept(self, page: Page, walk: Dataset) -> None:
        form(page, f"?dataset={walk.pk}")
        only(page, "Uniform", "Planned")
        page.get_by_label("Levels ε").fill("0.01, 0.3; 1")
        page.get_by_label("Radii r, m").fill("50 500")
        page.locator("[data-row=landmark-planned]").get_by_label("Step variance q, m²", exact=True).fill("9")
        page.get_by_role("checkbox", name="Ornstein-Uhlenbeck smoother", exact=True).check()
        page.get_by_role("checkbox", name="Ornstein-Uhlenbeck smoother for Uniform").uncheck()
        page.get_by_label("Shares, %").fill("20")
        page.get_by_role("checkbox", name="Around both quarters (bimodal)").check()
        page.get_by_label("Repetitions", exact=True).fill("2")
        page.get_by_label("Name").fill("Mine")
        expect(plan(page)).to_contain_text("36 cells × 2 repetitions")
        expect(plan(page)).to_contain_text("horizontal axis, logarithmic")
        made = submitted(page)
        uniform = {"name": "landmark-uniform", "epsilon": 0.01, "radius_m": 50}
        planned = {"name": "landmark-planned", "epsilon": 0.01, "radius_m": 50, "step_variance_m2": 9}
        assert made.spec["grid"] == {
            "release": [
                {"mechanism": uniform, "postprocess": []},
                {"mechanism": planned, "postprocess": []},
                {"mechanism": planned, "postprocess": [{"name": "ou-smoother"}]},
            ],
            "release.mechanism.epsilon": [0.01, 0.3, 1],
            "release.mechanism.radius_m": [50, 500],
            "landmarks.distribution": ["bimodal", "uniform"],
        }
        assert made.spec["base"]["landmarks"]["share"] == 0.2
        assert (made.dataset, made.preset, made.name) == (walk, None, "Mine")
        form(page, f"?from={made.pk}")
        expect(page.get_by_label("Radii r, m")).to_have_value("50, 500")

    def test_stay_points_dummies_and_correlations(self, page: Page, walk: Dataset) -> None:
        form(page)
        page.get_by_role("radio", name="A dataset").check()
        page.get_by_label("Events used").select_option("first")
        page.get_by_label("Events", exact=True).fill("30")
        only(page, "Uniform")
        page.locator("[data-landmarks]").get_by_text("Stay points", exact=True).click()
        page.get_by_label("Distances, m").fill("100 400")
        page.get_by_text("Dummy landmarks", exact=True).click()
        page.get_by_role("checkbox", name="One-sided coins").check()
        page.get_by_role("checkbox", name="No dummies").uncheck()
        page.get_by_label("Levels of the selection ε").fill("1, 2")
        page.get_by_role("checkbox", name="Each event's own loss, mean over events").check()
        uncorrelated = page.get_by_text("Without a correlation these are the budgets alone.")
        expect(uncorrelated).to_be_visible()
        page.get_by_text("Adversary model", exact=True).click()
        page.get_by_role("checkbox", name="Strong").check()
        page.get_by_label("Other strengths s").fill("0.5")
        expect(uncorrelated).to_be_hidden()
        expect(plan(page)).to_contain_text("Strong, s = 0.01, states 1,000 m apart")
        made = submitted(page)
        assert made.spec["grid"] == {
            "landmarks.distance_m": [100, 400],
            "dummies.epsilon": [1, 2],
            "correlation": [None, *({"smoothing": s, "diameter_m": 1000} for s in (0.01, 0.5))],
        }
        assert made.spec["base"]["dummies"] == {"name": "dummies-one-sided", "epsilon": 1}
        assert made.spec["base"]["landmarks"] == {"name": "stay-points", "distance_m": 100, "duration_s": 1800}
        assert made.spec["metrics"] == ["error", "loss-own"]
        assert (made.dataset, made.lengths) == (walk, [30])

    def test_a_measure_with_a_parameter_is_sent_and_copied_with_it(self, page: Page) -> None:
        form(page)
        quantile = page.locator("[data-measure=error-quantile]")
        quantile.get_by_role("checkbox").check()
        quantile.get_by_label("Share of the events p", exact=True).fill("0.9")
        page.get_by_label("Repetitions", exact=True).fill("1")
        made = submitted(page)
        assert made.spec["metrics"] == ["error", {"name": "error-quantile", "p": 0.9}]
        form(page, f"?from={made.pk}")
        expect(quantile.get_by_label("Share of the events p", exact=True)).to_have_value("0.9")
        assert submitted(page).spec_digest == made.spec_digest

    def test_without_a_mechanism_there_is_nothing_but_landmarks_to_measure(self, page: Page) -> None:
        form(page)
        only(page)
        error = page.get_by_role("checkbox", name=re.compile("^Mean absolute error"))
        expect(error).to_be_disabled()
        expect(page.locator("[data-measure=error]")).to_contain_text("Choose a mechanism to measure this.")
        expect(page.get_by_role("button", name="Run the experiment")).to_be_disabled()
        page.get_by_role("checkbox", name="Average temporal distance").check()
        expect(plan(page)).to_contain_text("6 cells")
        only(page, "Skip")
        expect(error).to_be_checked()


class TestRoundTrips:
    @pytest.mark.parametrize("preset", [cls.registered_name() for cls in presets.of("trajectory")])
    def test_a_preset_and_its_copy_are_sent_as_they_are(self, page: Page, preset: str) -> None:
        form(page, f"?preset={preset}")
        expect(page.locator("[data-by-hand]")).to_be_hidden()
        first = submitted(page)
        assert first.spec_digest == presets.parse({"name": preset}).spec().digest
        form(page, f"?from={first.pk}")
        expect(page.locator("[data-by-hand]")).to_be_hidden()
        again = submitted(page)
        assert again.pk != first.pk
        assert first.name.startswith(presets[preset].title)
        columns = ("spec_digest", "preset", "lengths")
        assert [getattr(again, name) for name in columns] == [getattr(first, name) for name in columns]

    def test_what_the_form_makes_of_a_preset_once_changed_and_changed_back(self, page: Page) -> None:
        form(page, "?preset=error-tdrive")
        seed = page.locator("[data-runs]").get_by_label("Seed", exact=True)
        seed.fill("2")
        seed.fill("1")
        expect(plan(page)).to_contain_text("54 cells")
        ours = presets.parse({"name": "error-tdrive"}).spec()
        sent = ExperimentSpec.parse(spec_of(page))
        assert [cell.digest for cell in sent.cells()] == [cell.digest for cell in ours.cells()]

    def test_any_other_grid_opens_as_text_and_is_sent_unchanged(self, page: Page, owner: User, walk: Dataset) -> None:
        spec = ExperimentSpec.parse(ODD)
        first = submit_experiment(owner=owner, dataset=walk, spec=spec, name="Odd")
        form(page, f"?from={first.pk}")
        expect(page.locator("[data-by-hand]")).to_contain_text("This experiment is edited as text.")
        expect(page.get_by_label("Levels ε")).to_be_hidden()
        expect(plan(page)).to_contain_text("3 cells × 2 repetitions")
        assert submitted(page).spec_digest == spec.on(AS_THEY_ARE).digest
        form(page, f"?from={first.pk}")
        page.get_by_role("button", name="Use the form instead").click()
        expect(plan(page)).to_contain_text("18 cells")


class TestLandmarkSets:
    """Sets that were kept are tried as they are, whatever marked them."""

    ZONE: ClassVar = {"name": "zones", "zones": [{"type": "Circle", "center": [2.35, 48.86], "radius_m": 300}]}
    BY_HAND: ClassVar = {"name": "manual", "events": [3, 4, 7]}

    @pytest.fixture
    def marked(self, owner: User, walk: Dataset) -> list[LandmarkSet]:
        methods = {"Clinic": self.ZONE, "Picked": self.BY_HAND}
        return [
            mark_landmarks(owner=owner, dataset=walk, method=landmark_methods.parse(method), name=name)
            for name, method in methods.items()
        ]

    def choose(self, page: Page) -> Any:
        page.locator("[data-landmarks]").get_by_text("Landmark sets", exact=True).first.click()
        return page.locator("[data-landmarks]")

    def test_zones_and_events_by_hand_are_tried_and_copied(
        self, page: Page, walk: Dataset, marked: list[LandmarkSet]
    ) -> None:
        form(page, f"?dataset={walk.pk}")
        sets = self.choose(page)
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
        cells = made.parsed_spec.cells()
        for cell, one in zip(cells, reversed(marked), strict=True):
            (landmarks,) = cell.landmarks.mark([read_data("trajectory", walk.points_path)[0]])
            assert landmarks.mask.tolist() == one.mask.tolist()
        form(page, f"?from={made.pk}")
        expect(page.get_by_role("checkbox", name=re.compile("^Clinic"))).to_be_checked()
        expect(page.locator("[data-by-hand]")).to_be_hidden()
        page.get_by_role("checkbox", name=re.compile("^Clinic")).uncheck()
        expect(plan(page)).to_contain_text("1 cell × 2 repetitions")
        assert submitted(page).spec["base"]["landmarks"] == self.BY_HAND

    def test_what_no_set_of_the_dataset_has_stays_as_the_spec_has_it(self, page: Page, walk: Dataset) -> None:
        form(page)
        page.get_by_text("As JSON", exact=True).click()
        spec = spec_of(page) | {"grid": {}, "repetitions": 2}
        spec["base"] = {
            "landmarks": self.ZONE,
            "release": {"mechanism": {"name": "landmark-skip", "epsilon": 1, "radius_m": 50}},
        }
        page.get_by_label("Spec as JSON").fill(json.dumps(spec))
        expect(page.get_by_role("checkbox", name="1 zone · as in the spec")).to_be_checked()
        page.get_by_role("radio", name="A dataset").check()
        expect(page.get_by_role("checkbox", name="1 zone · as in the spec")).to_be_checked()
        assert submitted(page).spec["base"]["landmarks"]["name"] == "zones"

    def test_without_any_it_links_to_their_page(self, page: Page, walk: Dataset) -> None:
        form(page)
        expect(self.choose(page)).to_contain_text("Synthetic series have no landmark sets")
        page.get_by_role("radio", name="A dataset").check()
        page.get_by_role("link", name="Define landmarks").click()
        page.wait_for_url(f"**/datasets/{walk.pk}/landmarks/new/")


class TestText:
    @pytest.mark.journey
    def test_what_is_typed_counts_and_the_form_follows(self, page: Page) -> None:
        form(page)
        page.get_by_text("As JSON", exact=True).click()
        spec = spec_of(page) | {"repetitions": 3, "grid": {"landmarks.share": [0.125, 0.5]}}
        spec["base"]["release"] = {"mechanism": {"name": "landmark-skip", "epsilon": 2, "radius_m": 50}}
        text = page.get_by_label("Spec as JSON")
        text.fill(json.dumps(spec))
        expect(page.get_by_label("Shares, %")).to_have_value("12.5, 50")
        expect(page.get_by_label("Levels ε")).to_have_value("2")
        expect(page.get_by_role("checkbox", name="Uniform", exact=True)).not_to_be_checked()
        expect(plan(page)).to_contain_text("2 cells × 3 repetitions")
        text.fill("{")
        expect(page.locator("[data-text-error]")).to_contain_text("This is not JSON")
        expect(page.get_by_role("button", name="Run the experiment")).to_be_disabled()
        text.fill(json.dumps(spec))
        assert submitted(page).spec_digest == ExperimentSpec.parse(spec | {"series": SERIES}).digest

    def test_it_is_saved_in_a_file_and_loaded_again(self, page: Page, tmp_path: Path) -> None:
        form(page, "?preset=privacy-utility")
        page.get_by_text("As JSON", exact=True).click()
        with page.expect_download() as waiting:
            page.get_by_role("button", name="Save as JSON").click()
        file = tmp_path / waiting.value.suggested_filename
        waiting.value.save_as(file)
        assert file.name == "privacy-against-utility-synthetic-series.json"
        form(page)
        page.set_input_files("[data-load-file]", file)
        expect(page.get_by_label("Levels ε")).to_have_value("0.01, 0.03, 0.1, 0.3, 1, 3, 10")
        assert submitted(page).spec_digest == presets.parse({"name": "privacy-utility"}).spec().digest


class TestWrong:
    def test_what_the_server_refuses_is_shown_at_the_field(self, page: Page, monitor: PageMonitor) -> None:
        monitor.expect(400)
        form(page)
        only(page, "Skip", "Planned")
        row = page.locator("[data-row=landmark-planned]")
        row.get_by_label("Step variance q, m²", exact=True).fill("-5")
        expect(row.locator(".field__error").first).to_have_text("Must be greater than 0, got -5.")
        expect(plan(page)).to_contain_text("A value is missing or invalid")
        page.get_by_role("button", name="Run the experiment").click()
        expect(row.get_by_label("Step variance q, m²", exact=True)).to_be_focused()
        row.get_by_label("Step variance q, m²", exact=True).fill("5")
        expect(plan(page)).to_contain_text("12 cells")
        page.get_by_label("Repetitions", exact=True).fill("0")
        expect(page.locator("[data-runs]")).to_contain_text("Must be at least 1, got 0")
        page.get_by_label("Repetitions", exact=True).fill("1000000")
        page.get_by_label("Shares, %").fill(", ".join(str(i / 2) for i in range(101)))
        page.get_by_label("Levels ε").fill(", ".join(str(i) for i in range(1, 21)))
        expect(page.locator("[data-runs]")).to_contain_text("Must come to at most 100 hours of work")
        assert not Experiment.objects.exists()

    def test_lists_show_at_once_what_is_no_number_or_out_of_bounds(self, page: Page) -> None:
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


@pytest.mark.parametrize(("size", "colour"), [(DESKTOP, "light"), (PHONE, "dark")], ids=["desk", "phone"])
def test_accessible_and_fits(
    open_page: Callable[..., Page], owner: User, walk: Dataset, size: dict[str, int], colour: str
) -> None:
    page = open_page(owner, colour=colour, size=size)
    page.add_init_script(WATCH_SHIFTS)
    response = page.goto(ADDRESS)
    wait_until_ready(page, "[data-form]")
    assert loading_faults(page, response) == []
    assert glossary_faults(page) == []
    page.evaluate(UNFOLD)
    assert accessibility_faults(page) == []
    page.emulate_media(color_scheme="dark" if colour == "light" else "light")
    assert accessibility_faults(page, "color-contrast") == []
    assert_fits(page)
    if size is DESKTOP:
        assert keyboard_faults(page) == []
