"""Verdicts on claims follow from what was measured; those in the text of docs/results/papers.md are of its tables."""

import re
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from benchmarks import recommendation_claims as recommended
from benchmarks import results_people as people
from benchmarks.event_copies import PAGE, measured, tables
from benchmarks.recommendation_rates import Place, Rate
from benchmarks.recommendation_runs import LEVELS, UNITS, Line, Runs
from benchmarks.recommendation_tables import BETTER, COLUMNS, grids, losses, number
from benchmarks.results_families import CELLS
from benchmarks.results_families import COLUMNS as FAMILY_COLUMNS
from benchmarks.series import READINGS
from benchmarks.stream_errors import EPSILONS, WINDOWS, Store, rows
from benchmarks.stream_families import FAMILIES, generated
from benchmarks.stream_tables import ARE, MAE, Measured, best_other, beyond, ratio, shrink
from benchmarks.written import ROOT, save, saved
from privacy_engine import noise
from privacy_engine.data import Trajectory
from privacy_engine.data.event_hashes.limits import FOUND_IN_PART, NOT_FOUND
from privacy_engine.experiments import MemoryStore
from privacy_engine.experiments.presets import GeolifeError
from privacy_engine.mechanisms.base.mechanism import mechanisms
from privacy_engine.mechanisms.stream import StreamShrink
from tests.cases import each
from tests.later import stats

RESULTS = (ROOT / "docs" / "results" / "papers.md").read_text()


def part(name):
    return RESULTS.partition(f"<!-- {name} -->")[2].partition(f"<!-- /{name} -->")[0]


def table_rows(text, start):
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
        [row] = table_rows(part("people"), "The paper's five settings")
        head = table_rows(part("people"), "claim")[0]
        cells = dict(zip(head, row, strict=True))
        assert cells["Geolife, user 174 (li08_def)"].startswith("yes: 19, 42, 66, 80, 100 %")
        assert cells["T-Drive, taxi 2 (seed)"].startswith("yes: 21, 41, 59, 82, 98 %")
        assert READINGS == {"Geolife, user 174": "li08_def"}
        for title in ("Geolife, user 174 (li08_def)", "T-Drive, taxi 2 (seed)"):
            assert ("stay points", title) in {(row["landmarks"], row["trace"]) for row in saved("experiments")}

    def test_verdicts_that_the_text_names(self):
        head = table_rows(part("people"), "claim")[0]
        table = part("people").partition("### Claims of the landmark paper, stay points")[2].partition("###")[0]
        rows_of = [row for one in people.CLAIMS for row in table_rows(table, one.text)]
        by = {row[0]: dict(zip(head, row, strict=True)) for row in rows_of}
        skip = by["Skip is the best of the paper's three"]
        joint = by["(ours) Joint never falls behind it by more than 1 %"]
        adaptive = by["Adaptive (literal) beats Skip by more than 20 %"]
        assert skip["Geolife, user 000 (seed)"] == "yes"
        assert skip["Geolife, user 174 (li08_def)"] == "yes at 19 %, no at 42, 66, 80 %"
        assert adaptive["T-Drive, taxi 2 (seed)"] == "yes at 41, 59, 82, 98 %, no at 21 %"
        assert joint["Geolife, user 174 (li08_def)"] == "yes at 19 %, no at 42, 80 %, open at 66 %"
        text = RESULTS.partition("**Which verdicts change")[2].partition("\n\n")[0]
        for stated in re.findall(r"\b(\d+) of 158", text):
            assert re.search(rf"\b{stated}\b", part("people"))

    def test_tables_have_a_row_for_every_combination(self):
        for name, keys, values in (
            ("streams", ("set", "mechanism", "epsilon", "window"), ("ARE", "MAE", "Pearson", "Spearman")),
            ("recommendation", ("set", "side", "protected", "epsilon", "mechanism"), ("hit_rate", "reciprocal_rank")),
            ("landmarks", ("series", "scheme", "share_percent"), ("mae_m",)),
        ):
            rows = saved(name)
            found = {tuple(row[key] for key in keys) for row in rows}
            assert len(found) == len(rows) == np.prod([len({row[key] for row in rows}) for key in keys]), name
            assert all(float(row[value]) > -1 for row in rows for value in values)
        assert all(
            float(row["low"]) <= float(row["value"]) <= float(row["high"]) for row in saved("landmark-quotients")
        )

    def test_the_guide_states_what_the_table_of_recommendations_has(self):
        page = " ".join((ROOT / "docs" / "how-to" / "api.md").read_text().split())
        [user, record] = table_rows(part("recommendation-claims"), "Careful sanitisation")
        assert user[2] == "no 4 of 4"
        assert "yes" not in record[2]
        assert "none of the published trees and n-grams recommends better than the nearest cell" in page


