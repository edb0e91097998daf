"""Attacks on releases that exist: the engine's own results, for the owner alone, in a request or by a job."""

import csv
import io
import json
import zipfile

import numpy as np
import pytest

from dashboard.attacks import execution, files, services
from dashboard.attacks.models import Attack
from dashboard.datasets.services import delete_dataset
from dashboard.jobs import leases, queue
from dashboard.jobs.models import State
from dashboard.maintenance import cleanup
from dashboard.releases import execution as drawing
from dashboard.releases.services import derive_release, discard_release
from dashboard.storage import local_files
from privacy_engine.attacks import attacks
from privacy_engine.landmarks.samples import samples
from privacy_engine.postprocess import postprocesses
from tests.dashboard.api_helpers import decode_track, first_error, refused, release_url
from tests.dashboard.attack_helpers import (
    CROWD,
    HOME_WORK,
    LONG,
    QUICK,
    attack_url,
    downloaded,
    engine_result,
    request_attack,
    run_queued_attacks,
)
from tests.dashboard.conftest import HOME
from tests.dashboard.release_runs import drawn
from tests.dashboard.test_cleanup import aged


class TestResult:
    def test_a_small_one_is_done_in_the_request_and_states_what_it_is(self, owner_api, done):
        reported = request_attack(owner_api, done, HOME_WORK).json()
        assert (reported["state"], reported["progress"], reported["series"]) == ("done", 1.0, 0)
        body = json.loads(downloaded(owner_api, reported["id"], "json"))
        result = body["result"]
        assert result == engine_result(done, HOME_WORK)
        assert reported["sentence"] == result["sentence"]
        assert reported["parameters"][0] == {"label": "Distance", "unit": "m", "value": 200.0}
        values = {one["name"]: one["value"] for one in reported["headlines"]}
        assert values["home-distance"] == result["home"]["distance_m"]
        places = [{"title": "Home", **result["home"]}, {"title": "Workplace", **result["work"]}]
        assert owner_api.get(attack_url(reported["id"], "result")).json()["places"] == places
        assert reported["warning"] == body["warning"] == "This reads the original; do not publish it."
        assert "not a bound" in reported["note"] == body["note"]
        assert reported["assumes"] == body["assumes"] == list(attacks["home-work"].assumes)
        assert "Krumm" in reported["source"] == body["source"]
        answer = owner_api.get(attack_url(reported["id"], "data"))
        answer.close()
        assert "do-not-publish" in answer["Content-Disposition"]
        assert answer["Cache-Control"] == "private, no-store"
        listed = {one["name"]: one for one in owner_api.get("/api/v1/attack-methods/").json()["results"]}
        assert list(listed) == ["home-work", "localisation", "re-identification"]
        assert (listed["localisation"]["reads_draws"], listed["re-identification"]["population"]) == (True, True)
        assert listed["home-work"]["needs"] == ["time"]
        assert all(one["assumes"] and one["source"] and one["fields"] for one in listed.values())

    def test_a_table_of_guesses_and_their_track(self, owner_api, done):
        pk, result = request_attack(owner_api, done, QUICK).json()["id"], engine_result(done, QUICK)
        rows = list(csv.DictReader(io.StringIO(downloaded(owner_api, pk, "csv").decode())))
        assert [row["event"] for row in rows] == [str(i) for i in range(8)]
        for name in ("lon", "lat", "error_m", "chance_m"):
            assert [float(row[name]) for row in rows] == result[name]
        assert [bool(int(row["hidden"])) for row in rows] == result["hidden"]
        track = decode_track(owner_api.get(attack_url(pk, "track")).content)
        assert track["lon"] == [round(lon * 1e7) for lon in result["lon"]]
        assert owner_api.get(attack_url(pk, "result")).json() == {"places": [], "path": True}

    @pytest.mark.parametrize("mechanism", ["landmark-skip", "landmark-joint"])
    def test_a_large_one_by_a_worker_is_the_engines_to_the_last_bit(self, owner_api, taxi_release, mechanism):
        release = taxi_release(mechanism)
        reported = request_attack(owner_api, release, LONG).json()
        assert reported["state"] == "queued"
        run_queued_attacks()
        now = owner_api.get(attack_url(reported["id"])).json()
        assert (now["state"], now["attempt"]) == ("done", 1)
        result = json.loads(downloaded(owner_api, reported["id"], "json"))["result"]
        assert result == engine_result(release, LONG)
        assert any(result["hidden"])

    def test_all_series_together(self, owner_api, crowd):
        reported = request_attack(owner_api, crowd, CROWD).json()
        assert (reported["state"], reported["series"]) == ("done", None)
        result = json.loads(downloaded(owner_api, reported["id"], "json"))["result"]
        assert result == engine_result(crowd, CROWD)
        assert np.shape(result["rank"]) == (3, 5)
        assert first_error(owner_api.get(attack_url(reported["id"], "data"), {"format": "csv"}))["field"] == "format"
        assert owner_api.get(attack_url(reported["id"], "track")).status_code == 409
        reported = request_attack(owner_api, crowd, HOME_WORK, series=2).json()
        assert json.loads(downloaded(owner_api, reported["id"], "json"))["result"] == engine_result(crowd, HOME_WORK, 2)


