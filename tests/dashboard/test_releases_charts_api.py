"""Data of a release for the map and the charts; errors, and mean error against ε, equal to a computation in numpy."""

import json

import numpy as np
import pytest

from dashboard.landmarks.services import mark_landmarks
from dashboard.maps import series_cache, track_encoding
from dashboard.releases import files
from dashboard.releases.models import Release
from dashboard.storage import parquet
from dashboard.storage.data_files import read_release, write_release
from privacy_engine import data
from privacy_engine.accounting.temporal import smoothing_matrix, temporal_loss
from privacy_engine.analysis import error_curves, simulation, tradeoff
from privacy_engine.core import geo
from privacy_engine.data import LandmarkSet, Trajectory
from privacy_engine.mechanisms.base import mechanism
from tests.dashboard.api_helpers import (
    RELEASES,
    UNIFORM,
    decode_track,
    every_described,
    first_error,
    refused,
    release_url,
)
from tests.dashboard.release_runs import drawn


class TestTrack:
    def test_decodes_to_what_was_published_and_a_view_names_its_events(self, owner_api, done):
        ((published, event),) = read_release("trajectory", done.data_path)
        found = decode_track(owner_api.get(release_url(done, "track"), {"series": 0}).content)
        assert [value / 1e7 for value in found["lon"]] == published.lon.tolist()
        assert [value / 1e7 for value in found["lat"]] == published.lat.tolist()
        assert [value / 1000 for value in found["time_ms"]] == published.time_s.tolist()
        assert found["event"] == event.tolist() == list(range(1, 8))
        view = {"west": -180, "north": 85, "width": 8192, "height": 8192, "zoom": 5, "middle": 0}
        found = decode_track(owner_api.get(release_url(done, "track"), {"series": 0, **view}).content)
        assert found["ends"] == [len(found["event"])]
        assert set(found["event"]) <= set(event.tolist())
        places = dict(zip(event.tolist(), published.lon.tolist(), strict=True))
        quarter = 360 / (256 * 2**5) / 4  # of a pixel
        expected = [places[one] for one in found["event"]]
        assert np.abs(np.array(found["lon"]) / 1e7 - expected).max() <= quarter / 2

    def test_events_are_not_named_where_none_is_left_out(self, owner_api, owner, tmp_path):
        whole = Trajectory([1, 2], [3, 4])
        for event, named in (([0, 1], []), ([0, 2], [0, 2])):
            path, budgets = tmp_path / f"{event}.parquet", np.ones(2)
            write_release("trajectory", path, [data.Release(whole, np.array(event), budgets, budgets > 0, budgets)])
            assert decode_track(track_encoding.encode(series_cache.line(path, 0)))["event"] == named


