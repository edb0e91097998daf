"""Landmark sets over the API and in races: every method, hostile descriptions; what marking and deleting keep."""

import io
import json
from functools import partial

import numpy as np
import pytest
from django.core.exceptions import PermissionDenied
from django.db import IntegrityError, transaction

from dashboard.core.errors import Conflict
from dashboard.datasets.models import Dataset
from dashboard.jobs.models import State
from dashboard.landmarks import selectors, services
from dashboard.landmarks.models import LandmarkSet
from dashboard.landmarks.services import mark_landmarks
from dashboard.maps import track_encoding
from dashboard.maps.series_cache import line
from dashboard.storage.data_files import read_data, read_release, series_index, write_data
from privacy_engine import errors, formats
from privacy_engine.data import Trajectory
from privacy_engine.formats.arrow import pq
from tests.dashboard.api_helpers import UNIFORM, first_error, refused, series_of
from tests.dashboard.conftest import upload
from tests.dashboard.release_runs import drawn

SETS = "/api/v1/landmark-sets/"
PREVIEW = f"{SETS}preview/"
PARIS = {"name": "manual", "events": [0, 2, 4, 7]}


class TestCreate:
    def test_answers_201_with_count_and_share(self, owner_api, ready_dataset):
        answer = owner_api.post(SETS, {"dataset": str(ready_dataset.pk), "method": PARIS, "name": "Home and work"})
        assert answer.status_code == 201
        made = answer.json()
        assert (made["count"], made["share"], made["points"]) == (4, 0.5, 8)
        assert (made["name"], made["method"], made["dataset"]) == ("Home and work", PARIS, str(ready_dataset.pk))
        assert owner_api.get(made["urls"]["self"]).json() == made
        assert owner_api.get(made["urls"]["events"]).json()["runs"] == [[0, 1], [2, 3], [4, 5], [7, 8]]
        for series in ("1", "-1", "x", "١"):
            assert refused(owner_api.get(made["urls"]["events"], {"series": series})) == (400, "series"), series
        ready_dataset.points_path.unlink()
        series_index.cache_clear()
        assert owner_api.get(made["urls"]["self"]).json() == made | {"average_temporal_distance": None}


class TestPreview:
    def test_answers_runs_and_stores_nothing(self, owner_api, ready_dataset):
        method = {"name": "manual", "events": [1, 2]}
        answer = owner_api.post(PREVIEW, {"dataset": str(ready_dataset.pk), "method": method})
        assert answer.status_code == 200
        assert answer.json() == {
            "count": 2, "share": 0.25, "points": 8, "runs": [[1, 3]], "average_temporal_distance": 10 / 6,
        }  # fmt: skip
        assert not LandmarkSet.objects.exists()


class TestDestroy:
    def test_fail_while_in_use_is_a_conflict(self, owner_api, submit):
        answer = owner_api.delete(f"{SETS}{submit().landmark_set_id}/")
        assert refused(answer) == (409, "landmark_set")
        assert first_error(answer)["message"].startswith("1 release uses")
        assert LandmarkSet.objects.exists()


class TestRename:
    def test_changes_the_name_alone_of_which_something_must_be_left(self, owner_api, landmark_set):
        for name in ("", " ", "\u202e", "x" * 201, None):
            assert refused(owner_api.patch(f"{SETS}{landmark_set.pk}/", {"name": name})) == (400, "name"), name
        assert LandmarkSet.objects.get().name == landmark_set.name
        at = f"{SETS}{landmark_set.pk}/"
        before = owner_api.get(at).json()
        answer = owner_api.patch(at, {"name": "Home\u202e and\nwork"})
        assert answer.status_code == 200
        assert answer.json() == before | {"name": "Home and work"}
        assert owner_api.get(at).json() == answer.json()


