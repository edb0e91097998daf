"""Properties of dashboard/jobs/queue.py, on rows of datasets: claim, lease, fence, cancel, sweep."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from dashboard.account_data.models import AccountExport
from dashboard.accounts.models import User
from dashboard.attacks.models import Attack
from dashboard.audits.models import Audit
from dashboard.core import failures
from dashboard.datasets.models import Dataset
from dashboard.experiments.models import Part
from dashboard.jobs import leases, queue, reaper
from dashboard.jobs import models as job_models
from dashboard.jobs.models import State
from dashboard.releases.models import Release
from privacy_engine import progress
from privacy_engine.errors import ChoiceNeeded, FormatError
from privacy_engine.kernels.kernel import COMPILING

DONE = {"points": 1, "points_file": "x", "content_digest": "y"}


@pytest.fixture
def waiting(owner: User) -> Dataset:
    """A dataset that waits for a worker."""
    return Dataset.objects.create(owner=owner, name="waiting")


def held(row: Dataset, *, expired: bool = False, attempt: int = 1, **columns: Any) -> uuid.UUID:
    """Let a worker hold the row; its token."""
    token = leases.claim(Dataset, row.pk)
    end = timezone.now() + timedelta(seconds=-1 if expired else 60)
    Dataset.objects.filter(pk=row.pk).update(lease_until=end, attempt=attempt, **columns)
    return token


def now_is(row: Dataset) -> Dataset:
    row.refresh_from_db()
    return row


class TestClaim:
    def test_takes_a_waiting_row_once(self, waiting: Dataset) -> None:
        token = leases.claim(Dataset, waiting.pk)
        assert token is not None
        assert leases.claim(Dataset, waiting.pk) is None
        row = now_is(waiting)
        assert (row.state, row.attempt, row.token) == (State.RUNNING, 1, token)
        assert row.lease_until > timezone.now()

    @pytest.mark.parametrize("state", [State.READY, State.FAILED, State.CANCELLED])
    def test_leaves_a_row_that_is_over(self, ready_dataset: Dataset, state: str) -> None:
        Dataset.objects.filter(pk=ready_dataset.pk).update(state=state)
        assert leases.claim(Dataset, ready_dataset.pk) is None

    @pytest.mark.django_db(transaction=True)
    def test_of_sixteen_workers_one_gets_it(self, waiting: Dataset) -> None:
        def attempt(_: int) -> bool:
            try:
                return leases.claim(Dataset, waiting.pk) is not None
            finally:
                connection.close()

        with ThreadPoolExecutor(16) as pool:
            assert sum(pool.map(attempt, range(16))) == 1
        assert now_is(waiting).attempt == 1


class TestFence:
    def test_who_lost_the_lease_publishes_nothing(self, waiting: Dataset) -> None:
        zombie = leases.Lease(Dataset, waiting.pk, held(waiting, expired=True))
        reaper.sweep(Dataset)
        successor = leases.Lease(Dataset, waiting.pk, leases.claim(Dataset, waiting.pk))
        with pytest.raises(leases.LeaseLost):
            zombie.finish(State.READY, points_file="zombie", **{k: v for k, v in DONE.items() if k != "points_file"})
        with pytest.raises(leases.LeaseLost):
            zombie.report("Reading", 0.5)
        assert (now_is(waiting).state, waiting.points_file) == (State.RUNNING, "")
        successor.finish(State.READY, **DONE)
        assert (now_is(waiting).state, waiting.points_file) == (State.READY, "x")

    def test_a_row_deleted_meanwhile_is_no_error(self, waiting: Dataset) -> None:
        def work(row: Dataset, lease: leases.Lease) -> dict[str, Any]:
            Dataset.objects.all().delete()
            return DONE

        leases.run(Dataset, waiting.pk, work)
        assert not Dataset.objects.exists()


def chained(error: Exception, cause: Exception) -> Exception:
    """What a library raises in place of ``cause``."""
    error.__context__ = cause
    return error


class TestRun:
    def test_stores_what_the_work_returns(self, waiting: Dataset) -> None:
        leases.run(Dataset, waiting.pk, lambda row, lease: DONE)
        row = now_is(waiting)
        assert (row.state, row.points, row.progress, row.token, row.error) == (State.READY, 1, 1.0, None, None)
        assert row.finished_at is not None

    def test_twice_works_once(self, waiting: Dataset) -> None:
        runs: list[int] = []

        def work(row: Dataset, lease: leases.Lease) -> dict[str, Any]:
            runs.append(1)
            return DONE

        for _ in range(9):
            leases.run(Dataset, waiting.pk, work)
        assert runs == [1]

    def test_of_nothing_is_nothing(self, db: None) -> None:
        leases.run(Dataset, uuid.uuid4(), lambda row, lease: pytest.fail("ran"))

    @pytest.mark.parametrize(
        ("error", "code"),
        [
            (FormatError("bad", code="damaged", row=3), "damaged"),
            (ChoiceNeeded("which", parameter="swap", choices=[("yes", "Yes")], default="yes"), "choice-needed"),
            (MemoryError(), "memory"),
            (failures.SoftTimeLimitExceeded(), "time-limit"),
            (chained(ValueError("damaged"), failures.SoftTimeLimitExceeded()), "time-limit"),
            (chained(FormatError("bad", code="damaged"), failures.SoftTimeLimitExceeded()), "time-limit"),
            (ValueError("at 48.1234567, 2.7654321"), "internal"),
            (FormatError("NUL \0 here", value="a\0b\ud800"), "unreadable"),
        ],
    )
    def test_failure_has_a_code_and_reports_no_secrets(
        self, waiting: Dataset, caplog: pytest.LogCaptureFixture, error: Exception, code: str
    ) -> None:
        def work(row: Dataset, lease: leases.Lease) -> dict[str, Any]:
            raise error

        leases.run(Dataset, waiting.pk, work)
        row = now_is(waiting)
        assert (row.state, row.error["code"]) == (State.FAILED, code)
        assert "48.1234567" not in caplog.text + str(row.error)
        assert "\0" not in str(row.error)

    @pytest.mark.django_db(transaction=True)
    def test_heartbeat_keeps_a_long_job_its_lease(self, waiting: Dataset, settings: Any) -> None:
        settings.CAIRN_LEASE_S = 0.6
        swept: list[dict[str, int]] = []

        def work(row: Dataset, lease: leases.Lease) -> dict[str, Any]:
            time.sleep(1.5)
            swept.append(reaper.sweep(Dataset))
            return DONE

        leases.run(Dataset, waiting.pk, work)
        assert swept[0]["requeued"] == 0
        assert now_is(waiting).state == State.READY

    @pytest.mark.django_db(transaction=True)
    def test_heartbeat_is_called_with_a_cancellation(self, waiting: Dataset, settings: Any) -> None:
        settings.CAIRN_LEASE_S = 0.4

        def work(row: Dataset, lease: leases.Lease) -> dict[str, Any]:
            queue.request_cancel(row)
            time.sleep(0.8)
            return DONE

        leases.run(Dataset, waiting.pk, work)
        assert (now_is(waiting).state, waiting.points_file) == (State.CANCELLED, "")

    @pytest.mark.django_db(transaction=True)
    def test_that_waits_for_the_compiler_shows_it(self, waiting: Dataset) -> None:
        stages: list[str] = []

        def work(row: Dataset, lease: leases.Lease) -> dict[str, Any]:
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
    def test_leaves_no_thread_behind(self, waiting: Dataset) -> None:
        leases.run(Dataset, waiting.pk, lambda row, lease: DONE)
        assert not [thread for thread in threading.enumerate() if thread.name.startswith("lease-")]


class TestCancel:
    def test_of_a_waiting_row_is_final(self, waiting: Dataset) -> None:
        queue.request_cancel(waiting)
        leases.run(Dataset, waiting.pk, lambda row, lease: pytest.fail("ran"))
        assert now_is(waiting).state == State.CANCELLED

    def test_of_a_running_row_stops_it_at_its_next_report(self, waiting: Dataset) -> None:
        def work(row: Dataset, lease: leases.Lease) -> dict[str, Any]:
            queue.request_cancel(row)
            lease.report("Reading", 0.5)
            pytest.fail("went on")

        leases.run(Dataset, waiting.pk, work)
        assert now_is(waiting).state == State.CANCELLED

    def test_of_a_row_that_is_over_is_refused(self, ready_dataset: Dataset) -> None:
        with pytest.raises(job_models.NotOpen):
            queue.request_cancel(ready_dataset)


class TestRetry:
    def test_has_all_its_attempts_again(self, waiting: Dataset) -> None:
        failed = {"state": State.FAILED, "attempt": 3, "finished_at": timezone.now(), "error": {"code": "crashed"}}
        Dataset.objects.update(**failed)
        row = queue.retried(now_is(waiting))
        assert (row.state, row.attempt, row.error, row.finished_at) == (State.QUEUED, 0, None, None)


class TestSweep:
    @pytest.fixture(autouse=True)
    def enqueued(self, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
        """The primary keys that were enqueued."""
        enqueued: list[Any] = []
        monkeypatch.setattr(queue, "enqueue", lambda job: enqueued.append(job.pk) or True)
        return enqueued

    def test_brings_an_expired_row_back(self, waiting: Dataset, enqueued: list[Any]) -> None:
        held(waiting, expired=True)
        assert reaper.sweep(Dataset) == {"cancelled": 0, "failed": 0, "requeued": 1, "enqueued": 1}
        row = now_is(waiting)
        assert (row.state, row.token, row.lease_until, row.attempt) == (State.QUEUED, None, None, 1)
        assert enqueued == [waiting.pk]

    def test_leaves_a_live_lease_alone(self, waiting: Dataset) -> None:
        held(waiting)
        assert reaper.sweep(Dataset)["requeued"] == 0

    def test_gives_up_after_three_attempts(self, waiting: Dataset) -> None:
        for attempt in (1, 2, 3):
            assert now_is(waiting).state == State.QUEUED
            held(waiting, expired=True, attempt=attempt)
            reaper.sweep(Dataset)
        row = now_is(waiting)
        assert (row.state, row.error["code"]) == (State.FAILED, "crashed")

    def test_ends_what_was_to_be_cancelled(self, waiting: Dataset) -> None:
        held(waiting, expired=True, cancel_requested=True)
        reaper.sweep(Dataset)
        assert now_is(waiting).state == State.CANCELLED

    def test_enqueues_again_what_was_not_claimed(self, waiting: Dataset, enqueued: list[Any]) -> None:
        Dataset.objects.update(enqueued_at=timezone.now())
        reaper.sweep(Dataset)
        assert enqueued == []
        Dataset.objects.update(enqueued_at=timezone.now() - timedelta(seconds=reaper.RESEND_AFTER_S + 1))
        reaper.sweep(Dataset)
        assert enqueued == [waiting.pk]

    def test_a_long_queue_is_no_lost_message(
        self, waiting: Dataset, enqueued: list[Any], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(reaper, "_messages", lambda: 1)
        Dataset.objects.update(enqueued_at=timezone.now() - timedelta(hours=1))
        reaper.sweep(Dataset)
        assert enqueued == []

    def test_does_not_wait_for_a_broker_that_is_away_once_per_row(
        self, owner: User, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        requested: list[Any] = []
        monkeypatch.setattr(queue, "enqueue", lambda job: requested.append(job))
        Dataset.objects.bulk_create(Dataset(owner=owner, name="x") for _ in range(3))
        assert reaper.sweep(Dataset)["enqueued"] == 0
        assert len(requested) == 1

    @pytest.mark.django_db(transaction=True)
    def test_four_at_once_bring_a_row_back_once(self, waiting: Dataset) -> None:
        held(waiting, expired=True)

        def sweep(_: int) -> int:
            try:
                return reaper.sweep(Dataset)["requeued"]
            finally:
                connection.close()

        with ThreadPoolExecutor(4) as pool:
            assert sum(pool.map(sweep, range(4))) == 1


def test_a_message_without_a_broker_is_no_error(waiting: Dataset) -> None:
    begun = time.perf_counter()
    queue.enqueue(waiting)
    assert time.perf_counter() - begun < 1
    assert now_is(waiting).enqueued_at is None


def test_a_row_that_is_rolled_back_is_not_enqueued(
    owner: User, django_capture_on_commit_callbacks: Callable[..., Any]
) -> None:
    from django.db import transaction

    with django_capture_on_commit_callbacks() as callbacks, transaction.atomic():
        queue.enqueue_on_commit(Dataset.objects.create(owner=owner, name="x"))
        transaction.set_rollback(True)
    assert callbacks == []


def test_every_job_model_is_found() -> None:
    assert set(job_models.models_of()) == {Dataset, Release, Part, Attack, Audit, AccountExport}