class TestSeries:
    def test_is_the_engines_answer_for_named_and_given_matrices(self, owner_api, done):
        found = owner_api.get(release_url(done, "series"), {"s": "0.01", "n": "5", "diameter_m": "200"}).json()
        budgets = np.array([0, 1, 0, 1, 0, 1, 1, 0.0])
        matrix = smoothing_matrix(5, 0.01)
        loss = temporal_loss(budgets, backward=matrix, forward=matrix)
        assert found["event"] == list(range(8))
        assert found["budget"] == budgets.tolist()
        for name in ("backward", "forward", "total"):
            assert found["loss"][name] == getattr(loss, name).tolist()
        assert (found["loss"]["s"], found["loss"]["n"]) == (0.01, 5)
        assert found["landmarks"] == [[0, 1], [2, 3], [4, 5], [7, 8]]
        assert found["decimated"] is False
        found = owner_api.get(release_url(done, "series")).json()
        assert found["error_m"][0] is found["time_s"][0] is None
        assert np.mean(found["error_m"][1:]) == pytest.approx(done.owner_view["mae_m"], abs=0.01)
        query = {"backward": "[[0.8, 0.2], [0, 1]]", "forward": "[[0.5, 0.5], [0.1, 0.9]]", "diameter_m": "200"}
        found = owner_api.get(release_url(done, "series"), query).json()
        given = {name: json.loads(query[name]) for name in ("backward", "forward")}
        assert found["loss"]["total"] == temporal_loss(found["budget"], **given).total.tolist()
        assert found["loss"]["backward_matrix"] == [[0.8, 0.2], [0.0, 1.0]]
        assert found["loss"]["s"] is None
        query.pop("forward")  # one matrix alone leaves the other direction without correlation
        found = owner_api.get(release_url(done, "series"), query).json()
        assert found["loss"]["forward"] == found["budget"]

    def test_fail_out_of_domain_names_the_field(self, owner_api, done):
        for field, values in {
            "s": ["-1", "nan", "inf", "1e308", "١", "1_0"],
            "n": ["0", "401", "2.5", "9" * 400],
            "points": ["0", "1000000"],
            "backward": [
                *("x", "[]", "[[1, 0]]", "[[1, 0], [0.5, 0.6]]", "[[-1, 2], [0, 1]]", "[[NaN, 1], [0, 1]]"),
                *("[[true]]", '[["1"]]', "[[1e400]]", f"[[{'9' * 400}]]"),
            ],
            "forward": ["[" * 20_000, "[" + "1," * 40_000 + "1]"],
        }.items():
            for value in values:
                answer = owner_api.get(release_url(done, "series"), {field: value})
                assert refused(answer) == (400, field), value[:40]
                assert first_error(answer)["rule"]

    def test_thinning_keeps_every_curves_extremes(self, owner, owner_api, make_dataset):
        n = 30_000
        walk = np.cumsum(np.random.default_rng(3).normal(0, 1e-5, (2, n)), axis=1)
        row = drawn(owner, make_dataset(owner, Trajectory(2 + walk[0], 48 + walk[1], np.arange(n))), [5, 777])
        found = owner_api.get(release_url(row, "series"), {"points": 500}).json()
        assert found["decimated"] is True
        assert len(found["event"]) <= 500
        assert found["event"] == sorted(set(found["event"]))
        assert (found["event"][0], found["event"][-1], found["points"]) == (0, n - 1, n)
        errors = parquet.read_table(row.errors_path)["error_mm"].to_numpy() / 1000
        assert (min(found["error_m"]), max(found["error_m"])) == (errors.min(), errors.max())


class TestSecondSeries:
    """Of another length than the first, with landmarks of its own, and elsewhere."""

    @pytest.fixture
    def series(self, paris_day):
        first = Trajectory([13.0, 13.1, 13.2], [52.5, 52.5, 52.6], [0.0, 60.0, 120.0], name="first")
        return first, Trajectory(paris_day.lon, paris_day.lat, paris_day.time_s, name="second")

    @pytest.fixture
    def row(self, owner, make_dataset, series):
        return drawn(owner, make_dataset(owner, *series), [4])

    def test_errors_are_distances_from_its_own_events_and_budgets_its_own(self, owner_api, row, series):
        for number, budget in enumerate(([1.0] * 3, [0.5] * 8)):
            found, truth = files.read_curves(row, number), series[number]
            published, event = read_release("trajectory", row.data_path)[number]
            expected = geo.distance_m(truth.lon[event], truth.lat[event], published.lon, published.lat)
            np.testing.assert_allclose(found.error_m[event], expected, atol=6e-4)  # stored in mm
            assert len(found.error_m) == len(truth)
            assert found.budget.tolist() == budget
        charts = [
            owner_api.get(release_url(row, "errors"), {"series": number, "points": 100}).json() for number in (0, 1)
        ]
        assert charts[0] != charts[1]


CURVE = f"{RELEASES}curve/"
SKIP = {"name": "landmark-skip", "epsilon": 1.0, "radius_m": 200.0}


@pytest.fixture
def walk():
    steps = np.cumsum(np.random.default_rng(5).normal(0, 1e-4, (2, 3000)), axis=1)
    return Trajectory(2 + steps[0], 48 + steps[1], np.arange(3000))


@pytest.fixture
def long(owner, make_dataset, walk):
    """A landmark set of every seventh of 3,000 events."""
    row = make_dataset(owner, walk)
    return mark_landmarks(owner=owner, dataset=row, method={"name": "manual", "events": list(range(0, 3000, 7))})


