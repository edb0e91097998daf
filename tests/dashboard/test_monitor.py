"""The clocks of the processes of a pool, what becomes of the row of a killed one, and queues that stand still."""

import os
import uuid
from datetime import timedelta
from unittest.mock import Mock

import pytest
from django.db import OperationalError
from django.utils import timezone

from dashboard.core import beats, database_errors
from dashboard.datasets.models import Dataset
from dashboard.experiments.models import Experiment
from dashboard.jobs import leases, monitor, queue, reaper, slots
from dashboard.jobs.models import State
from dashboard.jobs.reaper import quiet_s, stalled_queues
from privacy_engine.core import progress
from tests.cases import refreshed
from tests.dashboard.test_jobs_api import experiment
from tests.patience import until
from tests.server import python

LEASE_S, STALL_S = 15.0, 300.0


@pytest.fixture(autouse=True)
def clocks_of_tests(settings):
    settings.CAIRN_LEASE_S, settings.CAIRN_STALL_S = LEASE_S, STALL_S


@pytest.fixture
def own_slot(monkeypatch):
    monkeypatch.setattr(slots, "own", slots.Slot())
    return slots.own


class Pool:
    """One process that is looked at every second of a clock of its own."""

    def __init__(self):
        self.slot, self.at = slots.Slot(pid=1), 1000.0
        self._clocks = monitor.Clocks([self.slot])
        self.look()

    def look(self):
        return [still for _, still in self._clocks.overdue(self.at)]

    def after(self, seconds, *, signs=True, advances=False):
        """What is overdue after so many seconds."""
        found = []
        for _ in range(seconds):
            self.at += 1
            self.slot.signs += signs
            self.slot.progress += advances
            found = self.look()
        return found

    def hold(self):
        self.slot.hold("datasets.Dataset", 1, uuid.uuid4())
        self.look()


class TestClocks:
    def test_a_process_needs_to_show_signs_of_life_while_a_monitor_runs(self):
        pool = Pool()
        assert pool.after(10_000) == []
        assert pool.after(14, signs=False) == []
        pool.slot.pid = 2  # another process in the slot begins again
        assert pool.after(14, signs=False) == []
        assert len(pool.after(2, signs=False)) == 1
        pool.slot.killed = True  # it is not looked at
        assert pool.after(100, signs=False) == []
        pool = Pool()
        pool.hold()
        pool.at += 100_000
        assert pool.look() == []
        assert pool.after(12, signs=False) == []
        assert len(pool.after(2, signs=False)) == 1

    def test_a_job_must_make_progress_and_end_when_it_is_cancelled(self):
        pool = Pool()
        pool.hold()
        assert pool.after(10_000, advances=True) == []
        assert pool.after(299) == []
        pool.slot.let_go()
        pool.hold()  # a new job of the same process begins again
        assert pool.after(299) == []
        assert pool.after(1) == [300.0]
        pool = Pool()
        pool.hold()
        pool.after(100, advances=True)
        pool.slot.cancelled = True
        assert pool.after(8, advances=True) == []
        assert len(pool.after(1, advances=True)) == 1
        pool.slot.let_go()
        assert pool.after(1) == []
        for _ in range(2):  # the second is cancelled as well, before a user looked
            pool.slot.hold("datasets.Dataset", 1, uuid.uuid4())
            pool.slot.cancelled = True
            assert pool.after(7, advances=True) == []


class TestProcess:
    CODE = """
import os, sys, time
from billiard.process import current_process
from dashboard.jobs import slots
slots.share()
if pid := os.fork():
    time.sleep(1)
    one = slots.every[3]
    print(one.pid == pid, one.signs > 3, one.busy, one.stage.decode(), one.left())
    os.waitpid(pid, 0)
    one.killed = True
    left = one.left()
    print(left.model, left.pk, left.stage, left.attempt)
    current_process().index = 3
    print(slots.enter(0.05) == left, one.busy, one.left())
else:
    current_process().index = 3
    assert slots.enter(0.05) is None
    slots.own.hold("datasets.Dataset", 7, "token")
    slots.own.advance("Lesen ü" + "x" * 300)
    slots.own.advance("Reading")
    time.sleep(2)
    os._exit(0)
"""

    def test_shows_what_it_holds_to_the_one_that_forked_it_and_leaves_it_to_the_next(self):
        done = python("-c", self.CODE)
        lines = ["True True True Reading None", "datasets.Dataset 7 Reading 0", "True False None"]
        assert done.stdout.splitlines() == lines, done.stderr
        before = slots.own
        assert (slots.enter(1.0), slots.own) == (None, before), "outside a pool there is none that a monitor reads"

    def test_is_not_killed_by_the_number_of_a_process_that_ended(self, monkeypatch):
        killed = []
        monkeypatch.setattr(os, "kill", lambda pid, _: killed.append(pid))
        monkeypatch.setattr(monitor, "every_s", lambda: 0.01)
        monkeypatch.setattr(monitor.Clocks, "overdue", lambda self, _: iter([(one, 5.0) for one in self._slots]))
        mine, other = slots.Slot(pid=11), slots.Slot(pid=12)
        monitor.watch([mine, other], lambda: [12])
        until(lambda: killed, 5, every_s=0.01)
        assert set(killed) == {12}
        assert (other.killed, other.seconds, mine.killed) == (True, 5.0, False)


