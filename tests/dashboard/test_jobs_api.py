"""The list of jobs: queued and finished jobs and advice; cancel, retry and dismiss for every model."""

from datetime import timedelta
from unittest.mock import Mock

import pytest
from django.db.models import Q
from django.utils import timezone

from dashboard.datasets import services
from dashboard.datasets.models import Dataset
from dashboard.datasets.tasks import import_dataset as read_it
from dashboard.jobs import leases
from dashboard.jobs import models as job_models
from dashboard.jobs.models import State
from dashboard.releases.models import Release
from privacy_engine.errors import FormatError
from tests.dashboard.conftest import CSV, upload
from tests.dashboard.release_runs import executed, fail, interrupted

API = "/api/v1/"
JOBS = f"{API}jobs/"


@pytest.fixture
def queued(owner, everything_is_large):
    """An upload that waits for a worker."""
    return services.import_dataset(owner=owner, upload=upload(CSV), name="Run")


def failed(row, code="memory", **columns):
    """The row after it failed so."""
    type(row).objects.filter(pk=row.pk).update(
        **{"state": State.FAILED, "finished_at": timezone.now(), "started_at": timezone.now(), "attempt": 1} | columns,
        error={"code": code, "message": "It did not work."},
    )
    row.refresh_from_db()
    return row


def ended(api):
    return list(api.get(JOBS).json()["ended"])


class TestEnded:
    def test_a_failed_one_states_why_and_what_to_do(self, owner_api, submit, queued):
        release = failed(submit(), "time-limit")
        (reported,) = ended(owner_api)
        assert (reported["id"], reported["kind"], reported["state"]) == (str(release.pk), "release", "failed")
        assert reported["error"]["message"] == "It did not work."
        assert reported["error"]["action"].startswith("Retry when less is running.")
        assert set(reported["urls"]) == {"self", "page", "retry", "dismiss"}
        failed(queued, "no_points")  # the same again would fail again
        reported = ended(owner_api)[0]
        assert (reported["error"]["again"], set(reported["urls"])) == (False, {"self", "page", "dismiss"})

    def test_one_that_ends_between_two_requests_is_reported_once(self, owner_api, submit, monkeypatch):
        release = failed(submit())
        monkeypatch.setattr("dashboard.jobs.api.OPEN", Q())  # the first response shows it running
        reported = owner_api.get(JOBS).json()
        assert str(release.pk) not in {one["id"] for one in reported["results"]}
        assert [one["id"] for one in reported["ended"]] == [str(release.pk)]

    def test_done_ones_are_listed_for_a_short_time_and_failed_ones_for_two_weeks(self, owner_api, owner, submit):
        services.import_dataset(owner=owner, upload=upload(CSV))  # read at once: no job
        release = executed(submit())
        assert [one["state"] for one in ended(owner_api)] == ["done"]
        Release.objects.filter(pk=release.pk).update(finished_at=timezone.now() - timedelta(minutes=3))
        assert ended(owner_api) == []
        for days, listed in ((13, 1), (15, 0)):
            failed(release, finished_at=timezone.now() - timedelta(days=days))
            assert len(ended(owner_api)) == listed, days

    def test_the_newest_twenty(self, owner_api, submit, queued):
        long_ago = timezone.now() - timedelta(hours=5)
        for i in range(22):
            failed(submit(), finished_at=long_ago + timedelta(minutes=i))
        failed(queued, finished_at=long_ago + timedelta(minutes=10, seconds=30))
        reported = ended(owner_api)
        assert len(reported) == 20
        times = [one["finished_at"] for one in reported]
        assert times == sorted(times, reverse=True)
        assert [one["kind"] for one in reported].index("dataset") == 11

    def test_takes_two_queries_for_each_kind_and_one_for_the_queue_however_many_there_are(
        self, owner_api, submit, django_assert_num_queries
    ):
        for i in range(6):
            release = submit()
            if i % 2:
                failed(release)
        with django_assert_num_queries(2 * len(job_models.listed_models()) + len(job_models.models_of()) + 1):  # roles
            answer = owner_api.get(JOBS).json()
        assert (len(answer["results"]), len(answer["ended"])) == (3, 3)


