"""The REST API of the releases app: from a submitted release to its files, and permissions."""

import io
import json
import uuid
from pathlib import Path

import pytest

from dashboard.datasets.models import BudgetEntry, Dataset
from dashboard.landmarks.services import mark_landmarks
from dashboard.maintenance import cleanup
from dashboard.releases import downloads, execution
from dashboard.releases.models import Release
from privacy_engine import formats
from privacy_engine.datatypes import datatypes
from privacy_engine.exports import FORMATS
from tests.dashboard.api_helpers import RELEASES, UNIFORM, first_error, release_url, without_path
from tests.dashboard.release_runs import fail, interrupted


class TestFromSubmittedToDownloaded:
    @pytest.mark.parametrize("fmt", FORMATS)
    def test_every_format_reads_back_with_its_points_and_label(self, owner_api, body, fmt):
        made = owner_api.post(RELEASES, body)
        assert made.status_code == 201
        made = made.json()
        assert (made["state"], made["progress"], made["guarantee"]["level"]) == ("queued", 0.0, "landmark")
        assert owner_api.get(made["urls"]["data"], {"format": fmt}).status_code == 409

        execution.run(made["id"])
        now = owner_api.get(made["urls"]["self"]).json()
        assert (now["state"], now["progress"], now["error"]) == ("done", 1.0, None)
        assert now["owner_view"]["mae_m"] > 0

        answer = owner_api.get(made["urls"]["data"], {"format": fmt})
        content = answer.getvalue()
        dataset = Dataset.objects.get(pk=body["dataset"]).name.replace(" ", "-")
        name = f"{dataset}_landmark-uniform_eps1_D200m.{FORMATS[fmt].extension}"
        assert answer.headers["Content-Disposition"] == f'attachment; filename="{name}"'
        assert answer.headers["Content-Type"] == FORMATS[fmt].media_type
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert int(answer.headers["Content-Length"]) == len(content)
        reading = formats.read(io.BytesIO(content), name=name)
        assert sum(map(len, reading.series)) == now["summary"]["published"] == 8
        assert b"all 4 landmarks together leak at most" in content
        assert now["label"].encode()[:40] in content

    def test_a_seeded_release_has_no_guarantee_anywhere(self, owner_api, body):
        made = owner_api.post(RELEASES, body | {"seed": 7}).json()
        assert (made["seed"], made["guarantee"]) == (7, None)
        assert made["label"].startswith("NOT PRIVATE: seeded simulation")
        assert not BudgetEntry.objects.exists()
        execution.run(made["id"])
        for fmt in FORMATS:
            content = owner_api.get(made["urls"]["data"], {"format": fmt}).getvalue()
            assert b"NOT PRIVATE: seeded simulation" in content
            assert b"leak at most" not in content

    def test_nothing_measured_leaves_with_the_data(self, owner_api, done):
        done.owner_view = {"mae_m": 123456.789}
        done.name, done.dataset.name = "Bob's secret walk", "Bob"
        done.save()
        for fmt in FORMATS:
            answer = owner_api.get(release_url(done, "data"), {"format": fmt})
            content = answer.getvalue()
            assert b"123456.789" not in content
            assert b"secret walk" not in content
            assert "secret" not in answer.headers["Content-Disposition"]

    def test_downloads_leave_no_file_behind(self, owner_api, done, files):
        before = files()
        for fmt in FORMATS:
            assert owner_api.get(release_url(done, "data"), {"format": fmt}).getvalue()
        assert [path for path in files() if path not in (*before, "tmp")] == []

    def test_a_large_export_is_rendered_once_and_kept_for_an_hour(self, owner_api, done, files, monkeypatch):
        stored, url = set(files()), release_url(done, "data")
        fresh = owner_api.get(url, {"format": "csv"}).getvalue()
        monkeypatch.setattr(downloads, "LARGE_ROWS", 1)
        rendered, write = [], type(datatypes[done.kind]).write
        monkeypatch.setattr(
            type(datatypes[done.kind]), "write", lambda *of, **more: rendered.append(write(*of, **more))
        )
        assert [owner_api.get(url, {"format": "csv"}).getvalue() for _ in range(3)] == [fresh] * 3
        assert len(rendered) == 1
        (kept,) = (Path(name) for name in set(files()) - stored)
        assert (kept.parent.name, kept.name.startswith("export-csv-")) == (str(done.pk), True)
        Release.objects.filter(pk=done.pk).update(engine_version="other")  # which the label states
        assert owner_api.get(url, {"format": "csv"}).getvalue() != fresh
        cleanup.tidy()
        assert len(set(files()) - stored) == len(rendered) == 2
        monkeypatch.setattr(cleanup, "STALE_S", -1.0)
        cleanup.tidy()
        assert set(files()) == stored

    @pytest.mark.parametrize("fmt", ["xlsx", "", "CSV", "../csv", "json"])
    def test_fail_unknown_format_names_field_rule_and_value(self, owner_api, done, fmt):
        answer = owner_api.get(release_url(done, "data"), {"format": fmt})
        assert answer.status_code == 400
        assert (first_error(answer)["field"], first_error(answer)["value"]) == ("format", fmt)
        assert ", ".join(FORMATS) in first_error(answer)["rule"]

    def test_whatever_the_client_would_accept(self, owner_api, done):
        for accept in ("text/csv", "application/octet-stream", "*/*"):
            for name in ("data", "track"):
                answer = owner_api.get(release_url(done, name), headers={"Accept": accept})
                assert (answer.status_code, bool(answer.getvalue())) == (200, True)


