"""The REST API of the landmarks app: shapes, errors and permissions."""

import json

import pytest

from dashboard.landmarks.dummy_landmarks import add_dummies
from dashboard.landmarks.models import LandmarkSet
from dashboard.landmarks.services import mark_landmarks
from tests.dashboard.api_helpers import first_error

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
            refused = owner_api.get(made["urls"]["events"], {"series": series})
            assert (refused.status_code, first_error(refused)["field"]) == (400, "series"), series

    def test_stay_points_with_every_parameter(self, owner_api, ready_dataset):
        method = {"name": "stay-points", "distance_m": 200, "duration_s": 1800}
        method |= {"reading": "trackintel", "max_gap_s": 90000}
        answer = owner_api.post(SETS, {"dataset": str(ready_dataset.pk), "method": method})
        assert (answer.status_code, answer.json()["method"]) == (201, method)

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
            assert (answer.status_code, first_error(answer)["field"]) == (400, field)
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

    def test_fail_dataset_not_ready_is_a_conflict(self, owner_api, ready_dataset):
        ready_dataset.state, ready_dataset.finished_at = "queued", None
        ready_dataset.save()
        answer = owner_api.post(SETS, {"dataset": str(ready_dataset.pk), "method": PARIS})
        assert (answer.status_code, first_error(answer)["value"]) == (409, "queued")


class TestPreview:
    def test_answers_runs_and_stores_nothing(self, owner_api, ready_dataset):
        answer = owner_api.post(
            PREVIEW, {"dataset": str(ready_dataset.pk), "method": {"name": "manual", "events": [1, 2]}}
        )
        assert answer.status_code == 200
        assert answer.json() == {
            "count": 2, "share": 0.25, "points": 8, "runs": [[1, 3]], "average_temporal_distance": 10 / 6,
        }  # fmt: skip
        assert not LandmarkSet.objects.exists()


class TestList:
    def test_is_paged_and_filtered_by_dataset(self, owner, owner_api, landmark_set, make_dataset, paris_day):
        other = make_dataset(owner, paris_day)
        mark_landmarks(owner=owner, dataset=other, method=PARIS)
        assert owner_api.get(SETS).json()["count"] == 2
        found = owner_api.get(SETS, {"dataset": str(landmark_set.dataset_id)}).json()
        assert [one["id"] for one in found["results"]] == [str(landmark_set.pk)]
        assert owner_api.get(SETS, {"dataset": "x"}).status_code == 400


class TestDestroy:
    def test_fail_while_in_use_is_a_conflict(self, owner_api, submit):
        answer = owner_api.delete(f"{SETS}{submit().landmark_set_id}/")
        assert (answer.status_code, first_error(answer)["field"]) == (409, "landmark_set")
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
            answer = owner_api.patch(f"{SETS}{landmark_set.pk}/", {"name": name})
            assert (answer.status_code, first_error(answer)["field"]) == (400, "name"), name
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
