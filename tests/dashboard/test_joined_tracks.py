"""All series of a dataset or a release at once: pieces in order, reduced to a number of points, for the owner alone."""

import numpy as np
import pytest

from dashboard.landmarks.services import mark_landmarks
from dashboard.maps import joined_tracks
from dashboard.releases.models import Release
from dashboard.releases.services import submit_release
from dashboard.storage.series_cache import Line
from privacy_engine import geo, line_simplification
from privacy_engine.data import Trajectory
from privacy_engine.spec import ReleaseSpec
from tests.browser.jobs import run_jobs
from tests.dashboard.api_helpers import UNIFORM, decode_track, first_error, refused, release_url

URL = "/api/v1/datasets/"


def lines(*lengths):
    rng = np.random.default_rng(5)
    walks = [rng.normal(0, 1e4, (2, n)).cumsum(axis=1).astype(np.int32) for n in lengths]
    return [Line(lon, lat, line_simplification.heights(lat)) for lon, lat in walks]


@pytest.fixture
def three(owner, make_dataset):
    return make_dataset(
        owner,
        Trajectory([0, 1, 2], [0, 1, 0], [0, 1, 2], name="a"),
        Trajectory([5], [6], [7], name="b"),
        Trajectory([1, 2], [3, 4], [5, 6], name="c"),
    )


class TestAnswers:
    def test_each_series_is_a_piece_whose_events_go_on(self, owner_api, three):
        found = decode_track(owner_api.get(f"{URL}{three.pk}/tracks/").content)
        assert [value / 1e7 for value in found["lon"]] == [0, 1, 2, 5, 1, 2]
        assert (found["event"], found["ends"], found["time_ms"]) == ([0, 1, 2, 3, 4, 5], [3, 4, 6], [])
        assert owner_api.get(f"{URL}{three.pk}/").json()["urls"]["tracks"] == f"{URL}{three.pk}/tracks/"

    def test_events_of_a_release_are_those_of_its_dataset(self, owner, owner_api, three):
        marks = mark_landmarks(owner=owner, dataset=three, method={"name": "manual", "events": [0, 4]})
        spec = ReleaseSpec.parse({"mechanism": {**UNIFORM, "name": "landmark-skip"}, "seed": 1})
        made = submit_release(owner=owner, dataset=three, landmark_set=marks, spec=spec)
        run_jobs()
        row = Release.objects.get(pk=made.pk)
        found = decode_track(owner_api.get(release_url(row, "tracks")).content)
        parts = [decode_track(owner_api.get(release_url(row, "track"), {"series": k}).content) for k in range(3)]
        assert found["lon"] == [value for part in parts for value in part["lon"]]
        assert found["ends"] == np.cumsum([len(part["lon"]) for part in parts]).tolist()
        expected = [
            first + event
            for part, first in zip(parts, (0, 3, 4), strict=True)
            for event in (part["event"] or range(len(part["lon"])))
        ]
        assert found["event"] == expected

    def test_fail_names_the_wrong_parameter(self, owner_api, three):
        for field, value in (("points", "999"), ("points", "400001"), ("points", "x"), ("reduce", "all")):
            assert refused(owner_api.get(f"{URL}{three.pk}/tracks/", {field: value})) == (400, field), value


class TestReduction:
    @pytest.mark.parametrize("reduce", joined_tracks.REDUCE)
    def test_keeps_at_most_the_points_and_every_series(self, reduce):
        made = lines(3000, 1, 40, 5000)
        found = decode_track(joined_tracks.encode(made, [3000, 1, 40, 5000], points=1000, reduce=reduce))
        assert 800 <= len(found["lon"]) <= 1000 + 2 * len(made)
        assert np.diff([0, *found["ends"]]).min() >= 1
        at = dict(zip(found["event"], found["lon"], strict=True))
        whole = np.concatenate([one.lon for one in made])
        assert all(whole[event] == place for event, place in at.items())

    def test_a_line_keeps_its_ends_and_lies_near(self):
        (one,) = lines(20_000)
        found = decode_track(joined_tracks.encode([one], [20_000], points=2000, reduce="line"))
        assert (found["event"][0], found["event"][-1]) == (0, 19_999)
        near = np.interp(np.arange(20_000), found["event"], found["lon"])
        sampled = decode_track(joined_tracks.encode([one], [20_000], points=2000, reduce="sample"))
        away = np.interp(np.arange(20_000), sampled["event"], sampled["lon"])
        assert np.abs(near - one.lon).max() < np.abs(away - one.lon).max()


class TestSteps:
    """The facts of the steps of one series, or of all: what the page of the dataset shows."""

    def test_of_all_series_and_of_one(self, owner_api, three):
        url = owner_api.get(f"{URL}{three.pk}/").json()["urls"]["steps"]
        everything = owner_api.get(url).json()
        assert (everything["median_s"], everything["gap_s"], everything["gap_share"]) == (1, 10, 0)
        one = owner_api.get(url, {"series": 2}).json()
        assert one["median_m"] == pytest.approx(float(geo.distance_m(1, 3, 2, 4)))
        assert set(owner_api.get(url, {"series": 1}).json().values()) == {None}, "one event has no step"
        answer = owner_api.get(url, {"series": 3})
        message = "series must be between 0 and 2, got 3"
        assert (answer.status_code, first_error(answer)["message"]) == (400, message)
