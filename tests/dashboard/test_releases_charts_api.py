"""Data of a release for the map and the charts."""

import json

import numpy as np
import pytest

from dashboard.landmarks.services import mark_landmarks
from dashboard.maps import track_encoding
from dashboard.releases import execution, files
from dashboard.releases.models import Release
from dashboard.releases.services import submit_release
from dashboard.storage import parquet
from dashboard.storage.data_files import read_release, write_release
from dashboard.storage.series_cache import line
from privacy_engine import data, geo
from privacy_engine.accounting.temporal import smoothing_matrix, temporal_loss
from privacy_engine.data import Trajectory
from privacy_engine.spec import ReleaseSpec
from tests.dashboard.api_helpers import RELEASES, UNIFORM, decode_track, first_error, refused, release_url
from tests.dashboard.release_runs import executed


class TestTrack:
    def test_decodes_to_what_was_published(self, owner_api, done):
        ((published, event),) = read_release("trajectory", done.data_path)
        found = decode_track(owner_api.get(release_url(done, "track"), {"series": 0}).content)
        assert [value / 1e7 for value in found["lon"]] == published.lon.tolist()
        assert [value / 1e7 for value in found["lat"]] == published.lat.tolist()
        assert [value / 1000 for value in found["time_ms"]] == published.time_s.tolist()
        assert found["event"] == event.tolist() == list(range(1, 8))

    def test_a_view_names_the_events_it_shows(self, owner_api, done):
        ((published, event),) = read_release("trajectory", done.data_path)
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
            assert decode_track(track_encoding.encode(line(path, 0)))["event"] == named

    def test_fail_no_such_series(self, owner_api, done):
        for series in ("1", "-1", "x", "١", "9" * 30):
            for name in ("track", "series"):
                answer = owner_api.get(release_url(done, name), {"series": series})
                assert refused(answer) == (400, "series"), (name, series)


class TestSeries:
    def test_is_the_engines_answer(self, owner_api, done):
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

    def test_a_gap_has_neither_error_nor_time(self, owner_api, done):
        found = owner_api.get(release_url(done, "series")).json()
        assert found["error_m"][0] is found["time_s"][0] is None
        assert np.mean(found["error_m"][1:]) == pytest.approx(done.owner_view["mae_m"], abs=0.01)

    def test_given_matrices(self, owner_api, done):
        query = {"backward": "[[0.8, 0.2], [0, 1]]", "forward": "[[0.5, 0.5], [0.1, 0.9]]", "diameter_m": "200"}
        found = owner_api.get(release_url(done, "series"), query).json()
        given = {name: json.loads(query[name]) for name in ("backward", "forward")}
        expected = temporal_loss(found["budget"], **given)
        assert found["loss"]["total"] == expected.total.tolist()
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

    def test_thinning_keeps_every_curves_extremes(self, owner, owner_api, make_dataset, submit):
        n = 30_000
        rng = np.random.default_rng(3)
        walk = np.cumsum(rng.normal(0, 1e-5, (2, n)), axis=1)
        long = make_dataset(owner, Trajectory(2 + walk[0], 48 + walk[1], np.arange(n)))
        marks = mark_landmarks(owner=owner, dataset=long, method={"name": "manual", "events": [5, 777]})
        body = {"dataset": str(long.pk), "landmark_set": str(marks.pk), "mechanism": UNIFORM}
        made = owner_api.post(RELEASES, body).json()
        execution.run(made["id"])
        found = owner_api.get(made["urls"]["series"], {"points": 500}).json()
        assert found["decimated"] is True
        assert len(found["event"]) <= 500
        assert found["event"] == sorted(set(found["event"]))
        assert (found["event"][0], found["event"][-1], found["points"]) == (0, n - 1, n)
        errors = parquet.read_columns(Release.objects.get(pk=made["id"]).errors_path)["error_m"]
        assert (min(found["error_m"]), max(found["error_m"])) == (errors.min(), errors.max())


class TestSecondSeries:
    """Of another length than the first, with landmarks of its own, and elsewhere."""

    @pytest.fixture
    def series(self, paris_day):
        first = Trajectory([13.0, 13.1, 13.2], [52.5, 52.5, 52.6], [0.0, 60.0, 120.0], name="first")
        return first, Trajectory(paris_day.lon, paris_day.lat, paris_day.time_s, name="second")

    @pytest.fixture
    def row(self, owner, make_dataset, series):
        dataset = make_dataset(owner, *series)
        marks = mark_landmarks(owner=owner, dataset=dataset, method={"name": "manual", "events": [4]})
        spec = ReleaseSpec.parse({"mechanism": UNIFORM | {"epsilon": 1.0}})
        return executed(submit_release(owner=owner, dataset=dataset, landmark_set=marks, spec=spec))

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