class TestDuplicate:
    def test_has_the_same_marks_under_another_name_and_is_no_other_draw(self, owner_api, landmark_set):
        one = owner_api.get(f"{SETS}{landmark_set.pk}/").json()
        answer = owner_api.post(one["urls"]["duplicate"], {})
        assert answer.status_code == 201
        made = answer.json()
        assert made["name"] == f"{landmark_set.name}, copy"
        same = ("dataset", "method", "count", "share", "points", "source", "selection", "average_temporal_distance")
        assert {name: made[name] for name in same} == {name: one[name] for name in same}
        assert owner_api.get(made["urls"]["events"]).json() == owner_api.get(one["urls"]["events"]).json()
        assert owner_api.delete(made["urls"]["self"]).status_code == 204
        assert owner_api.get(one["urls"]["self"]).json() == one
        assert owner_api.get(made["urls"]["self"]).status_code == 404
        coins = {"name": "dummies-one-sided", "epsilon": 1.0}
        drawn = services.add_dummies(owner=landmark_set.dataset.owner, landmark_set=landmark_set, method=coins)
        drawn = owner_api.get(f"{SETS}{drawn.pk}/").json()
        made = owner_api.post(drawn["urls"]["duplicate"], {"name": "Kept"}).json()
        assert (made["name"], made["selection"], made["source"]) == ("Kept", drawn["selection"], drawn["source"])
        assert owner_api.get(made["urls"]["events"]).json() == owner_api.get(drawn["urls"]["events"]).json()


def test_landmark_methods_describe_their_fields_and_needs(owner_api):
    found = {one["name"]: one for one in owner_api.get("/api/v1/landmark-methods/").json()["results"]}
    assert list(found)[:7] == ["stay-points", "zones", "schedule", "released-zones", "manual", "column", "synthetic"]
    assert found["stay-points"]["schema"]["properties"]["distance_m"]["maximum"] == 2.1e7
    needs = {"stay-points": ["time"], "schedule": ["time"], "column": ["landmark column"]}
    assert {name: one["needs"] for name, one in found.items() if one["needs"]} == needs
    json.dumps(found, allow_nan=False)


STAYS = {"name": "stay-points", "distance_m": 200.0, "duration_s": 1800.0}


class TestMark:
    def test_a_dataset_deleted_meanwhile_is_a_refusal(self, owner, owner_api, ready_dataset, monkeypatch):
        honest = services.preview_landmarks

        def slow(**requested):
            marked = honest(**requested)
            ready_dataset.delete()
            return marked

        monkeypatch.setattr(services, "preview_landmarks", slow)
        answer = owner_api.post("/api/v1/landmark-sets/", {"dataset": str(ready_dataset.pk), "method": PARIS})
        assert (answer.status_code, answer.json()["errors"][0]["field"]) == (409, "dataset")
        assert "deleted meanwhile" in answer.json()["errors"][0]["message"]

    def test_counts_events_over_all_series(self, owner, make_dataset, paris_day):
        two = make_dataset(owner, paris_day, paris_day)
        made = services.mark_landmarks(owner=owner, dataset=two, method={"name": "manual", "events": [1, 9]})
        assert selectors.events_of(made)["runs"] == [[1, 2], [9, 10]]
        assert selectors.events_of(made, series=1) == {
            "count": 1, "share": 0.125, "points": 8, "runs": [[1, 2]], "average_temporal_distance": 13 / 7,
        }  # fmt: skip

    def test_fail_without_times_and_of_a_person_else(self, owner, make_dataset, stranger_dataset):
        untimed = make_dataset(owner, Trajectory([2.0, 2.1], [48.0, 48.1]))
        with pytest.raises(errors.DataError, match="need times"):
            services.mark_landmarks(owner=owner, dataset=untimed, method=STAYS)
        with pytest.raises(PermissionDenied):
            services.mark_landmarks(owner=owner, dataset=stranger_dataset, method=PARIS)

    @pytest.mark.parametrize("state", [State.QUEUED, State.FAILED])
    def test_fail_dataset_not_ready_names_its_state(self, owner, ready_dataset, state):
        ready_dataset.state = state
        ready_dataset.finished_at = None if state == State.QUEUED else ready_dataset.finished_at
        ready_dataset.save()
        for call in (partial(services.mark_landmarks, owner=owner), services.preview_landmarks):
            with pytest.raises(Conflict, match=state):
                call(dataset=ready_dataset, method=PARIS)

    def test_fail_points_that_were_read_again_meanwhile(self, owner, ready_dataset):
        type(ready_dataset).objects.update(points_file="another.parquet")
        with pytest.raises(Conflict, match="read again meanwhile"):
            services.mark_landmarks(owner=owner, dataset=ready_dataset, method=PARIS)

    def test_deleted_meanwhile_and_more_landmarks_than_points(self, owner, ready_dataset):
        made = services.mark_landmarks(owner=owner, dataset=ready_dataset, method=PARIS, name=" Home\nand work ")
        assert made.name == "Home and work"
        with pytest.raises(IntegrityError), transaction.atomic():
            LandmarkSet.objects.filter(pk=made.pk).update(count=9)
        ready_dataset.delete()
        with pytest.raises(Conflict, match="deleted meanwhile"):
            services.delete_landmark_set(landmark_set=made)