def test_scripts_that_the_page_names_are_there():
    for name in re.findall(r"python (?:-m )?benchmarks[./](\w+)", RESULTS):
        assert Path(ROOT / "benchmarks" / f"{name.removesuffix('.py')}.py").exists()


RATES = {"Popularity": 30.0, "Nearest cell": 45.0, "Markov, not private": 50.0, "Gravity": 46.0, "Blend": 47.0}


def runs(**changes):
    """Ten runs of every line with the given rate, and ±1 run by run."""
    found = Runs(MemoryStore())
    for (model, value), unit, epsilon in product((RATES | changes).items(), UNITS, LEVELS):
        rates = value + np.where(np.arange(10) % 2, 1.0, -1.0)
        found.found[Line("Manhattan", 16, unit, model), epsilon] = np.array([rates, rates / 200, rates / 300])
    return found


def test_rates_are_shares_with_their_standard_deviation():
    assert number(np.array([0.31, 0.29])) == ".300 ± .014"
    rows = [dict(zip(COLUMNS, row, strict=True)) for row in grids(runs())]
    assert len(rows) == len(RATES) * len(UNITS) * len(LEVELS)
    for row in rows:
        assert float(row["hit_rate"]) == RATES[row["mechanism"]] / 100
        assert row["hit_rate_sd"] == "0.011"
    unknown = runs()
    unknown.found[Line("Manhattan", 16, "user", "Gravity"), 0.1][2] = np.nan
    [row] = [row for row in grids(unknown) if row[2:5] == ["user", "0.1", "Gravity"]]
    assert row[-2:] == ["", ""]


def test_a_table_is_read_as_it_was_written(tmp_path):
    rows = [["Markov, not private", "0.447"], ["–", ""]]
    save("table", ("mechanism", "rate"), rows, tmp_path)
    assert [list(row.values()) for row in saved("table", tmp_path)] == rows


def test_a_mechanism_is_above_the_nearest_cell_where_the_interval_of_the_difference_is():
    place = Place("Manhattan", 16, "user", 1.0, "Gravity")
    rates = {place: Rate(0.5, 0.03), place._replace(model="Nearest cell"): Rate(0.4, 0.04)}
    [found] = recommended.baseline(rates).values()
    half = stats.t.ppf(0.975, 39) * 0.05 * np.sqrt(1 / 40 + 0.2 / 0.8)
    assert found == pytest.approx((0.1, 0.1 - half, 0.1 + half))


def test_a_better_mechanism_than_the_blend_is_listed():
    text, rows = losses(runs())
    assert (text.count("8 of 8"), rows) == (2, [])
    text, rows = losses(runs(Gravity=47.5))
    assert "that of gravity in 0 of 8" in text
    assert len(rows) == 8
    row = dict(zip(BETTER, rows[0], strict=True))
    assert (row["better"], row["blend"], row["difference"], row["difference_se"]) == (
        "Gravity", "0.470", "-0.005", "0.000",
    )  # fmt: skip


NAMES = {name.partition(":")[0]: name for name in FAMILIES}


def by(name, other, epsilon, window, seeds=2):
    """The mean absolute error of ``stream-shrink`` by that of another mechanism."""
    errors = np.zeros(2)
    for seed in range(seeds):
        rows = generated(NAMES[name], seed)
        for i, (mechanism, how) in enumerate((("stream-shrink", {"objective": "absolute"}), (other, {}))):
            one = mechanisms[mechanism](epsilon=epsilon, window=window, sensitivity=1, **how)
            errors[i] += np.abs(one.start(rows.shape[1], noise.seeded(seed)).publish_all(rows) - rows).mean()
    return float(errors[0] / errors[1])