class TestOnce:
    def test_an_equal_attack_is_never_computed_twice_and_another_is(self, owner_api, crowd, monkeypatch):
        first, *others = [
            request_attack(owner_api, crowd, HOME_WORK, series=0),
            request_attack(owner_api, crowd, HOME_WORK, series=1),
            request_attack(owner_api, crowd, HOME_WORK | {"within_m": 100.0}),
        ]
        assert len({one.json()["id"] for one in (first, *others)}) == 3
        monkeypatch.setattr(execution, "attacked", None)  # computing it now would fail
        again = request_attack(owner_api, crowd, dict(reversed(HOME_WORK.items())) | {"within_m": 500})
        assert (first.status_code, again.status_code) == (201, 200)
        assert again.json() == first.json()

    def test_two_who_request_at_once_are_given_one(self, owner_api, done, monkeypatch):
        first = request_attack(owner_api, done, HOME_WORK).json()
        known = services._earlier
        lookups = iter([lambda _: None])
        monkeypatch.setattr(services, "_earlier", lambda fresh: next(lookups, known)(fresh))  # the other is unseen
        again = request_attack(owner_api, done, HOME_WORK)
        assert (again.status_code, again.json()) == (200, first)
        assert [path.name for path in (HOME / "attacks").iterdir()] == [first["id"]]

    def test_one_that_was_cancelled_is_tried_again_by_requesting_again(self, owner_api, done, queued_attack):
        owner_api.post(attack_url(queued_attack.pk, "cancel"))
        again = request_attack(owner_api, done, LONG)
        assert (again.status_code, again.json()["id"], again.json()["state"]) == (200, str(queued_attack.pk), "queued")


class TestOthers:
    def test_it_is_in_no_release_and_no_bundle(self, owner_api, done):
        before = {path.name for path in done.folder.iterdir()}
        for attack in (HOME_WORK, QUICK):
            request_attack(owner_api, done, attack)
        assert {path.name for path in done.folder.iterdir()} == before
        body = b"".join(owner_api.get(release_url(done, "bundle")).streaming_content)
        with zipfile.ZipFile(io.BytesIO(body)) as bundle:
            assert not [name for name in bundle.namelist() if "attack" in name]
            assert not any(b"do not publish" in bundle.read(name) for name in bundle.namelist())
        assert "attack" not in json.dumps(owner_api.get(release_url(done)).json())


