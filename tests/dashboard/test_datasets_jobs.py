"""Threads and processes that want one job, and what heartbeats do; test_every_job.py has what holds for every kind."""

import threading
import time
import uuid
from datetime import timedelta

import pytest
from django.utils import timezone

from dashboard.datasets.models import Dataset
from dashboard.jobs import leases, queue, reaper
from dashboard.jobs.models import State
from privacy_engine import progress
from privacy_engine.kernels.kernel import COMPILING
from tests.dashboard.conftest import at_once

DONE = {"points": 1, "points_file": "x", "content_digest": "y"}


@pytest.fixture
def waiting(owner):
    """A dataset that waits for a worker."""
    return Dataset.objects.create(owner=owner, name="waiting")


def now_is(row):
    row.refresh_from_db()
    return row


class TestClaim:
    @pytest.mark.django_db(transaction=True)
    def test_of_sixteen_workers_one_gets_it(self, waiting):
        assert sum(at_once(16, lambda _: leases.claim(Dataset, waiting.pk) is not None)) == 1
        assert now_is(waiting).attempt == 1


class TestRun:
    def test_of_nothing_is_nothing(self, db):
        leases.run(Dataset, uuid.uuid4(), lambda row, lease: pytest.fail("ran"))

    @pytest.mark.django_db(transaction=True)
    def test_heartbeat_keeps_a_long_job_its_lease(self, waiting, settings):
        settings.CAIRN_LEASE_S = 0.6
        swept = []

        def work(row, lease):
            time.sleep(1.5)
            swept.append(reaper.sweep(Dataset))
            return DONE

        leases.run(Dataset, waiting.pk, work)
        assert swept[0]["requeued"] == 0
        assert now_is(waiting).state == State.READY

    @pytest.mark.django_db(transaction=True)
    def test_heartbeat_is_called_with_a_cancellation(self, waiting, settings):
        settings.CAIRN_LEASE_S = 0.4

        def work(row, lease):
            queue.request_cancel(row)
            time.sleep(0.8)
            return DONE

        leases.run(Dataset, waiting.pk, work)
        assert (now_is(waiting).state, waiting.points_file) == (State.CANCELLED, "")

    @pytest.mark.django_db(transaction=True)
    def test_that_waits_for_the_compiler_shows_it(self, waiting):
        stages = []

        def work(row, lease):
            lease.report("Reading", 0.5)
            for _ in range(2):
                progress.announce(COMPILING)
                stages.append(now_is(waiting).stage)
            time.sleep(0.3)  # as often as a stage is written
            lease.report("Reading", 0.6)
            stages.append(now_is(waiting).stage)
            return DONE

        leases.run(Dataset, waiting.pk, work)
        assert stages == [COMPILING, COMPILING, "Reading"]
        assert now_is(waiting).state == State.READY

    @pytest.mark.django_db(transaction=True)
    def test_leaves_no_thread_behind(self, waiting):
        leases.run(Dataset, waiting.pk, lambda row, lease: DONE)
        assert not [thread for thread in threading.enumerate() if thread.name.startswith("lease-")]


class TestSweep:
    @pytest.fixture(autouse=True)
    def enqueued(self, monkeypatch):
        """The primary keys that were enqueued."""
        enqueued = []
        monkeypatch.setattr(queue, "enqueue", lambda job: enqueued.append(job.pk) or True)
        return enqueued

    def test_does_not_wait_for_a_broker_that_is_away_once_per_row(self, owner, monkeypatch):
        requested = []
        monkeypatch.setattr(queue, "enqueue", lambda job: requested.append(job))
        Dataset.objects.bulk_create(Dataset(owner=owner, name="x") for _ in range(3))
        assert reaper.sweep(Dataset)["enqueued"] == 0
        assert len(requested) == 1

    @pytest.mark.django_db(transaction=True)
    def test_four_at_once_bring_a_row_back_once(self, waiting):
        leases.claim(Dataset, waiting.pk)
        Dataset.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
        assert sum(at_once(4, lambda _: reaper.sweep(Dataset)["requeued"])) == 1


def test_a_message_without_a_broker_is_no_error(waiting):
    begun = time.perf_counter()
    queue.enqueue(waiting)
    assert time.perf_counter() - begun < 1
    assert now_is(waiting).enqueued_at is None


def test_a_row_that_is_rolled_back_is_not_enqueued(owner, django_capture_on_commit_callbacks):
    from django.db import transaction

    with django_capture_on_commit_callbacks() as callbacks, transaction.atomic():
        queue.enqueue_on_commit(Dataset.objects.create(owner=owner, name="x"))
        transaction.set_rollback(True)
    assert callbacks == []