@pytest.fixture
def job(owner, monkeypatch):
    """A dataset that waits; messages about it are counted as sent."""
    monkeypatch.setattr(queue.current_app, "send_task", lambda *_, **__: None)
    return Dataset.objects.create(owner=owner, name="Hangs")


def left_of(job, *, attempt=1, cancelled=False):
    """What a process that was killed leaves of the job it had claimed."""
    token = leases.claim(Dataset, job.pk)
    Dataset.objects.filter(pk=job.pk).update(attempt=attempt, cancel_requested=cancelled)
    return slots.Left("datasets.Dataset", str(job.pk), str(token), attempt, "Reading", 301.2)


STOPPED = 'The job made no progress for 301 s in the stage "Reading" and was stopped.'
NO_PROGRESS = {"code": "no-progress", "message": STOPPED}


class TestRecovery:
    def test_it_waits_again_at_once_with_a_message(self, job):
        monitor.recover(left_of(job))
        assert (refreshed(job).state, job.attempt, job.token, job.stage, job.error) == (State.QUEUED, 1, None, "", None)
        assert job.enqueued_at is not None

    def test_the_third_attempt_fails_with_its_stage_or_is_cancelled(self, owner, job):
        other = Dataset.objects.create(owner=owner, name="Cancelled")
        for row, cancelled in ((job, False), (other, True)):
            monitor.recover(left_of(row, attempt=3, cancelled=cancelled))
        assert (refreshed(job).state, job.error) == (State.FAILED, NO_PROGRESS)
        assert job.failure["again"] is True
        assert (refreshed(other).state, other.error) == (State.CANCELLED, None)

    @pytest.mark.parametrize("attempt", [1, 3])
    def test_the_sweep_may_be_quicker(self, job, attempt):
        """Heartbeats end with the signs of life, so a lease may expire before the process is killed."""
        left = left_of(job, attempt=attempt)
        Dataset.objects.filter(pk=job.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
        reaper.recover_expired(Dataset)
        monitor.recover(left)
        expected = (State.FAILED, NO_PROGRESS) if attempt == 3 else (State.QUEUED, None)
        assert (refreshed(job).state, job.error) == expected

    def test_a_row_that_another_worker_has_by_now_is_left_alone(self, job):
        left = left_of(job)
        other = uuid.uuid4()
        Dataset.objects.filter(pk=job.pk).update(token=other, attempt=2)
        monitor.recover(left)
        assert (refreshed(job).state, job.token, job.attempt) == (State.RUNNING, other, 2)
        error = {"code": "empty", "message": "It has no events."}  # it was killed after it had failed
        over = {"state": State.FAILED, "token": None, "lease_until": None, "finished_at": ago(0), "error": error}
        Dataset.objects.filter(pk=job.pk).update(attempt=1, **over)
        monitor.recover(left)
        assert (refreshed(job).state, job.error) == (State.FAILED, error)


class TestLease:
    def test_shows_what_is_held_and_its_progress(self, job, own_slot):
        seen = []

        def work(row, lease):
            lease.report("Reading", 0.1)
            seen.append((own_slot.busy, own_slot.model.decode(), own_slot.pk.decode(), own_slot.stage.decode()))
            seen.append((own_slot.token.decode() == str(lease.token), own_slot.attempt))
            before = own_slot.progress
            progress.advance()
            lease.report("Too soon for the database", 0.2)
            seen.append(own_slot.progress - before)
            Dataset.objects.filter(pk=row.pk).update(cancel_requested=True)
            lease._extend()
            seen.append(own_slot.cancelled)
            lease.check()
            return {}

        leases.run(Dataset, job.pk, work)
        assert seen == [(True, "datasets.Dataset", str(job.pk), "Reading"), (True, 1), 2, True]
        assert (own_slot.busy, own_slot.cancelled) == (False, False)
        before = own_slot.progress
        progress.advance()
        assert own_slot.progress == before  # without a listener

    def test_waiting_for_a_database_is_progress(self, own_slot, monkeypatch):
        monkeypatch.setattr("dashboard.core.database_errors.connection", Mock(in_atomic_block=False))
        with progress.listening(own_slot.advance):
            database_errors.patiently(Mock(side_effect=[OperationalError("away"), None]))
        assert own_slot.progress == 1


def ago(seconds):
    return timezone.now() - timedelta(seconds=seconds)


def batch(owner, **columns):
    """A job of the queue of batches."""
    made = experiment(owner)
    Experiment.objects.filter(pk=made.pk).update(**columns)
    return made


def dataset(owner, **columns):
    """A job of the queue of what people wait for."""
    made = Dataset.objects.create(owner=owner, name="One")
    Dataset.objects.filter(pk=made.pk).update(**columns)
    return made


RUNS = {"state": State.RUNNING, "token": uuid.uuid4(), "lease_until": timezone.now() + timedelta(days=1)}
BOTH = beats.Beat("both", 1.0, "batch interactive")
ALONE = beats.Beat("alone", 1.0, "interactive")


class TestStalledQueues:
    def test_jobs_that_wait_a_minute_while_none_goes_on(self, owner, settings):
        assert (stalled_queues([BOTH]), quiet_s()) == ([], 60)
        waits = dataset(owner, created_at=ago(50))
        hangs = dataset(owner, created_at=ago(500), progressed_at=ago(100), **RUNS)
        assert stalled_queues([BOTH]) == []
        Dataset.objects.filter(pk=waits.pk).update(created_at=ago(70), enqueued_at=ago(1))  # sent again by the sweep
        assert stalled_queues([BOTH]) == ["interactive"]
        Dataset.objects.filter(pk=hangs.pk).update(progressed_at=ago(30))
        assert stalled_queues([BOTH]) == []
        settings.CAIRN_STALL_S = 5.0
        assert quiet_s() == 2.5

    def test_one_that_was_begun_and_is_over_is_enough_and_one_queued_again_waits_from_then_on(self, owner):
        over = {"state": State.FAILED, "error": {"code": "empty"}}
        failed = dataset(owner, created_at=ago(7000), finished_at=ago(6000), **over)
        queue.retry(refreshed(failed))
        assert stalled_queues([]) == []
        dataset(owner, created_at=ago(70))
        dataset(owner, finished_at=ago(1), progressed_at=ago(5), **over)
        assert stalled_queues([]) == []

    def test_jobs_of_another_queue_are_a_reason_where_every_worker_takes_them_too(self, owner):
        dataset(owner, created_at=ago(70))
        batch(owner, progressed_at=ago(1), **RUNS)
        assert stalled_queues([BOTH]) == []
        assert stalled_queues([BOTH, ALONE]) == ["interactive"]
        assert stalled_queues([]) == ["interactive"]

    def test_an_owner_who_has_enough_running_does_not_make_a_queue_stall(self, owner, settings):
        settings.CAIRN_OWNER_RUNNING = 1
        dataset(owner, created_at=ago(70))
        batch(owner, progressed_at=ago(100), **RUNS)
        assert stalled_queues([]) == []

    def test_health_reports_it(self, owner, client):
        batch(owner, created_at=ago(70))
        answer = client.get("/healthz")
        assert (answer.status_code, answer.json()["ok"], answer.json()["stalled"]) == (200, False, ["batch"])
        Experiment.objects.update(created_at=ago(1))
        assert client.get("/healthz").json()["ok"] is True


@pytest.mark.parametrize(("variable", "value"), [("CAIRN_STALL_S", "0"), ("CAIRN_LEASE_S", "-1")])
def test_a_clock_must_be_positive(variable, value):
    done = python("-c", "import dashboard.config.settings", **{variable: value})
    assert f"{variable} must be a number of seconds greater than 0, got {value}" in done.stderr