class TestErrors:
    """Cells in which an earlier version had 1.5 to 5.6 times the error of the other mechanism."""

    @pytest.mark.slow
    @each(
        ("name", "other", "epsilon", "window", "most"),
        [
            ("rough", "stream-uniform", 10.0, 10, 1.2),  # counts around levels that vary, far above noise
            ("trend", "stream-uniform", 10.0, 10, 1.2),  # and the interval where counts are Poisson variables
            ("large", "stream-kalman", 10.0, 100, 1.3),  # levels above the grid
            ("schedule", "stream-sample", 1.0, 10, 1.1),  # counts that hardly vary
            ("short", "stream-sample", 0.1, 100, 1.6),  # what the first sample spends
        ],
    )
    def test_are_near_those_of_the_mechanism_that_was_better(self, name, other, epsilon, window, most):
        assert by(name, other, epsilon, window) <= most

    def test_the_first_sample_is_held_without_a_bias(self):
        rows = np.full((8, 100), 5000)
        published = StreamShrink(epsilon=10.0, window=100, sensitivity=1).start(100, noise.seeded(1)).publish_all(rows)
        assert published[1:].mean() == pytest.approx(5000, rel=0.01)


class TestTable:
    def test_the_texts_state_what_the_page_has(self):
        rows = saved("stream-families")
        assert tuple(rows[0]) == FAMILY_COLUMNS
        within = []
        for error in ("ARE", "MAE"):
            better = [row["better"] for row in rows if row["error"] == error]
            assert len(better) == len(FAMILIES) * len(CELLS)
            within.append(better.count(""))
        counts = f"{within[0]} of 120 cells by ARE and {within[1]} of 120 by MAE"
        assert counts in " ".join((ROOT / "docs" / "results" / "papers.md").read_text().split())
        assert "sample" in StreamShrink.better_elsewhere
        assert "Kalman" in StreamShrink.better_elsewhere


@pytest.fixture
def store(tmp_path):
    """A set of which ours has an error of 0.9, other sound rows 1.0 and more, rows without a guarantee 0.5."""
    found = Store(tmp_path / "runs.jsonl")
    for epsilon in EPSILONS:
        for window in WINDOWS:
            for i, (row, mechanism) in enumerate(rows(epsilon, window).items()):
                value = 0.9 if row.startswith("shrink") else 0.5 if mechanism.unsound else 1.0 + 0.01 * i
                found.measured(("grid", "Set", epsilon, window, row), 2, lambda seed, v=value: [v, v + seed, 0.1, 0.2])
    return found


def test_a_run_that_was_interrupted_measures_nothing_twice(store):
    again = Store(store.path)
    assert again.found == store.found
    key = ("grid", "Set", 1.0, 100, "uniform")
    again.measured(key, 2, lambda seed: pytest.fail("measured again"))
    again.measured(key, 3, lambda seed: [1.0, 2.0, 0.0, 0.0])
    assert len(Store(store.path).found[key]) == 3


def test_ours_is_compared_with_the_best_sound_row(store):
    found = Measured(store)
    assert best_other(found, ARE, "Set", 1.0, 100) == "uniform"
    assert ratio(found, ARE, "Set", 1.0, 100) == pytest.approx(0.9)
    assert ratio(found, MAE, "Set", 1.0, 100) == pytest.approx(1.4 / 1.5)
    assert "| Set | 0.900 | 1.00 uniform | 0.900 | 0.900 (0.90) | 12 of 12 |" in shrink(found, ARE, ["Set"])
    assert beyond(found, ARE, ["Set"]) == "none"
    store.found["grid", "Set", 0.1, 20, "shrink relative"] = [[1.2, 1.0, 0.0, 0.0], [1.4, 1.0, 0.0, 0.0]]
    assert beyond(found, ARE, ["Set"]) == "Set (0.1, 20) 1.30 ± 0.10"


@pytest.fixture(scope="module")
def copies():
    return measured()


def test_the_page_has_what_is_measured(copies):
    """If not: python -m benchmarks.event_copies."""
    assert f"<!-- measured -->\n{tables(*copies)}\n<!-- /measured -->" in PAGE.read_text()


@pytest.mark.slow
@each(("verdict", "listed"), [("not found", NOT_FOUND), ("in part", FOUND_IN_PART)])
def test_the_list_of_what_is_not_found_is_complete(copies, verdict, listed):
    fixes, rest = copies
    assert [name for name, *_, decided in fixes + rest if decided == verdict] == list(listed)
