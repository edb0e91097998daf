"""The REST API of the landmarks app: shapes, errors and permissions."""

import json
import uuid

import pytest

from dashboard.landmarks.dummy_landmarks import add_dummies
from dashboard.landmarks.models import LandmarkSet
from dashboard.landmarks.services import mark_landmarks

SETS = "/api/v1/landmark-sets/"
PREVIEW = f"{SETS}preview/"
PARIS = {"name": "manual", "events": [0, 2, 4, 7]}


def first_error(answer):
    return answer.json()["errors"][0]


class TestCreate:
    def test_answers_201_with_count_and_share(self, owner_api, ready_dataset):
        answer = owner_api.post(SETS, {"dataset": str(ready_dataset.pk), "method": PARIS, "name": "Home and work"})
        assert answer.status_code == 201
        made = answer.json()
        assert (made["count"], made["share"], made["points"]) == (4, 0.5, 8)
        assert (made["name"], made["method"], made["dataset"]) == ("Home and work", PARIS, str(ready_dataset.pk))
        assert owner_api.get(made["urls"]["self"]).json() == made
        assert owner_api.get(made["urls"]["events"]).json()["runs"] == [[0, 1], [2, 3], [4, 5], [7, 8]]

    def test_stay_points_with_every_parameter(self, owner_api, ready_dataset):
        method = {
            "name": "stay-points",
            "distance_m": 200,
            "duration_s": 1800,
            "reading": "trackintel",
            "max_gap_s": 90000,
        }
        answer = owner_api.post(SETS, {"dataset": str(ready_dataset.pk), "method": method})
        assert answer.status_code == 201
        assert answer.json()["method"] == method

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
    @pytest.mark.parametrize("url", [SETS, PREVIEW])
    def test_fail_names_field_and_rule(self, owner_api, ready_dataset, method, field, rule, url):
        answer = owner_api.post(url, {"dataset": str(ready_dataset.pk), "method": method})
        assert answer.status_code == 400
        assert first_error(answer)["field"] == field
        assert rule in first_error(answer)["rule"]
        assert field.removeprefix("method.") in first_error(answer)["message"]
        assert not LandmarkSet.objects.exists()

    @pytest.mark.parametrize("number", ["NaN", "Infinity", "1e999"])
    def test_fail_number_that_is_not_finite(self, owner_api, ready_dataset, number):
        body = '{"dataset": "%s", "method": {"name": "stay-points", "distance_m": %s, "duration_s": 1}}'
        answer = owner_api.post(SETS, body % (ready_dataset.pk, number), content_type="application/json")
        assert answer.status_code == 400
        assert first_error(answer)["field"] == "method.distance_m"
        assert first_error(answer)["rule"] == "must be a finite number"

    @pytest.mark.parametrize(
        "body", ["[" * 100_000, '{"dataset"', b"\xff", '"\\ud800"', '{"name": "\\udc00"}', "9" * 5000, "null", "[]"]
    )
    def test_fail_broken_body_is_the_clients_fault(self, owner_api, body):
        answer = owner_api.post(SETS, body, content_type="application/json")
        assert answer.status_code == 400
        assert answer.json()["errors"]

    def test_fail_dataset_not_ready_is_a_conflict(self, owner_api, ready_dataset):
        ready_dataset.state, ready_dataset.finished_at = "queued", None
        ready_dataset.save()
        answer = owner_api.post(SETS, {"dataset": str(ready_dataset.pk), "method": PARIS})
        assert answer.status_code == 409
        assert first_error(answer)["value"] == "queued"


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

    def test_fail_filter_that_is_no_id(self, owner_api):
        assert owner_api.get(SETS, {"dataset": "x"}).status_code == 400


class TestDestroy:
    def test_deletes(self, owner_api, landmark_set):
        assert owner_api.delete(f"{SETS}{landmark_set.pk}/").status_code == 204
        assert owner_api.get(f"{SETS}{landmark_set.pk}/").status_code == 404

    def test_fail_while_in_use_is_a_conflict(self, owner_api, submit):
        answer = owner_api.delete(f"{SETS}{submit().landmark_set_id}/")
        assert answer.status_code == 409
        assert first_error(answer)["field"] == "landmark_set"