HOSTILE = [
    ("epsilon", 0, "greater than 0"),
    ("epsilon", -1, "greater than 0"),
    ("epsilon", 1e-300, "at least 1e-06"),
    ("epsilon", 1e308, "at most 10000"),
    ("epsilon", True, "must be a number"),
    ("epsilon", "١", "must be a number"),
    ("epsilon", "1", "must be a number"),
    ("epsilon", None, "must be a number"),
    ("epsilon", [1], "must be a number"),
    ("radius_m", 0, "greater than 0"),
    ("radius_m", 1e308, "at most 2e+07"),
    ("radius_m", {}, "must be a number"),
    ("windows", 3, "is not a parameter here"),
]


class TestParameters:
    @pytest.mark.parametrize(("name", "value", "rule"), HOSTILE)
    def test_fail_out_of_domain_names_field_rule_and_value(self, owner_api, body, name, value, rule):
        answer = owner_api.post(RELEASES, body | {"mechanism": UNIFORM | {name: value}})
        assert answer.status_code == 400
        error = first_error(answer)
        assert error["field"] == f"mechanism.{name}"
        assert rule in error["rule"]
        assert error["value"] == (value if not isinstance(value, list | dict) else str(value))
        assert f"mechanism.{name}" in error["message"]
        assert not Release.objects.exists()
        assert not BudgetEntry.objects.exists()

    @pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
    def test_fail_not_finite(self, owner_api, body, number):
        text = json.dumps(body | {"mechanism": UNIFORM | {"epsilon": "here"}}).replace('"here"', number)
        answer = owner_api.post(RELEASES, text, content_type="application/json")
        assert answer.status_code == 400
        assert (first_error(answer)["field"], first_error(answer)["rule"]) == (
            "mechanism.epsilon",
            "must be a finite number",
        )

    @pytest.mark.parametrize("missing", ["epsilon", "radius_m"])
    def test_fail_missing(self, owner_api, body, missing):
        mechanism = {name: value for name, value in UNIFORM.items() if name != missing}
        error = first_error(owner_api.post(RELEASES, body | {"mechanism": mechanism}))
        assert (error["field"], error["rule"]) == (f"mechanism.{missing}", "is required")

    def test_no_seed_may_be_stated_as_answers_state_it(self, owner_api, body):
        made = owner_api.post(RELEASES, body | {"seed": None})
        assert (made.status_code, made.json()["seed"]) == (201, None)

    @pytest.mark.parametrize("seed", [-1, 2**53, 1.5, "7", True, []])
    def test_fail_seed_that_is_no_seed(self, owner_api, body, seed):
        answer = owner_api.post(RELEASES, body | {"seed": seed})
        assert answer.status_code == 400
        assert first_error(answer)["field"] == "seed"

    @pytest.mark.parametrize("field", ["dataset", "landmark_set", "mechanism"])
    def test_fail_nothing_to_draw(self, owner_api, body, field):
        answer = owner_api.post(RELEASES, {name: value for name, value in body.items() if name != field})
        assert (answer.status_code, first_error(answer)["field"]) == (400, field)

    @pytest.mark.parametrize("mechanism", [{}, {"name": "landmark"}, {"name": ["event-level"]}, [], "event-level", 1])
    def test_fail_unknown_mechanism(self, owner_api, body, mechanism):
        answer = owner_api.post(RELEASES, body | {"mechanism": mechanism})
        assert answer.status_code == 400
        assert first_error(answer)["field"].startswith("mechanism")

    def test_fail_landmark_set_of_another_dataset_of_ones_own(self, owner, owner_api, body, make_dataset, paris_day):
        other = make_dataset(owner, paris_day)
        answer = owner_api.post(RELEASES, body | {"dataset": str(other.pk)})
        assert (answer.status_code, first_error(answer)["field"]) == (400, "landmark_set")

    def test_fail_over_budget_is_a_conflict(self, owner_api, body, ready_dataset):
        assert (
            owner_api.patch(
                f"/api/v1/datasets/{ready_dataset.pk}/", {"budget": {"epsilon": 1.0, "radius_m": 1000.0}}
            ).status_code
            == 200
        )
        answer = owner_api.post(RELEASES, body)
        assert (answer.status_code, first_error(answer)["code"]) == (409, "budget")