@pytest.fixture
def preview(owner_api, landmark_set):
    """``preview(mechanism, …, seed=…)``: the answer over the owner's day, or over ``landmarks``."""

    def post(*requested, landmarks=landmark_set, **more):
        return owner_api.post(CURVE, {"landmark_set": str(landmarks.pk), "mechanisms": list(requested)} | more)

    return post


class TestDistribution:
    @pytest.mark.parametrize("n", [1, 2, 399, 400, 401, 12_345])
    def test_every_point_is_an_exact_quantile(self, n):
        errors = np.random.default_rng(n).lognormal(5, 2, n)
        found = error_curves.distribution(errors).model_dump()
        between = np.array(found["share"]) - 0.5 / n  # on the step itself numpy's product may round past it
        assert found["error_m"] == np.quantile(errors, between, method="inverted_cdf").tolist()
        assert found["share"] == [np.mean(errors <= one) for one in found["error_m"]]
        assert len(found["share"]) == min(n, error_curves.QUANTILES)
        assert (found["error_m"][0], found["error_m"][-1]) == (errors.min(), errors.max())
        assert (found["n"], found["mean_m"]) == (n, pytest.approx(errors.mean(), rel=1e-12))
        nothing = {"n": 0, "mean_m": None, "share": [], "error_m": []}
        assert error_curves.distribution(np.full(3, np.nan)).model_dump() == nothing

    def test_running_mean_and_sum_leave_out_gaps_and_others(self):
        error_m = np.array([np.nan, 4.0, 2.0, np.nan, 9.0])
        mask = np.array([True, False, True, True, True])
        for found, expected in (
            (error_curves.running(error_m, mask)[0], [np.nan, np.nan, 2.0, 2.0, 5.5]),
            (error_curves.running(error_m, np.ones(5, bool))[1], [np.nan, 4.0, 6.0, 6.0, 15.0]),
            (error_curves.running(error_m, mask)[1], [np.nan, np.nan, 2.0, 2.0, 11.0]),
        ):
            assert np.array_equal(found, expected, equal_nan=True)


class TestEventRange:
    """A part of the events, reported closer: its numbers are those of the whole series."""

    def test_of_errors_and_curves(self, owner_api, done):
        def both(name, query):
            queries = query, query | {"first": 2, "after": 6}
            return [owner_api.get(release_url(done, name), one).json() for one in queries]

        whole, part = both("errors", {})
        assert (part["event"], part["decimated"]) == ([2, 3, 4, 5], False)
        for name in ("all", "landmarks", "others"):
            for key in ("running_mean_m", "cumulative_m"):
                assert part[name][key] == whole[name][key][2:6]
            assert part[name]["share"] == whole[name]["share"]
        whole, part = both("series", {"diameter_m": 200})
        assert (part["event"], part["points"]) == ([2, 3, 4, 5], 8)
        assert (part["error_m"], part["budget"]) == (whole["error_m"][2:6], whole["budget"][2:6])
        assert part["loss"]["total"] == whole["loss"]["total"][2:6]
        assert part["landmark"]["joint"] == whole["landmark"]["joint"][2:6]

    def test_fail_out_of_domain_names_the_field(self, owner_api, done):
        ranges = [("first", {"first": 8}), ("first", {"first": -1}), ("after", {"first": 3, "after": 3})]
        alone = [("series", {"series": "1"}), ("series", {"series": "x"}), ("points", {"points": "5"})]
        alone += [("series", {"series": one}) for one in ("-1", "١", "9" * 30)]
        cases = [("errors", *one) for one in ranges + alone] + [("series", *one) for one in ranges]
        for name, field, query in cases + [("track", *one) for one in alone if one[0] == "series"]:
            answer = owner_api.get(release_url(done, name), query)
            assert refused(answer) == (400, field), (name, query)
            assert first_error(answer)["rule"]


