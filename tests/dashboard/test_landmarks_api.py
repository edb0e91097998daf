"""Landmark sets over the API and in races: shapes and errors; what marking, previewing and deleting keep."""

import json
import time
from functools import partial

import numpy as np
import pytest
from django.core.exceptions import PermissionDenied
from django.db import IntegrityError, transaction

from dashboard.core.errors import Conflict
from dashboard.jobs.models import State
from dashboard.landmarks import selectors, services
from dashboard.landmarks.dummy_landmarks import add_dummies
from dashboard.landmarks.models import LandmarkSet
from dashboard.storage.data_files import read_data
from privacy_engine.data import Trajectory
from privacy_engine.errors import DataError
from privacy_engine.landmarks import StayPoints
from tests.dashboard.api_helpers import first_error, refused

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

    @pytest.mark.parametrize(
        ("method", "field", "rule"),
        [
            ({"name": "manual", "events": [8]}, "method.events", "0..7"),
            ({"name": "manual", "events": [-1]}, "method.events.0", "must be at least 0"),
            ({"name": "manual", "events": [True]}, "method.events.0", "must be a whole number"),
            ({"name": "manual"}, "method.events", "is required"),
            ({"name": "manual", "events": [0], "more": 1}, "method.more", "is not a parameter here"),
            ({"name": "stay-points", "distance_m": 1, "duration_s": -1}, "method.duration_s", "at least 0"),
            ({"name": "stay-points", "distance_m": "١", "duration_s": 1}, "method.distance_m", "must be a number"),
            ({"name": "guess"}, "method.name", "one of stay-points, zones, schedule, released-zones"),
            ([], "method", "object"),
        ],
    )
    def test_fail_names_field_and_rule(self, owner_api, ready_dataset, method, field, rule):
        for url in (SETS, PREVIEW):
            answer = owner_api.post(url, {"dataset": str(ready_dataset.pk), "method": method})
            assert refused(answer) == (400, field)
            assert rule in first_error(answer)["rule"]
            assert field.removeprefix("method.") in first_error(answer)["message"]
        assert not LandmarkSet.objects.exists()

    def test_fail_number_that_is_not_finite(self, owner_api, ready_dataset):
        body = '{"dataset": "%s", "method": {"name": "stay-points", "distance_m": %s, "duration_s": 1}}'
        for number in ("NaN", "Infinity", "1e999"):
            answer = owner_api.post(SETS, body % (ready_dataset.pk, number), content_type="application/json")
            error = first_error(answer)
            expected = (400, "method.distance_m", "must be a finite number")
            assert (answer.status_code, error["field"], error["rule"]) == expected, number

    def test_fail_broken_body_is_the_clients_fault(self, owner_api):
        for body in (
            "[" * 100_000,
            '{"dataset"',
            b"\xff",
            '"\\ud800"',
            '{"name": "\\udc00"}',
            "9" * 5000,
            "null",
            "[]",
        ):
            answer = owner_api.post(SETS, body, content_type="application/json")
            assert (answer.status_code, bool(answer.json()["errors"])) == (400, True), body[:20]


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
    def test_changes_the_name_alone(self, owner_api, landmark_set):
        at = f"{SETS}{landmark_set.pk}/"
        before = owner_api.get(at).json()
        answer = owner_api.patch(at, {"name": "Home\u202e and\nwork"})
        assert answer.status_code == 200
        assert answer.json() == before | {"name": "Home and work"}
        assert owner_api.get(at).json() == answer.json()

    def test_fail_nothing_is_left_of_the_name(self, owner_api, landmark_set):
        for name in ("", " ", "\u202e", "x" * 201, None):
            assert refused(owner_api.patch(f"{SETS}{landmark_set.pk}/", {"name": name})) == (400, "name"), name
        assert LandmarkSet.objects.get().name == landmark_set.name


