"""The REST API of the releases app: from a submitted release to its files, and permissions."""

import io
import uuid
from pathlib import Path

from dashboard.datasets.models import BudgetEntry, Dataset
from dashboard.landmarks.services import mark_landmarks
from dashboard.maintenance import cleanup
from dashboard.releases import downloads, execution
from dashboard.releases.models import Release
from privacy_engine import formats
from privacy_engine.datatypes import datatypes
from privacy_engine.exports import FORMATS
from tests.dashboard.api_helpers import RELEASES, UNIFORM, first_error, refused, release_url
from tests.dashboard.release_runs import fail, interrupted


class TestFromSubmittedToDownloaded:
    def test_every_format_reads_back_with_its_points_and_label(self, owner_api, body, files):
        made = owner_api.post(RELEASES, body | {"seed": None})  # no seed may be stated as answers state it
        assert made.status_code == 201
        made = made.json()
        assert (made["state"], made["progress"], made["guarantee"]["level"]) == ("queued", 0.0, "landmark")
        assert made["seed"] is None

        execution.run(made["id"])
        now, stored = owner_api.get(made["urls"]["self"]).json(), files()
        assert (now["state"], now["progress"], now["error"]) == ("done", 1.0, None)
        assert now["owner_view"]["mae_m"] > 0
        dataset = Dataset.objects.get(pk=body["dataset"]).name.replace(" ", "-")
        for fmt, described in FORMATS.items():
            answer = owner_api.get(made["urls"]["data"], {"format": fmt})
            content, headers = answer.getvalue(), answer.headers
            name = f"{dataset}_landmark-uniform_eps1_D200m.{described.extension}"
            assert headers["Content-Disposition"] == f'attachment; filename="{name}"'
            assert (headers["Content-Type"], headers["X-Content-Type-Options"]) == (described.media_type, "nosniff")
            assert int(headers["Content-Length"]) == len(content)
            reading = formats.read(io.BytesIO(content), name=name)
            assert sum(map(len, reading.series)) == now["summary"]["published"] == 8
            assert b"all 4 landmarks together leak at most" in content
            assert now["label"].encode()[:40] in content
        assert [path for path in files() if path not in (*stored, "tmp")] == [], "a download leaves no file"
        for accept in ("text/csv", "application/octet-stream", "*/*"):
            for name in ("data", "track"):
                answer = owner_api.get(made["urls"][name], headers={"Accept": accept})
                assert (answer.status_code, bool(answer.getvalue())) == (200, True)

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

    def test_a_large_export_is_rendered_once_and_kept_for_an_hour(self, owner_api, done, files, monkeypatch):
        stored, url = set(files()), release_url(done, "data")
        fresh = owner_api.get(url, {"format": "csv"}).getvalue()
        monkeypatch.setattr(downloads, "LARGE_ROWS", 1)
        rendered, write = [], type(datatypes[done.kind]).write
        kind = type(datatypes[done.kind])
        monkeypatch.setattr(kind, "write", lambda *of, **more: rendered.append(write(*of, **more)))
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

    def test_fail_unknown_format_names_field_rule_and_value(self, owner_api, done):
        for fmt in ("xlsx", "", "CSV", "../csv", "json"):
            answer = owner_api.get(release_url(done, "data"), {"format": fmt})
            error = first_error(answer)
            assert (answer.status_code, error["field"], error["value"]) == (400, "format", fmt)
            assert ", ".join(FORMATS) in error["rule"]