class TestRename:
    def test_changes_the_name_alone(self, owner_api, landmark_set):
        at = f"{SETS}{landmark_set.pk}/"
        before = owner_api.get(at).json()
        answer = owner_api.patch(at, {"name": "Home\u202e and\nwork"})
        assert answer.status_code == 200
        assert answer.json() == before | {"name": "Home and work"}
        assert owner_api.get(at).json() == answer.json()

    @pytest.mark.parametrize("name", ["", " ", "\u202e", "x" * 201, None])
    def test_fail_nothing_is_left_of_the_name(self, owner_api, landmark_set, name):
        answer = owner_api.patch(f"{SETS}{landmark_set.pk}/", {"name": name})
        assert answer.status_code == 400
        assert first_error(answer)["field"] == "name"
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

    def test_of_dummies_is_no_other_draw(self, owner_api, landmark_set):
        coins = {"name": "dummies-one-sided", "epsilon": 1.0}
        coins = {"name": "dummies-one-sided", "epsilon": 1.0}
        drawn = add_dummies(owner=landmark_set.dataset.owner, landmark_set=landmark_set, method=coins)
        drawn = owner_api.get(f"{SETS}{drawn.pk}/").json()
        made = owner_api.post(drawn["urls"]["duplicate"], {"name": "Kept"}).json()
        assert (made["name"], made["selection"], made["source"]) == ("Kept", drawn["selection"], drawn["source"])
        assert owner_api.get(made["urls"]["events"]).json() == owner_api.get(drawn["urls"]["events"]).json()


class TestEvents:
    @pytest.mark.parametrize("series", ["1", "-1", "x", "١"])
    def test_fail_no_such_series(self, owner_api, landmark_set, series):
        answer = owner_api.get(f"{SETS}{landmark_set.pk}/events/", {"series": series})
        assert answer.status_code == 400
        assert first_error(answer)["field"] == "series"


class TestWhoIsLetIn:
    def test_a_stranger_finds_nothing(self, stranger_api, landmark_set):
        at = f"{SETS}{landmark_set.pk}/"
        assert stranger_api.get(SETS).json()["count"] == 0
        tries = [
            stranger_api.get(at),
            stranger_api.patch(at, {"name": "Mine"}),
            stranger_api.delete(at),
            stranger_api.get(f"{at}events/"),
            stranger_api.post(f"{at}duplicate/", {}),
        ]
        assert {answer.status_code for answer in tries} == {404}
        assert LandmarkSet.objects.get().name == landmark_set.name
        assert LandmarkSet.objects.filter(pk=landmark_set.pk).exists()

    @pytest.mark.parametrize("url", [SETS, PREVIEW])
    def test_another_owners_dataset_in_a_body_is_as_absent_as_one_that_never_was(
        self, owner_api, stranger_dataset, url
    ):
        theirs = owner_api.post(url, {"dataset": str(stranger_dataset.pk), "method": PARIS})
        missing = owner_api.post(url, {"dataset": str(uuid.uuid4()), "method": PARIS})
        assert theirs.status_code == missing.status_code == 404
        assert theirs.json() == missing.json()

    def test_anonymous_has_to_log_in(self, anonymous_api, landmark_set):
        at = f"{SETS}{landmark_set.pk}/"
        tries = [
            anonymous_api.get(SETS),
            anonymous_api.post(SETS, {}),
            anonymous_api.post(PREVIEW, {}),
            anonymous_api.get(at),
            anonymous_api.patch(at, {"name": "Mine"}),
            anonymous_api.delete(at),
            anonymous_api.post(f"{at}duplicate/", {}),
            anonymous_api.get(f"{at}events/"),
            anonymous_api.get("/api/v1/landmark-methods/"),
        ]
        assert {answer.status_code for answer in tries} == {401}


def test_landmark_methods_describe_their_fields_and_needs(owner_api):
    found = {one["name"]: one for one in owner_api.get("/api/v1/landmark-methods/").json()["results"]}
    assert list(found) == ["stay-points", "zones", "schedule", "released-zones", "manual", "column", "synthetic"]
    assert found["stay-points"]["schema"]["properties"]["distance_m"]["maximum"] == 2.1e7
    needs = {"stay-points": ["time"], "schedule": ["time"], "column": ["landmark column"]}
    assert {name: one["needs"] for name, one in found.items() if one["needs"]} == needs
    json.dumps(found, allow_nan=False)