DATASETS = "/api/v1/datasets/"
LOUVRE = {"type": "Circle", "center": [2.3376, 48.8606], "radius_m": 1000, "label": "Work"}
WEST = {"type": "Polygon", "coordinates": [[[2.30, 48.86], [2.32, 48.86], [2.32, 48.88], [2.30, 48.88], [2.30, 48.86]]]}
MARKED = b"user,time,lat,lon,is_landmark\n" + b"".join(
    b"%s,2024-06-15T10:3%d:00Z,52.%d,13.4,%s\n" % row
    for row in [(b"b", 3, 3, b"yes"), (b"a", 2, 2, b"no"), (b"b", 1, 1, b""), (b"a", 0, 0, b"yes"), (b"b", 2, 2, b"no")]
)


@pytest.fixture
def marked_dataset(owner_api):
    """Two series, their rows out of order, marked by the file."""
    answer = owner_api.post(DATASETS, {"file": upload(MARKED)}, format="multipart")
    assert answer.status_code == 201, answer.content
    return Dataset.objects.get(pk=answer.json()["id"])


class TestZones:
    def test_are_previewed_as_they_are_stored(self, owner_api, owner, ready_dataset, make_dataset, paris_day):
        method = {"name": "zones", "zones": [WEST, LOUVRE]}
        body = {"dataset": str(ready_dataset.pk), "method": method}
        found = owner_api.post(PREVIEW, body).json()
        made = owner_api.post(SETS, body)
        assert (made.status_code, made.json()["name"]) == (201, "2 zones")
        assert made.json()["method"] == LandmarkSet.objects.get().method == method
        assert found["runs"] == owner_api.get(made.json()["urls"]["events"]).json()["runs"] == [[0, 1], [2, 4], [7, 8]]
        two = make_dataset(owner, paris_day, paris_day)  # of many series they are counted over the dataset
        answer = owner_api.post(PREVIEW, {"dataset": str(two.pk), "method": {"name": "zones", "zones": [WEST]}})
        assert answer.json()["runs"] == [[0, 1], [7, 9], [15, 16]]