class TestIdempotency:
    def test_ten_identical_posts_one_release_one_charge(self, owner_api, body):
        answers = [owner_api.post(RELEASES, body, headers={"Idempotency-Key": "monday"}) for _ in range(10)]
        assert {answer.status_code for answer in answers} == {201}
        assert len({answer.json()["id"] for answer in answers}) == 1
        assert (Release.objects.count(), BudgetEntry.objects.count()) == (1, 1)

    def test_a_strangers_key_is_another_key(self, owner_api, stranger_api, body, stranger, stranger_dataset):
        marks = mark_landmarks(owner=stranger, dataset=stranger_dataset, method={"name": "manual", "events": [0]})
        theirs = {"dataset": str(stranger_dataset.pk), "landmark_set": str(marks.pk), "mechanism": UNIFORM}
        key = {"Idempotency-Key": "monday"}
        one = owner_api.post(RELEASES, body, headers=key)
        other = stranger_api.post(RELEASES, theirs, headers=key)
        assert one.json()["id"] != other.json()["id"]

    def test_fail_another_body_under_the_same_key(self, owner_api, body):
        key = {"Idempotency-Key": "monday"}
        owner_api.post(RELEASES, body, headers=key)
        answer = owner_api.post(RELEASES, body | {"seed": 1}, headers=key)
        assert (answer.status_code, first_error(answer)["field"]) == (409, "Idempotency-Key")


class TestCancelRetryDiscard:
    def test_cancel_then_retry_then_done(self, owner_api, submit):
        release = submit()
        cancelled = owner_api.post(release_url(release, "cancel"))
        assert (cancelled.status_code, cancelled.json()["state"]) == (200, "cancelled")
        assert owner_api.post(release_url(release, "cancel")).status_code == 409
        again = owner_api.post(release_url(release, "retry"))
        assert again.status_code == 201
        assert again.json()["id"] != str(release.pk)
        execution.run(again.json()["id"])
        assert owner_api.get(again.json()["urls"]["self"]).json()["state"] == "done"

    def test_retry_of_a_failed_one_is_the_same_release(self, owner_api, submit, monkeypatch):
        failed = interrupted(submit(), monkeypatch, fail)
        reported = owner_api.get(release_url(failed)).json()["error"]
        assert (reported["code"], reported["again"]) == ("internal", True)
        assert reported["action"].startswith("Retry.")
        again = owner_api.post(release_url(failed, "retry"))
        assert (again.status_code, again.json()["id"], again.json()["state"]) == (200, str(failed.pk), "queued")
        assert again.json()["error"] is None

    def test_fail_retry_of_one_that_is_done(self, owner_api, done):
        assert owner_api.post(release_url(done, "retry")).status_code == 409

    def test_discard(self, owner_api, done):
        assert owner_api.delete(release_url(done)).status_code == 204
        assert owner_api.get(release_url(done)).status_code == 404

    @pytest.mark.parametrize("name", ["data", "track", "series"])
    def test_fail_nothing_to_show_until_done(self, owner_api, submit, name):
        answer = owner_api.get(release_url(submit(), name))
        assert (answer.status_code, first_error(answer)["value"]) == (409, "queued")