class TestParameters:
    def test_fail_out_of_domain_names_field_rule_and_value(self, owner_api, body):
        for name, value, rule in [
            *[("epsilon", wrong, "must be a number") for wrong in (True, "١", "1", None, [1])],
            *[("epsilon", wrong, "greater than 0") for wrong in (0, -1)],
            ("epsilon", 1e-300, "at least 1e-06"),
            ("epsilon", 1e308, "at most 10000"),
            ("radius_m", 0, "greater than 0"),
            ("radius_m", 1e308, "at most 2e+07"),
            ("radius_m", {}, "must be a number"),
            ("windows", 3, "is not a parameter here"),
        ]:
            answer = owner_api.post(RELEASES, body | {"mechanism": UNIFORM | {name: value}})
            error = first_error(answer)
            assert (answer.status_code, error["field"]) == (400, f"mechanism.{name}"), value
            assert rule in error["rule"]
            assert error["value"] == (value if not isinstance(value, list | dict) else str(value))
            assert f"mechanism.{name}" in error["message"]
        for missing in UNIFORM.keys() - {"name"}:
            mechanism = {name: value for name, value in UNIFORM.items() if name != missing}
            error = first_error(owner_api.post(RELEASES, body | {"mechanism": mechanism}))
            assert (error["field"], error["rule"]) == (f"mechanism.{missing}", "is required")
        assert not Release.objects.exists()
        assert not BudgetEntry.objects.exists()

    def test_fail_what_is_no_seed_no_mechanism_and_nothing_to_draw(self, owner_api, body):
        no_mechanism = ({}, {"name": "landmark"}, {"name": ["event-level"]}, [], "event-level", 1)
        for field, wrong in [
            *[("seed", body | {"seed": seed}) for seed in (-1, 2**53, 1.5, "7", True, [])],
            *[("mechanism", body | {"mechanism": mechanism}) for mechanism in no_mechanism],
            *[(field, {name: value for name, value in body.items() if name != field}) for field in body],
        ]:
            answer = owner_api.post(RELEASES, wrong)
            assert (answer.status_code, first_error(answer)["field"].split(".")[0]) == (400, field), wrong

    def test_fail_landmark_set_of_another_dataset_of_ones_own(self, owner, owner_api, body, make_dataset, paris_day):
        other = make_dataset(owner, paris_day)
        assert refused(owner_api.post(RELEASES, body | {"dataset": str(other.pk)})) == (400, "landmark_set")


class TestIdempotency:
    def test_ten_identical_posts_one_release_one_charge(self, owner_api, body):
        key = {"Idempotency-Key": "monday"}
        answers = [owner_api.post(RELEASES, body, headers=key) for _ in range(10)]
        assert {answer.status_code for answer in answers} == {201}
        assert len({answer.json()["id"] for answer in answers}) == 1
        assert refused(owner_api.post(RELEASES, body | {"seed": 1}, headers=key)) == (409, "Idempotency-Key")
        assert (Release.objects.count(), BudgetEntry.objects.count()) == (1, 1)


class TestCancelRetryDiscard:
    def test_retry_of_a_failed_one_is_the_same_release(self, owner_api, submit, monkeypatch):
        failed = interrupted(submit(), monkeypatch, fail)
        reported = owner_api.get(release_url(failed)).json()["error"]
        assert (reported["code"], reported["again"]) == ("internal", True)
        assert reported["action"].startswith("Retry.")
        again = owner_api.post(release_url(failed, "retry"))
        assert (again.status_code, again.json()["id"], again.json()["state"]) == (200, str(failed.pk), "queued")
        assert again.json()["error"] is None

    def test_fail_nothing_to_show_until_done(self, owner_api, submit):
        release = submit()
        for name in ("data", "track", "tracks", "series", "errors", "bundle", "notebook"):
            answer = owner_api.get(release_url(release, name))
            assert (answer.status_code, first_error(answer)["value"]) == (409, "queued"), name

    def test_the_list_filters_and_takes_a_few_queries(self, owner_api, submit, done, django_assert_max_num_queries):
        waiting = [submit("event-level") for _ in range(5)]
        with django_assert_max_num_queries(10):  # roles, keys, and six for the place of all in the queue
            assert owner_api.get(RELEASES).json()["count"] == 6
        for query, rows in (({"state": "done"}, [done]), ({"mechanism": "event-level"}, waiting[::-1])):
            found = owner_api.get(RELEASES, query).json()["results"]
            assert [one["id"] for one in found] == [str(row.pk) for row in rows]


class TestIds:
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


def test_mechanisms_are_described_for_forms_and_legends(owner_api):
    found = {one["name"]: one for one in owner_api.get("/api/v1/mechanisms/").json()["results"]}
    assert set(found) >= {"event-level", "user-level", "landmark-uniform", "landmark-skip", "landmark-adaptive"}
    for one in found.values():
        assert one["guarantee"]["statement"]
        assert one["schema"]["properties"]["epsilon"]["maximum"] == 1e4
        second = {"trajectory": "radius_m", "stream": "window", "checkins": "privacy_unit"}[one["kind"]]
        assert [field["name"] for field in one["fields"]][:2] == ["epsilon", second]
        assert set(one["colour"]) == {"name", "light", "dark"}