CROSSING = {"type": "Polygon", "coordinates": [[[0, 0], [2, 1], [2, 0], [0, 2], [0, 0]]]}
HOSTILE = {
    "no such event": ({"name": "manual", "events": [8]}, "method.events"),
    "no whole number": ({"name": "manual", "events": [True]}, "method.events.0"),
    "a parameter more": ({"name": "manual", "events": [0], "more": 1}, "method.more"),
    "no such method": ({"name": "guess"}, "method.name"),
    "no object": ([], "method"),
    "crossing": ({"name": "zones", "zones": [WEST, CROSSING]}, "method.zones.1.coordinates"),
    "unknown shape": ({"name": "zones", "zones": [{"type": "Blob"}]}, "method.zones.0.type"),
    "deep shape": ({"name": "zones", "zones": [{"type": [[[[[]]]]]}]}, "method.zones.0.type"),
    "no zones": ({"name": "zones"}, "method.zones"),
    "text": ({"name": "zones", "zones": "x"}, "method.zones"),
    "text in a ring": (
        {"name": "zones", "zones": [{"type": "Polygon", "coordinates": [[["a", "b"]] * 4]}]},
        "method.zones.0.coordinates.0.0.0",
    ),
    "many zones": ({"name": "zones", "zones": [LOUVRE] * 501}, "method.zones"),
    "many corners": (
        {"name": "zones", "zones": [{"type": "Polygon", "coordinates": [[[0, 1]] * 100_001]}]},
        "method.zones",
    ),
    "many wrong events": ({"name": "manual", "events": ["x"] * 400_000}, "method.events.0"),
    "share": ({"name": "synthetic", "share": 2, "seed": 1}, "method.share"),
    "seedless": ({"name": "synthetic", "share": 0.2}, "method.seed"),
    "distribution": ({"name": "synthetic", "share": 0.2, "seed": 1, "distribution": {}}, "method.distribution"),
    "column with more": ({"name": "column", "of": "landmark"}, "method.of"),
    "column of a dataset without": ({"name": "column"}, "method.name"),
    "nul": ({"name": "zones", "zones": [LOUVRE | {"label": "\0"}]}, "method.zones.0.label"),
}


class TestHostileDescriptions:
    @pytest.mark.parametrize("why", HOSTILE)
    def test_fail_names_the_field_and_keeps_nothing(self, owner_api, ready_dataset, why):
        method, field = HOSTILE[why]
        for url in (SETS, PREVIEW):
            answer = owner_api.post(url, {"dataset": str(ready_dataset.pk), "method": method})
            assert refused(answer) == (400, field)
            assert first_error(answer)["rule"]
            assert len(answer.content) < 3000
        assert not LandmarkSet.objects.exists()

    def test_fail_nesting_of_any_depth(self, owner_api, ready_dataset):
        for depth in (5, 100, 300, 600, 800, 900, 950, 1000, 5000):
            nested = "[" * depth + "]" * depth
            for name in (nested, (f'"zones", "zones": [{{"type": "Polygon", "coordinates": {nested}}}]')):
                body = f'{{"dataset": "{ready_dataset.pk}", "method": {{"name": {name}}}}}'
                answer = owner_api.post(PREVIEW, body, content_type="application/json")
                assert (answer.status_code, bool(answer.json()["errors"])) == (400, True), (depth, name[:9])


class TestSynthetic:
    def test_the_same_seed_marks_the_same_events(self, owner_api, ready_dataset):
        method = {"name": "synthetic", "share": 0.5, "distribution": "bimodal", "scale_divisor": 4, "seed": 7}
        body = {"dataset": str(ready_dataset.pk), "method": method}
        one, two = owner_api.post(PREVIEW, body).json(), owner_api.post(PREVIEW, body).json()
        assert (one["count"], one) == (4, two)
        assert owner_api.post(SETS, body).json()["name"] == "random 50 %, bimodal, seed 7"


class TestAverageTemporalDistance:
    def test_is_in_report_and_preview_and_of_each_series(self, owner_api, landmark_set, owner, make_dataset):
        reported = owner_api.get(f"{SETS}{landmark_set.pk}/").json()
        assert reported["average_temporal_distance"] == 1.0  # events 1, 3, 5 and 6 are each beside a landmark
        body = {"dataset": reported["dataset"], "method": reported["method"]}
        assert owner_api.post(PREVIEW, body).json()["average_temporal_distance"] == 1.0
        assert "average_temporal_distance" not in owner_api.get(SETS).json()["results"][0]
        long, short = Trajectory([0.0] * 5, [0.0] * 5), Trajectory([0.0], [0.0])
        both = make_dataset(owner, long, short)
        made = mark_landmarks(owner=owner, dataset=both, method={"name": "manual", "events": [1]})
        assert owner_api.get(f"{SETS}{made.pk}/").json()["average_temporal_distance"] == (1 + 1 + 2 + 1 + 1) / 5