class TestList:
    def test_filters(self, owner_api, submit, done, landmark_set):
        waiting = submit("event-level")

        def found(**query):
            return [one["id"] for one in owner_api.get(RELEASES, query).json()["results"]]

        assert found() == [str(waiting.pk), str(done.pk)]
        assert found(state="done") == [str(done.pk)]
        assert found(mechanism="event-level") == [str(waiting.pk)]
        assert found(landmark_set=str(landmark_set.pk), dataset=str(landmark_set.dataset_id)) == found()
        assert found(dataset=str(uuid.uuid4())) == []
        assert owner_api.get(RELEASES, {"state": "odd"}).status_code == 400

    def test_a_page_of_releases_takes_a_few_queries(self, owner_api, submit, django_assert_max_num_queries):
        for _ in range(6):
            submit()
        with django_assert_max_num_queries(10):  # roles, keys, and six for the place of all in the queue
            assert owner_api.get(RELEASES).json()["count"] == 6


class TestPermissions:
    def responses(self, api, release):
        yield "get", api.get(release_url(release))
        yield "delete", api.delete(release_url(release))
        for name in ("cancel", "retry"):
            yield name, api.post(release_url(release, name))
        for name in ("data", "track", "series"):
            yield name, api.get(release_url(release, name))

    def test_a_stranger_finds_nothing(self, stranger_api, done):
        assert stranger_api.get(RELEASES).json()["count"] == 0
        assert stranger_api.get(RELEASES, {"dataset": str(done.dataset_id)}).json()["count"] == 0
        for name, answer in self.responses(stranger_api, done):
            assert (name, answer.status_code) == (name, 404)
        assert Release.objects.filter(pk=done.pk).exists()

    def test_a_stranger_gets_the_response_of_a_missing_release(self, stranger_api, done):
        missing = Release(pk=uuid.uuid4())
        for (_, theirs), (_, none) in zip(
            self.responses(stranger_api, done), self.responses(stranger_api, missing), strict=True
        ):
            assert without_path(theirs) == without_path(none)

    def test_anonymous_has_to_log_in(self, anonymous_api, done):
        for name, answer in self.responses(anonymous_api, done):
            assert (name, answer.status_code) == (name, 401)
        for path in (RELEASES, "/api/v1/mechanisms/"):
            assert anonymous_api.get(path).status_code == 401
        assert anonymous_api.post(RELEASES, {}).status_code == 401

    def test_ids_in_bodies_are_not_a_way_round(self, stranger, stranger_api, stranger_dataset, body, owner_api):
        marks = mark_landmarks(owner=stranger, dataset=stranger_dataset, method={"name": "manual", "events": [0]})
        mine = {"dataset": str(stranger_dataset.pk), "landmark_set": str(marks.pk)}
        missing = str(uuid.uuid4())
        answers = [
            stranger_api.post(RELEASES, body),
            stranger_api.post(RELEASES, body | {"dataset": mine["dataset"]}),
            stranger_api.post(RELEASES, body | {"landmark_set": mine["landmark_set"]}),
            stranger_api.post(RELEASES, body | mine | {"landmark_set": missing}),
            stranger_api.post(RELEASES, body | mine | {"dataset": missing}),
        ]
        assert {answer.status_code for answer in answers} == {404}
        assert len({answer.content for answer in answers}) == 1
        assert not Release.objects.exists()

    @pytest.mark.parametrize("pk", ["1", "x", "00000000-0000-0000-0000-000000000000", "%00"])
    def test_an_id_that_is_none(self, owner_api, pk):
        assert owner_api.get(f"{RELEASES}{pk}/").status_code == 404


@pytest.mark.parametrize("kind", ["trajectory", "stream", "checkins"])
def test_no_two_mechanisms_are_drawn_alike(owner_api, kind):
    listed = owner_api.get("/api/v1/mechanisms/", {"kind": kind}).json()["results"]
    assert listed
    assert {one["kind"] for one in listed} == {kind}
    for theme in ("light", "dark"):
        assert len({one["colour"][theme] for one in listed}) == len(listed)
    assert len({one["dash"] for one in listed}) == len(listed)


def test_mechanisms_are_described_for_forms_and_legends(owner_api):
    found = {one["name"]: one for one in owner_api.get("/api/v1/mechanisms/").json()["results"]}
    assert set(found) >= {"event-level", "user-level", "landmark-uniform", "landmark-skip", "landmark-adaptive"}
    for one in found.values():
        assert one["guarantee"]["statement"]
        assert one["schema"]["properties"]["epsilon"]["maximum"] == 1e4
        second = {"trajectory": "radius_m", "stream": "window", "checkins": "privacy_unit"}[one["kind"]]
        assert [field["name"] for field in one["fields"]][:2] == ["epsilon", second]
        assert set(one["colour"]) == {"name", "light", "dark"}
