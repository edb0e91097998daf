"""The REST API of releases: from a submitted one to its files; names, batches and permissions."""

import io
import uuid
from datetime import timedelta
from pathlib import Path
from urllib.parse import parse_qs

import pytest

from dashboard.datasets.models import BudgetEntry, Dataset, Kind
from dashboard.jobs.models import now
from dashboard.landmarks.services import mark_landmarks
from dashboard.maintenance import cleanup
from dashboard.releases import downloads, execution, naming
from dashboard.releases.models import Release
from dashboard.releases.selectors import batches
from privacy_engine import exports, formats
from privacy_engine.datatypes import datatypes
from privacy_engine.releases.spec import ReleaseSpec
from tests.dashboard.api_helpers import RELEASES, UNIFORM, first_error, refused, release_url
from tests.dashboard.kinds import POPULARITY


class TestFromSubmittedToDownloaded:
    def test_every_format_reads_back_with_its_points_and_label(self, owner_api, body, files):
        made = owner_api.post(RELEASES, body | {"seed": None})  # no seed may be stated as answers state it
        assert made.status_code == 201
        made = made.json()
        assert (made["state"], made["progress"], made["seed"]) == ("queued", 0.0, None)
        assert made["guarantee"]["level"] == "landmark"
        execution.run(made["id"])
        now, stored = owner_api.get(made["urls"]["self"]).json(), files()
        assert (now["state"], now["progress"], now["error"]) == ("done", 1.0, None)
        assert now["owner_view"]["mae_m"] > 0
        dataset = Dataset.objects.get(pk=body["dataset"]).name.replace(" ", "-")
        for fmt, described in exports.FORMATS.items():
            answer = owner_api.get(made["urls"]["data"], {"format": fmt})
            content, headers = answer.getvalue(), answer.headers
            name = f"{dataset}_landmark-uniform_eps1_D200m.{described.extension}"
            assert headers["Content-Disposition"] == f'attachment; filename="{name}"'
            assert (headers["Content-Type"], headers["X-Content-Type-Options"]) == (described.media_type, "nosniff")
            assert int(headers["Content-Length"]) == len(content)
            read = formats.read(io.BytesIO(content), name=name).series
            assert sum(map(len, read)) == now["summary"]["published"] == 8
            assert b"all 4 landmarks together leak at most" in content
            assert now["label"].encode()[:40] in content
        assert [path for path in files() if path not in (*stored, "tmp")] == [], "a download leaves no file"
        for name in ("data", "track"):
            answer = owner_api.get(made["urls"][name], headers={"Accept": "application/octet-stream"})
            assert (answer.status_code, bool(answer.getvalue())) == (200, True)

    def test_a_seeded_release_has_no_guarantee_anywhere(self, owner_api, body):
        made = owner_api.post(RELEASES, body | {"seed": 7}).json()
        assert (made["seed"], made["guarantee"]) == (7, None)
        assert made["label"].startswith("NOT PRIVATE: seeded simulation")
        assert not BudgetEntry.objects.exists()
        execution.run(made["id"])
        for fmt in exports.FORMATS:
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
            assert ", ".join(exports.FORMATS) in error["rule"]


class TestParameters:
    def test_fail_out_of_domain_names_field_rule_and_value(self, owner, owner_api, body, make_dataset, paris_day):
        for name, value, rule in (
            *(("epsilon", wrong, "must be a number") for wrong in (True, "1", None)),
            ("epsilon", 0, "greater than 0"),
            ("radius_m", 1e308, "at most 2e+07"),
            ("windows", 3, "is not a parameter here"),
        ):
            error = first_error(answer := owner_api.post(RELEASES, body | {"mechanism": UNIFORM | {name: value}}))
            assert (answer.status_code, error["field"], error["value"]) == (400, f"mechanism.{name}", value)
            assert rule in error["rule"]
            assert f"mechanism.{name}" in error["message"]
        no_mechanism = ({}, {"name": "landmark"}, {"name": ["event-level"]}, [], "event-level", 1)
        for field, wrong in [
            *(("seed", body | {"seed": seed}) for seed in (-1, 2**53, 1.5, "7", True, [])),
            *(("mechanism", body | {"mechanism": mechanism}) for mechanism in no_mechanism),
            ("mechanism.radius_m", body | {"mechanism": {"name": "event-level", "epsilon": 1}}),
            *((field, {name: value for name, value in body.items() if name != field}) for field in body),
            ("landmark_set", body | {"dataset": str(make_dataset(owner, paris_day).pk)}),
        ]:
            answer = owner_api.post(RELEASES, wrong)
            assert answer.status_code == 400, wrong
            assert f"{first_error(answer)['field']}.".startswith(f"{field}."), wrong
        assert not Release.objects.exists()
        assert not BudgetEntry.objects.exists()