class TestColumn:
    def test_marks_have_the_order_of_events_are_left_out_and_brought_back(self, owner_api, marked_dataset, tmp_path):
        read, me = f"{DATASETS}{marked_dataset.pk}/read/", f"{DATASETS}{marked_dataset.pk}/"
        for landmark, has in (("#0", False), ("is_landmark", True), ("", True)):
            reported = owner_api.post(read, {"landmark": landmark}).json()
            assert reported["has_landmark_column"] is owner_api.get(me).json()["has_landmark_column"] is has
            preview = owner_api.post(PREVIEW, {"dataset": reported["id"], "method": {"name": "column"}})
            assert preview.status_code == (200 if has else 400)
        marked_dataset.refresh_from_db()
        reported = owner_api.get(f"{DATASETS}{marked_dataset.pk}/").json()
        assert reported["has_landmark_column"] is True
        assert [one["name"] for one in series_of(owner_api, reported)] == ["b", "a"]
        stored = read_data("trajectory", marked_dataset.points_path)
        assert [one.marked.tolist() for one in stored] == [[False, False, True], [True, False]]
        write_data("trajectory", tmp_path / "plain", [Trajectory(one.lon, one.lat, one.time_s) for one in stored])
        on_map = [track_encoding.encode(line(path, 0)) for path in (marked_dataset.points_path, tmp_path / "plain")]
        assert on_map[0] == on_map[1], "the map is reported nothing of it"
        answer = owner_api.post(SETS, {"dataset": reported["id"], "method": {"name": "column"}})
        assert answer.json()["name"] == "marked in the file"
        assert owner_api.get(answer.json()["urls"]["events"]).json()["runs"] == [[2, 4]]

    def test_pages_have_it_and_it_gives_no_new_budget(self, owner_page, marked_dataset, owner_api):
        assert 'name="landmark"' in owner_page.get("/").content.decode()
        assert "Landmarks</abbr></dt><dd>2</dd>" in owner_page.get(f"/datasets/{marked_dataset.pk}/").content.decode()
        other = owner_api.post(DATASETS, {"file": upload(MARKED), "landmark": "#0"}, format="multipart").json()
        assert other["content_digest"] == marked_dataset.content_digest

    def test_no_release_file_track_or_download_carries_it(self, owner, owner_api, marked_dataset):
        release = drawn(owner, marked_dataset, mechanism=UNIFORM | {"name": "landmark-skip"}, method={"name": "column"})
        assert pq.read_schema(release.data_path).names == ["series", "lon", "lat", "time_ms", "event"]
        assert all(one.marked is None for one, _ in read_release("trajectory", release.data_path))
        for fmt in ("csv", "geojson", "gpx", "parquet"):
            answer = owner_api.get(f"/api/v1/releases/{release.pk}/data/", {"format": fmt})
            assert answer.status_code == 200, answer.content
            again = formats.read(io.BytesIO(b"".join(answer.streaming_content)), name=f"x.{fmt}")
            assert all(one.marked is None for one in again.series)

    def test_a_file_is_written_and_read_back_with_and_without(self, tmp_path):
        marked = Trajectory([1, 2], [1, 2], [0, 1], "a", np.array([True, False]))
        plain = Trajectory([3], [3], [2], "b")
        write_data("trajectory", tmp_path / "both", [marked, plain])
        assert [one.marked.tolist() for one in read_data("trajectory", tmp_path / "both")] == [[True, False], [False]]
        write_data("trajectory", tmp_path / "plain", [plain])
        assert read_data("trajectory", tmp_path / "plain")[0].marked is None