class TestDuplicate:
    def test_has_the_same_marks_under_another_name(self, owner_api, landmark_set):
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

    def test_of_dummies_is_no_other_draw(self, owner_api, landmark_set):
        coins = {"name": "dummies-one-sided", "epsilon": 1.0}
        drawn = add_dummies(owner=landmark_set.dataset.owner, landmark_set=landmark_set, method=coins)
        drawn = owner_api.get(f"{SETS}{drawn.pk}/").json()
        made = owner_api.post(drawn["urls"]["duplicate"], {"name": "Kept"}).json()
        assert (made["name"], made["selection"], made["source"]) == ("Kept", drawn["selection"], drawn["source"])
        assert owner_api.get(made["urls"]["events"]).json() == owner_api.get(drawn["urls"]["events"]).json()


def test_landmark_methods_describe_their_fields_and_needs(owner_api):
    found = {one["name"]: one for one in owner_api.get("/api/v1/landmark-methods/").json()["results"]}
    assert list(found) == ["stay-points", "zones", "schedule", "released-zones", "manual", "column", "synthetic"]
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
        body = {"dataset": str(ready_dataset.pk), "method": PARIS}
        answer = owner_api.post("/api/v1/landmark-sets/", body)
        assert (answer.status_code, answer.json()["errors"][0]["field"]) == (409, "dataset")
        assert "deleted meanwhile" in answer.json()["errors"][0]["message"]

    def test_counts_events_over_all_series(self, owner, make_dataset, paris_day):
        two = make_dataset(owner, paris_day, paris_day)
        made = services.mark_landmarks(owner=owner, dataset=two, method={"name": "manual", "events": [1, 9]})
        assert selectors.events_of(made)["runs"] == [[1, 2], [9, 10]]
        assert selectors.events_of(made, series=1) == {
            "count": 1, "share": 0.125, "points": 8, "runs": [[1, 2]], "average_temporal_distance": 13 / 7,
        }  # fmt: skip

    def test_fail_stay_points_without_times(self, owner, make_dataset):
        untimed = make_dataset(owner, Trajectory([2.0, 2.1], [48.0, 48.1]))
        with pytest.raises(DataError, match="need times"):
            services.mark_landmarks(owner=owner, dataset=untimed, method=STAYS)

    @pytest.mark.parametrize("state", [State.QUEUED, State.FAILED])
    def test_fail_dataset_not_ready_names_its_state(self, owner, ready_dataset, state):
        ready_dataset.state = state
        ready_dataset.finished_at = None if state == State.QUEUED else ready_dataset.finished_at
        ready_dataset.save()
        for call in (partial(services.mark_landmarks, owner=owner), services.preview_landmarks):
            with pytest.raises(Conflict, match=state):
                call(dataset=ready_dataset, method=PARIS)

    def test_fail_dataset_of_a_person_else(self, owner, stranger_dataset):
        with pytest.raises(PermissionDenied):
            services.mark_landmarks(owner=owner, dataset=stranger_dataset, method=PARIS)

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


class TestPreviewed:
    def test_stores_nothing_and_marks_what_marking_would(self, owner, ready_dataset):
        method = StayPoints(distance_m=900.0, duration_s=600.0)
        before = sorted(ready_dataset.folder.iterdir())
        (shown,) = services.preview_landmarks(dataset=ready_dataset, method=method)
        assert not LandmarkSet.objects.exists()
        assert sorted(ready_dataset.folder.iterdir()) == before
        (expected,) = method.mark(read_data("trajectory", ready_dataset.points_path))
        kept = services.mark_landmarks(owner=owner, dataset=ready_dataset, method=method)
        assert (shown.mask == expected.mask).all()
        assert (shown.mask == kept.mask).all()

    def test_answers_at_once_on_a_hundred_thousand_events(self, owner, owner_api, make_dataset):
        rng = np.random.default_rng(1)
        n = 100_000
        walk = np.cumsum(rng.normal(0, 2e-5, (2, n)), axis=1)
        long = make_dataset(owner, Trajectory(2.3 + walk[0], 48.8 + walk[1], np.arange(n) * 5.0))
        body = {"dataset": str(long.pk), "method": STAYS}
        owner_api.post("/api/v1/landmark-sets/preview/", body)  # compiles
        took = []
        for _ in range(5):
            started = time.perf_counter()
            answer = owner_api.post("/api/v1/landmark-sets/preview/", body)
            took.append(time.perf_counter() - started)
        assert (answer.status_code, answer.json()["points"]) == (200, n)
        assert min(took) < 0.1  # 0.01 s on an idle machine