class TestIdempotency:
    def test_ten_identical_posts_one_release_one_charge(self, owner_api, body):
        key = {"Idempotency-Key": "monday"}
        answers = [owner_api.post(RELEASES, body, headers=key) for _ in range(10)]
        assert {answer.status_code for answer in answers} == {201}
        assert len({answer.json()["id"] for answer in answers}) == 1
        assert refused(owner_api.post(RELEASES, body | {"seed": 1}, headers=key)) == (409, "Idempotency-Key")
        assert (Release.objects.count(), BudgetEntry.objects.count()) == (1, 1)


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


SKIP = {"name": "landmark-skip", "epsilon": 1.0, "radius_m": 200.0}
STREAM = {"name": "stream-uniform", "epsilon": 0.5, "window": 52}
OU = {"name": "ou-smoother"}
MODEL = POPULARITY | {"epsilon": 2.0}


@pytest.mark.parametrize(
    ("mechanism", "steps", "called", "stem"),
    [
        (SKIP, [], "Skip · ε 1 / 200\u202fm", "landmark-skip_eps1_D200m"),
        (SKIP | {"radius_m": 1500}, [], "Skip · ε 1 / 1.5\u202fkm", "landmark-skip_eps1_D1500m"),
        (SKIP, [OU], "Skip + OU smoother · ε 1 / 200\u202fm", "landmark-skip_eps1_D200m_ou-smoother"),
        (STREAM, [], "Uniform · ε 0.5 / 52 timestamps", "stream-uniform_eps0.5_w52"),
        (STREAM | {"window": 1}, [], "Uniform · ε 0.5 / timestamp", "stream-uniform_eps0.5_w1"),
        (MODEL | {"privacy_unit": "user"}, [], "Popularity · ε 2 / user", "checkin-popularity_eps2_c5_G8"),
        (MODEL | {"privacy_unit": "record"}, [], "Popularity · ε 2 / check-in", "checkin-popularity_eps2_record_c5_G8"),
    ],
)
def test_a_release_is_called_by_mechanism_steps_and_level(mechanism, steps, called, stem):
    spec = ReleaseSpec.parse({"mechanism": mechanism, "seed": None, "postprocess": steps})
    assert naming.title(spec).removeprefix("Stream ").lower() == called.lower()
    assert "_".join(naming.file_parts(spec)) == stem


def row(name, at_s, *, epsilon=1.0, seed=None, source=None):
    spec = {"mechanism": SKIP | {"name": name, "epsilon": epsilon}, "seed": seed}
    made = Release(kind=Kind.TRAJECTORY, spec=spec, mechanism=name, seeded=seed is not None, source=source)
    made.created_at = now() + timedelta(seconds=at_s)
    return made


def test_batches_have_one_level_and_landmark_set_and_were_submitted_together():
    rows = [
        row("landmark-skip", 0),
        row("landmark-uniform", 2),
        row("landmark-adaptive", 50),
        row("landmark-skip", 3, epsilon=2.0),
        row("landmark-skip", 1000),
        row("landmark-uniform", 2000, seed=1),
        row("landmark-skip", 1001, source={"release": "x", "sha256": ""}),
    ]
    found = [(one.level, one.simulated, one.derived, [r.mechanism[9:] for r in one.releases]) for one in batches(rows)]
    level = "ε 1 / 200\u202fm"
    assert found == [
        *((level, False, True, ["skip"]), (level, False, False, ["skip"])),
        *(("ε 2 / 200\u202fm", False, False, ["skip"]), (level, False, False, ["skip", "uniform", "adaptive"])),
        (level, True, False, ["uniform"]),
    ]
    one, other = uuid.uuid4(), uuid.uuid4()
    rows = [row(name, at) for at, name in enumerate(("landmark-skip", "landmark-uniform", "landmark-adaptive"))]
    for release, landmark_set in zip(rows, (one, one, other), strict=True):
        release.landmark_set_id = landmark_set
    apart, together = batches(rows)
    assert (apart.is_several, together.is_several) == (False, True)
    chosen = parse_qs(together.query)
    assert chosen == {"landmark_set": [str(one)], "release": [str(release.pk) for release in rows[:2]]}
