"""Verdicts on claims follow from what was measured; those in the text of docs/results.md are of its tables."""

import re
from pathlib import Path

import numpy as np
import pytest

from benchmarks import recommendation_claims as recommended
from benchmarks import results_people as people
from benchmarks.series import READINGS
from benchmarks.written import ROOT
from privacy_engine.data import Trajectory
from privacy_engine.experiments.presets import GeolifeError
from tests.later import stats

RESULTS = (ROOT / "docs" / "results.md").read_text()


def part(name):
    return RESULTS.partition(f"<!-- {name} -->")[2].partition(f"<!-- /{name} -->")[0]


def rows(text, start):
    lines = [line for line in text.splitlines() if line.startswith(f"| {start}")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


class TestIntervals:
    def test_are_corrected_for_runs_that_share_their_users(self):
        values = np.array([0.1, 0.3, 0.2, 0.4])
        found = recommended.interval(values)
        half = stats.t.ppf(0.975, 3) * values.std(ddof=1) * np.sqrt(1 / 4 + 0.2 / 0.8)
        assert found == pytest.approx((0.25, 0.25 - half, 0.25 + half))
        plain = stats.t.ppf(0.975, 3) * values.std(ddof=1) / 2
        assert half > plain

    def test_a_verdict_is_open_where_the_interval_has_zero(self):
        bounds = {"yes": (0.01, 0.2), "no": (-0.2, -0.01), "open": (-0.1, 0.1)}
        for verdict, (low, high) in bounds.items():
            assert recommended.Interval(0.0, low, high).verdict == verdict


def case(share=0.4, **means):
    usual = {"Uniform": 10.0, "Skip": 5.0, "Adaptive, literal": 9.0, "Adaptive": 8.0, "Planned": 4.0, "Joint": 3.0}
    named = {name.replace("_", ", "): mean for name, mean in means.items()}
    return people.Case(share, {name: np.full(9, mean) for name, mean in (usual | named).items()})


class TestLandmarks:
    def test_a_claim_holds_at_every_share_or_where_it_does_is_listed(self):
        skip = next(one for one in people.CLAIMS if one.text.startswith("Skip"))
        assert people.held(skip, [case(0.0, Skip=99.0), case(0.2), case(0.4)]) == "yes"
        assert people.held(skip, [case(0.2), case(0.4, Skip=20.0)]) == "yes at 20 %, no at 40 %"
        assert people.held(skip, [case(0.0), case(1.0)]) == "–"
        everyone = [[case(0.2)], [case(0.2, Skip=20.0)], [case(0.2), case(0.4, Skip=20.0)], [case(0.0)]]
        assert people.always(skip, everyone) == "yes 1, no 1, by share 1"

    def test_a_series_is_measured_in_the_reading_that_is_stated(self):
        """The first anchor fails: the next one has a stay of 35 minutes, what is beyond its reach one of 24."""
        lat = 48 + np.r_[0, np.full(10, 0.00135), np.full(25, 0.0027), np.linspace(0.1, 3, 64)]
        series = Trajectory(np.full(100, 2.0), lat, np.arange(100) * 60.0)
        by = {
            reading: people.measured(GeolifeError, series, 4, marks="stay-points", reading=reading)
            for reading in ("seed", "li08_def")
        }
        assert all(len(cases) == 6 for cases in by.values())
        assert set(by["seed"][0].errors) >= {"Uniform", "Skip", "Adaptive", "Adaptive, literal", "Planned", "Joint"}
        assert [case.share for case in by["li08_def"]] != [case.share for case in by["seed"]]
        assert all(len(errors) == 4 for errors in by["seed"][2].errors.values())


class TestPages:
    def test_the_traces_have_the_papers_shares_and_the_page_states_the_readings(self):
        [row] = rows(part("people"), "The paper's five settings")
        head = rows(part("people"), "claim")[0]
        cells = dict(zip(head, row, strict=True))
        assert cells["Geolife, user 174 (li08_def)"].startswith("yes: 19, 42, 66, 80, 100 %")
        assert cells["T-Drive, taxi 2 (seed)"].startswith("yes: 21, 41, 59, 82, 98 %")
        assert READINGS == {"Geolife, user 174": "li08_def"}
        for title in ("Geolife, user 174 (li08_def)", "T-Drive, taxi 2 (seed)"):
            assert f"### {title}, stay points" in part("experiments")

    def test_verdicts_that_the_text_names(self):
        by = {row[0]: dict(zip(rows(part("people"), "claim")[0], row, strict=True)) for row in _claims("stay points")}
        skip, joint = (
            by["Skip is the best of the paper's three"],
            by["(ours) Joint never falls behind it by more than 1 %"],
        )
        adaptive = by["Adaptive (literal) beats Skip by more than 20 %"]
        assert skip["Geolife, user 000 (seed)"] == "yes"
        assert skip["Geolife, user 174 (li08_def)"] == "yes at 19 %, no at 42, 66, 80 %"
        assert adaptive["T-Drive, taxi 2 (seed)"] == "yes at 41, 59, 82, 98 %, no at 21 %"
        assert joint["Geolife, user 174 (li08_def)"] == "yes at 19 %, no at 42, 80 %, open at 66 %"
        for number in re.findall(
            r"\b(\d+) of 158", RESULTS.partition("**Which verdicts change")[2].partition("\n\n")[0]
        ):
            assert re.search(rf"\b{number}\b", part("people"))

    def test_the_readme_states_what_the_table_of_recommendations_has(self):
        readme = " ".join((ROOT / "README.md").read_text().split())
        [user, record] = rows(part("recommendation-claims"), "Careful sanitisation")
        assert user[2] == "no 4 of 4"
        assert "yes" not in record[2]
        assert "none of the published trees and n-grams recommends better than the nearest cell" in readme


def _claims(text):
    table = part("people").partition(f"### Claims of the landmark paper, {text}")[2].partition("###")[0]
    return [row for one in people.CLAIMS for row in rows(table, one.text)]


def test_scripts_that_the_page_names_are_there():
    for name in re.findall(r"python (?:-m )?benchmarks[./](\w+)", RESULTS):
        assert Path(ROOT / "benchmarks" / f"{name.removesuffix('.py')}.py").exists()