class TestErrors:
    def test_is_what_the_stored_errors_state(self, owner_api, done):
        stored = parquet.read_table(done.errors_path)["error_mm"].to_numpy() / 1000  # event 0 is a gap
        found = owner_api.get(release_url(done, "errors")).json()
        full = np.concatenate([[np.nan], stored])
        for name, events in {"all": range(8), "landmarks": [0, 2, 4, 7], "others": [1, 3, 5, 6]}.items():
            errors = full[list(events)]
            errors = errors[~np.isnan(errors)]
            assert found[name]["n"] == len(errors)
            assert found[name]["error_m"] == sorted(errors.tolist())
            assert found[name]["running_mean_m"][-1] == pytest.approx(errors.mean())
        assert found["event"] == list(range(8))
        assert found["all"]["running_mean_m"][0] is None
        assert found["all"]["running_mean_m"][1:] == pytest.approx((np.cumsum(stored) / np.arange(1, 8)).tolist())
        assert found["all"]["mean_m"] == pytest.approx(done.owner_view["mae_m"], abs=1e-3)


class TestCurve:
    @pytest.mark.parametrize("seed", [0, 7])
    def test_is_the_simulation_bit_for_bit(self, preview, paris_day, landmark_set, seed):
        found = preview(UNIFORM, SKIP | {"epsilon": 3.0}, seed=seed).json()
        marks = LandmarkSet(landmark_set.mask)
        for requested, curve in zip([UNIFORM, SKIP | {"epsilon": 3.0}], found["mechanisms"], strict=True):
            assert curve["epsilon"] == pytest.approx([requested["epsilon"] * one for one in tradeoff.FACTORS])
            at_levels = [mechanism.mechanisms.parse(requested | {"epsilon": level}) for level in curve["epsilon"]]
            expected = simulation.simulate(at_levels, paris_day, [marks], seed=seed, repetitions=20).errors_m[:, 0]
            assert curve["mean_m"] == expected.mean(axis=1).tolist()
            assert [curve["low_m"], curve["high_m"]] == np.quantile(expected, [0.05, 0.95], axis=1).tolist()
        assert (found["events"], found["points"], found["landmarks"]) == (8, 8, 4)

    def test_levels_are_round_and_every_mechanism_has_one_or_states_why_not(self, preview):
        (found,) = preview(UNIFORM | {"epsilon": 5000.0}).json()["mechanisms"]
        assert found["epsilon"] == [500.0, 1000.0, 1500.0, 2500.0, 5000.0, 10000.0]
        for one in preview(*every_described()).json()["mechanisms"]:
            assert bool(one["epsilon"]) != bool(one["why_not"])
            assert len(one["mean_m"]) == len(one["low_m"]) == len(one["high_m"]) == len(one["epsilon"])

    def test_a_long_series_is_cut_and_it_states_it(self, preview, long, walk, monkeypatch):
        monkeypatch.setattr(tradeoff, "MOST_EVENTS", 1000)
        found = preview(SKIP, landmarks=long).json()
        assert (found["events"], found["points"], found["landmarks"]) == (1000, 3000, 143)
        level = mechanism.mechanisms.parse(SKIP | {"epsilon": 0.1})
        first = Trajectory(walk.lon[:1000].round(7), walk.lat[:1000].round(7))
        marks = LandmarkSet(np.arange(1000) % 7 == 0)
        expected = simulation.simulate([level], first, [marks], seed=0, repetitions=20).errors_m[0, 0]
        assert found["mechanisms"][0]["mean_m"][0] == expected.mean()

    def test_work_is_bounded_however_many_are_requested(self):
        for count in range(1, 21):
            events = tradeoff.affordable(10**6, count)
            assert events * count * len(tradeoff.FACTORS) * tradeoff.REPETITIONS <= tradeoff.MOST_DRAWS
        assert tradeoff.affordable(10**6, 3) == tradeoff.MOST_EVENTS
        assert tradeoff.affordable(8, 20) == 8

    def test_fail_out_of_domain_names_the_field_and_nothing_is_stored(self, preview):
        for more, field in (
            ({"series": 1}, "series"),
            ({"seed": -1}, "seed"),
            ({"mechanisms": []}, "mechanisms"),
            ({"mechanisms": [UNIFORM | {"epsilon": 0}]}, "mechanisms.0.epsilon"),
        ):
            assert refused(preview(UNIFORM, **more)) == (400, field)
        answer = preview(UNIFORM)
        assert answer.headers["Cache-Control"] == "private, no-store"
        assert "never for publication" in answer.json()["note"]
        assert not Release.objects.exists()