class TestHostile:
    def test_fail_of_parameters_series_and_steps(self, owner_api, done):
        for field, value in (
            *(("within_m", wrong) for wrong in (-1, float("nan"), "200")),
            ("distance_m", True),
            ("duration_s", None),
            ("extra", 1),
            ("name", "home"),
            ("name", ["home-work"]),
        ):
            answer = request_attack(owner_api, done, HOME_WORK | {field: value})
            assert (answer.status_code, first_error(answer)["field"].split(".")[-1]) == (400, field), value
        assert not Attack.objects.exists()
        for series in (-1, 1, 10**14, "1.5", True, [0], {}):
            assert refused(request_attack(owner_api, done, HOME_WORK, series=series)) == (400, "series"), series
        for attack in (None, [], "home-work", 1):
            assert request_attack(owner_api, done, attack).status_code == 400, attack
        made = derive_release(source=done, steps=[postprocesses.parse({"name": "ou-smoother"})])
        drawing.run(made.pk)
        answer = request_attack(owner_api, made, QUICK)
        error = first_error(answer)
        assert (answer.status_code, error["field"]) == (409, "release")
        assert error["value"].startswith("Skip + ")
        assert "without post-processing steps" in error["rule"]
        assert request_attack(owner_api, made, HOME_WORK).status_code == 201

    def test_fail_of_releases_that_lack_what_is_needed(self, owner_api, owner, submit, done, crowd, make_dataset):
        day = samples()[2].series
        bare = drawn(owner, make_dataset(owner, type(day)(day.lon, day.lat)))
        for release, attack, rule in (
            (submit(), HOME_WORK, ""),
            (done, CROWD, "a release of at least 2 people"),
            (bare, HOME_WORK, "a release with times"),
        ):
            answer = request_attack(owner_api, release, attack)
            assert refused(answer) == (409, "release")
            assert first_error(answer)["rule"].startswith(rule)
        for answer in (
            request_attack(owner_api, crowd, CROWD, series=0),
            request_attack(owner_api, crowd, CROWD | {"points": 20}),  # more than there are
        ):
            assert refused(answer) == (400, "series")
        assert not Attack.objects.exists()
        assert not list((HOME / "attacks").glob("*"))


class TestWorker:
    def test_cancelled_while_it_runs_it_stops_and_leaves_no_file(self, owner_api, queued_attack, monkeypatch):
        stated = []
        honest = leases.Lease.report

        def report(lease, stage, share):
            stated.append((stage, share))
            lease._reported = 0.0
            if stage == "Attacking":
                queue.request_cancel(queued_attack)
            honest(lease, stage, share)

        monkeypatch.setattr(leases.Lease, "report", report)
        execution.run(queued_attack.pk)
        queued_attack.refresh_from_db()
        assert (queued_attack.state, stated[-1][0]) == (State.CANCELLED, "Attacking")
        assert not list((HOME / "attacks").rglob("*.*"))

    def test_what_fails_states_what_to_do(self, owner_api, taxi_release, monkeypatch):
        monkeypatch.setattr("privacy_engine.attacks.localisation.MOST_STATES", 100)
        pk = request_attack(owner_api, taxi_release(), LONG).json()["id"]
        run_queued_attacks()
        error = owner_api.get(attack_url(pk)).json()["error"]
        assert (error["code"], error["field"], error["again"]) == ("parameter", "cells", False)
        assert error["action"]


class TestGone:
    def test_alone_or_with_what_it_is_of(self, owner_api, done, taxi_release, django_capture_on_commit_callbacks):
        alone, of_release = (request_attack(owner_api, done, one).json()["id"] for one in (HOME_WORK, QUICK))
        other = taxi_release()
        of_dataset = request_attack(owner_api, other, HOME_WORK).json()["id"]
        left = {alone, of_release, of_dataset}
        for gone, delete in (
            (alone, lambda: owner_api.delete(attack_url(alone))),
            (of_release, lambda: discard_release(release=done)),
            (of_dataset, lambda: delete_dataset(dataset=other.dataset)),
        ):
            assert {path.name for path in (HOME / "attacks").iterdir()} == left
            with django_capture_on_commit_callbacks(execute=True):
                delete()
            left.remove(gone)
        assert not list((HOME / "attacks").iterdir())
        assert not Attack.objects.exists()

    def test_deleted_while_a_worker_runs_it_nothing_stays(self, queued_attack, monkeypatch):
        honest = execution.attacked

        def disturbed(row, *rest):
            found = honest(row, *rest)
            Attack.objects.filter(pk=row.pk).delete()
            return found

        monkeypatch.setattr(execution, "attacked", disturbed)
        execution.run(queued_attack.pk)
        assert not list((HOME / "attacks").glob("*"))

    def test_the_sweep_removes_files_without_a_row(self, owner_api, done):
        row = Attack.objects.get(pk=request_attack(owner_api, done, HOME_WORK).json()["id"])
        orphan = aged(local_files.home("attacks", "0" * 8 + "-0000-4000-8000-" + "0" * 12), 61)
        stale = aged(row.folder / f"{'a' * 32}.parquet", 3601)
        aged(row.data_path, 3601)
        cleanup.tidy()
        assert not orphan.exists()
        assert not stale.exists()
        assert row.data_path.exists()
        assert files.read(row).places
