"""Attacks as jobs: progress, cancelled, requeued, and deleted with their release."""

from django.utils import timezone

from dashboard.attacks import execution, files
from dashboard.attacks.models import Attack
from dashboard.datasets.services import delete_dataset
from dashboard.jobs import leases, queue, reaper
from dashboard.jobs.models import State
from dashboard.maintenance import cleanup
from dashboard.releases.services import discard_release
from dashboard.storage import local_files
from tests.dashboard.attack_helpers import HOME_WORK, LONG, QUICK, attack_url, request_attack, run_queued_attacks
from tests.dashboard.conftest import HOME
from tests.dashboard.test_cleanup import aged


def attacks_that_ended(api):
    return [job for job in api.get("/api/v1/jobs/").json()["ended"] if job["kind"] == "attack"]


class TestWorker:
    def test_it_is_listed_as_every_job(self, owner_api, queued_attack):
        (job,) = owner_api.get("/api/v1/jobs/").json()["results"]
        assert (job["kind"], job["id"], job["state"]) == ("attack", str(queued_attack.pk), "queued")
        assert job["title"] == "Localisation on Skip · ε 1 / 200\u202fm, A day in Paris"
        assert f"attack={queued_attack.pk}" in job["urls"]["page"]
        assert owner_api.post(job["urls"]["cancel"]).json()["state"] == "cancelled"
        (job,) = attacks_that_ended(owner_api)
        assert owner_api.post(job["urls"]["retry"]).json()["state"] == "queued"
        run_queued_attacks()
        (job,) = attacks_that_ended(owner_api)
        assert job["state"] == "done"

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

    def test_killed_and_requeued_there_is_one_result(self, queued_attack, monkeypatch):
        honest = execution.attacked

        def killed(row, token, report):
            honest(row, token, report)
            Attack.objects.filter(pk=row.pk).update(lease_until=timezone.now() - timezone.timedelta(seconds=1))
            reaper.sweep(Attack)
            raise leases.LeaseLost

        monkeypatch.setattr(queue, "enqueue", lambda job: True)
        with monkeypatch.context() as patch:
            patch.setattr(execution, "attacked", killed)
            execution.run(queued_attack.pk)
        queued_attack.refresh_from_db()
        assert queued_attack.state == State.QUEUED
        execution.run(queued_attack.pk)
        queued_attack.refresh_from_db()
        assert (queued_attack.state, queued_attack.attempt) == (State.DONE, 2)
        assert [path.name for path in queued_attack.folder.iterdir()] == [queued_attack.data_file]

    def test_what_fails_states_what_to_do(self, owner_api, taxi_release, monkeypatch):
        monkeypatch.setattr("privacy_engine.attacks.localisation.MOST_STATES", 100)
        pk = request_attack(owner_api, taxi_release(), LONG).json()["id"]
        run_queued_attacks()
        error = owner_api.get(attack_url(pk)).json()["error"]
        assert (error["code"], error["field"], error["again"]) == ("parameter", "cells", False)
        assert error["action"]


class TestGone:
    def test_alone_or_with_its_release_or_dataset(
        self, owner_api, done, taxi_release, django_capture_on_commit_callbacks
    ):
        alone, with_release = (request_attack(owner_api, done, one).json()["id"] for one in (HOME_WORK, QUICK))
        with_dataset = taxi_release()
        request_attack(owner_api, with_dataset, HOME_WORK)
        assert len(list((HOME / "attacks").iterdir())) == 3
        with django_capture_on_commit_callbacks(execute=True):
            assert owner_api.delete(attack_url(alone)).status_code == 204
        assert not (HOME / "attacks" / alone).exists()
        with django_capture_on_commit_callbacks(execute=True):
            discard_release(release=done)
        assert not (HOME / "attacks" / with_release).exists()
        with django_capture_on_commit_callbacks(execute=True):
            delete_dataset(dataset=with_dataset.dataset)
        assert not list((HOME / "attacks").iterdir())
        assert not Attack.objects.exists()

    def test_deleted_while_a_worker_runs_it_nothing_stays(self, queued_attack, monkeypatch):
        honest = execution.attacked

        def disturbed(row, token, report):
            found = honest(row, token, report)
            Attack.objects.filter(pk=row.pk).delete()
            return found

        monkeypatch.setattr(execution, "attacked", disturbed)
        execution.run(queued_attack.pk)
        assert not list((HOME / "attacks").glob("*"))

    def test_the_sweep_removes_files_without_a_row(self, owner_api, done):
        pk = request_attack(owner_api, done, HOME_WORK).json()["id"]
        row = Attack.objects.get(pk=pk)
        orphan = aged(local_files.home("attacks", "0" * 8 + "-0000-4000-8000-" + "0" * 12), 61)
        stale = aged(row.folder / f"{'a' * 32}.parquet", 3601)
        aged(row.data_path, 3601)
        cleanup.tidy()
        assert not orphan.exists()
        assert not stale.exists()
        assert row.data_path.exists()
        assert files.read(row).places