class TestDismiss:
    def test_it_is_not_listed_and_stays_stored(self, owner_api, submit):
        release = failed(submit())
        assert owner_api.post(ended(owner_api)[0]["urls"]["dismiss"]).status_code == 204
        assert ended(owner_api) == []
        assert Release.objects.get().state == State.FAILED == release.state

    def test_tried_again_and_failed_again_it_is_reported_again(self, owner_api, submit, monkeypatch):
        release = interrupted(submit(), monkeypatch, fail)
        retry = ended(owner_api)[0]["urls"]["retry"]
        owner_api.post(f"{JOBS}{release.pk}/dismiss/")
        assert owner_api.post(retry).status_code == 200
        assert ended(owner_api) == []
        interrupted(release, monkeypatch, fail)
        assert len(ended(owner_api)) == 1

    def test_an_open_one_stays_and_so_does_its_failure(self, owner_api, submit):
        release = submit()
        assert owner_api.post(f"{JOBS}{release.pk}/dismiss/").status_code == 204
        assert len(owner_api.get(JOBS).json()["results"]) == 1
        failed(release)
        assert len(ended(owner_api)) == 1


class TestImports:
    def test_a_waiting_one_is_cancelled_and_tried_again(self, owner_api, queued):
        (job,) = owner_api.get(JOBS).json()["results"]
        assert owner_api.post(job["urls"]["cancel"]).json()["state"] == "cancelled"
        read_it(str(queued.pk))
        assert Dataset.objects.get().state == State.CANCELLED
        (reported,) = ended(owner_api)
        assert (reported["state"], reported["error"]) == ("cancelled", None)
        assert owner_api.post(reported["urls"]["retry"]).json()["state"] == "queued"
        read_it(str(queued.pk))
        queued.refresh_from_db()
        assert (queued.state, queued.points) == (State.READY, 3)

    def test_a_running_one_receives_it(self, owner_api, queued):
        token = leases.claim(Dataset, queued.pk)
        assert token
        owner_api.post(f"{API}datasets/{queued.pk}/cancel/")
        with pytest.raises(leases.Cancelled):
            leases.Lease(Dataset, queued.pk, token).report("Reading", 0.5)

    def test_one_that_failed_states_what_to_do_and_is_read_again(self, owner_api, queued, monkeypatch):
        message, action = "The file is empty.", "Choose the file that holds the positions."
        for error in (MemoryError(), FormatError(message, code="empty")):
            with monkeypatch.context() as patch:
                patch.setattr("dashboard.datasets.execution.read", Mock(side_effect=error))
                read_it(str(queued.pk))
            shown = owner_api.get(f"{API}datasets/{queued.pk}/").json()["error"]
            if shown["code"] == "memory":
                assert owner_api.post(ended(owner_api)[0]["urls"]["retry"]).status_code == 200
        assert (shown["code"], shown["message"], shown["action"]) == ("empty", message, action)
        assert owner_api.post(f"{API}datasets/{queued.pk}/retry/").status_code == 200
        read_it(str(queued.pk))
        queued.refresh_from_db()
        assert (queued.state, queued.error) == (State.READY, None)

    def test_fail_ready(self, owner_api, ready_dataset):
        for name in ("cancel", "retry"):
            answer = owner_api.post(f"{API}datasets/{ready_dataset.pk}/{name}/")
            assert (name, answer.status_code) == (name, 409)

    def test_fail_upload_gone(self, owner_api, queued):
        failed(queued).original_path.unlink()
        answer = owner_api.post(f"{API}datasets/{queued.pk}/retry/")
        assert answer.status_code == 409
        assert "Upload the file again" in answer.json()["errors"][0]["message"]
