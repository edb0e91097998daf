"""Transient errors of the database, at every write of every kind of job: it ends as it would have without them."""

import sqlite3
import time
from contextlib import suppress
from datetime import timedelta
from unittest.mock import Mock

import pytest
from celery import current_app
from django.db import DataError, InterfaceError, OperationalError, transaction
from django.db.models import Sum
from django.utils import timezone

from dashboard.account_data import execution as export_execution
from dashboard.accounts.models import User
from dashboard.area_maps import execution as area_execution
from dashboard.area_maps import selectors as area_selectors
from dashboard.area_maps.models import AreaMap
from dashboard.area_maps.services import fetch_area_map
from dashboard.attacks import execution as attack_execution
from dashboard.attacks import services as attack_services
from dashboard.audits import execution as audit_execution
from dashboard.audits.services import submit_audit
from dashboard.core import database_errors
from dashboard.datasets import execution as dataset_execution
from dashboard.datasets.models import Budget, BudgetEntry, Dataset
from dashboard.datasets.services import import_dataset
from dashboard.experiments import execution as experiment_execution
from dashboard.experiments.models import Experiment, ExperimentPart
from dashboard.experiments.services import submit_experiment
from dashboard.jobs import leases, queue, reaper
from dashboard.jobs.models import OPEN, State, models_of
from dashboard.landmarks.services import mark_landmarks
from dashboard.maintenance import cleanup
from dashboard.maps.regions import Region
from dashboard.releases import execution as release_execution
from dashboard.releases.models import Release
from privacy_engine import audit, experiments
from privacy_engine.attacks import attacks
from tests.cases import refreshed
from tests.dashboard.attack_helpers import HOME_WORK
from tests.dashboard.conftest import upload
from tests.dashboard.database_faults import failing
from tests.dashboard.release_runs import executed, submitted
from tests.map_archive import serving, tiles_below, write_archive

MECHANISM = {"name": "landmark-skip", "epsilon": 1.0, "radius_m": 200.0}
RUN = {
    "release": release_execution.run,
    "releasepart": release_execution.run_part,
    "dataset": dataset_execution.run,
    "datasetpart": dataset_execution.run_part,
    "attack": attack_execution.run,
    "attackpart": attack_execution.run_part,
    "audit": audit_execution.run,
    "experiment": experiment_execution.run,
    "experimentpart": experiment_execution.run_part,
    "accountexport": export_execution.run,
    "areamap": area_execution.run,
}


@pytest.fixture(autouse=True)
def no_delay(monkeypatch):
    """No pauses, and no broker: the messages that would be sent."""
    sent = []
    monkeypatch.setattr(database_errors, "PAUSES_S", (0.0,))
    monkeypatch.setattr(queue, "enqueue", lambda job: sent.append(str(job.pk)) or True)
    return sent


def run_waiting():
    """Do what workers and the sweep do until nothing is open; Celery logs the errors of tasks."""
    for _ in range(12):
        for run, model in ((RUN[model._meta.model_name], model) for model in models_of()):
            for pk in list(model._default_manager.filter(state=State.QUEUED).values_list("pk", flat=True)):
                run(pk)
        if not any(model._default_manager.filter(state__in=OPEN).exists() for model in models_of()):
            return
        _sweep_later()


def _sweep_later():
    long_ago = timezone.now() - timedelta(hours=1)
    with suppress(OperationalError):
        for model in models_of():
            model._default_manager.filter(state=State.RUNNING).update(lease_until=long_ago)
        cleanup.Cleanup().round()


def released(owner, dataset):
    marks = mark_landmarks(owner=owner, dataset=dataset, method={"name": "manual", "events": [0, 3]})
    return submitted(marks, MECHANISM)


def waiting_attack(owner, dataset):
    release = executed(released(owner, dataset))
    return attack_services.submit_attack(owner=owner, release=release, attack=attacks.parse(HOME_WORK))[0]


FEW = experiments.presets.parse({"name": "temporal-distance", "repetitions": 2})
KINDS = {
    "release": released,
    "attack": waiting_attack,
    "audit": lambda owner, _: submit_audit(owner=owner, spec=audit.AuditSpec(mechanism=MECHANISM, trials=1000)),
    "experiment": lambda owner, _: submit_experiment(owner=owner, preset=FEW),
    "map": lambda owner, dataset: fetch_area_map(user=owner, dataset=dataset, host=area_selectors.archive().host)[0],
    "upload": lambda owner, _: import_dataset(owner=owner, upload=upload(), name="Run", options={}),
}


EVERY_KIND = pytest.mark.parametrize("submit", KINDS.values(), ids=KINDS)


@pytest.fixture
def queued(transactional_db, everything_is_large, monkeypatch, make_dataset, paris_day, tmp_path, settings):
    """``queued(released)``: a waiting job of that kind."""
    monkeypatch.setattr(experiments, "AT_ONCE_S", -1.0)
    monkeypatch.setattr(attack_services, "AT_ONCE_S", -1.0)
    owner = User.objects.create_user("owner")
    dataset = make_dataset(owner, paris_day, name="A day in Paris")
    region = Region.around(dataset.summary["bounds"])
    archive = write_archive(tmp_path / "planet.pmtiles", tiles_below(region.west, region.north, 8))
    with serving(archive.read_bytes()) as host:
        settings.CAIRN_MAP_ARCHIVE = host.url
        yield lambda submit: submit(owner, dataset)


def assert_ended_once(job, files):
    assert (refreshed(job).state, job.error) == (job.SUCCEEDED, None)
    assert job.attempt <= 1, "what the database interrupted is no attempt"
    assert Budget.objects.aggregate(s=Sum("spent"))["s"] == BudgetEntry.objects.aggregate(s=Sum("amount"))["s"]
    if isinstance(job, Release):
        assert BudgetEntry.objects.filter(release_id=job.pk).count() == 1
        assert sorted(path.name for path in job.folder.iterdir()) == sorted([job.data_file, f"budgets-{job.data_file}"])
    if isinstance(job, Experiment):
        assert not ExperimentPart.objects.filter(job=job).exists()
    assert not [name for name in files if name.endswith(".part")]


@pytest.mark.slow
@EVERY_KIND
@pytest.mark.parametrize(
    ("after", "times"),
    [(False, 1), (True, 1), pytest.param(False, 3, marks=pytest.mark.thorough)],
    ids=["refused", "answer lost", "refused three times"],
)
def test_a_failure_at_any_write_ends_no_job(submit, after, times, queued, files):
    first, failed = 0, 1
    while failed:
        job = queued(submit)
        with failing(first, times=times, after=after) as faults:
            run_waiting()
        failed = faults.failed
        assert_ended_once(job, files())
        if isinstance(job, Release | Dataset | Experiment | AreaMap):
            job.delete()
        first += 1
    assert first > 3, "a job has some writes"


def lost(sqlstate):
    """The error of PostgreSQL with that code."""
    cause, error = Exception("values of a row"), OperationalError("values of a row")
    cause.sqlstate = sqlstate
    error.__cause__ = cause
    return error


class TestIsTransient:
    def test_what_the_database_reports_of_itself_is_and_a_wrong_statement_is_not(self, tmp_path):
        for sqlstate in (None, "08006", "40001", "40P01", "53100", "53300", "55P03", "57P01", "58030"):
            assert database_errors.is_transient(lost(sqlstate)), sqlstate
        assert database_errors.is_transient(InterfaceError("connection already closed"))
        for error in (lost("42P01"), lost("22003"), DataError(), ValueError(), MemoryError()):
            assert not database_errors.is_transient(error)
        one, other = (sqlite3.connect(tmp_path / "db", timeout=0, isolation_level=None) for _ in range(2))
        try:
            one.execute("BEGIN IMMEDIATE")
            for statement, expected in (("BEGIN IMMEDIATE", True), ("SELECT * FROM missing", False)):
                with pytest.raises(sqlite3.OperationalError) as caught:
                    other.execute(statement)
                error = OperationalError()
                error.__cause__ = caught.value
                assert database_errors.is_transient(error) is expected
        finally:
            one.close()
            other.close()


@pytest.mark.django_db(transaction=True)
class TestPatiently:
    def test_repeats_no_defect_not_forever_and_not_inside_a_transaction(self):
        away, defect = Mock(side_effect=OperationalError), Mock(side_effect=lost("42P01"))
        with pytest.raises(OperationalError):
            database_errors.patiently(away, limit_s=0.05)
        with pytest.raises(OperationalError):
            database_errors.patiently(defect)
        assert (away.call_count > 1, defect.call_count) == (True, 1)
        away = Mock(side_effect=OperationalError)
        with pytest.raises(OperationalError), transaction.atomic():
            database_errors.patiently(away, limit_s=0.5)
        assert away.call_count == 1


AWAY = Mock(side_effect=OperationalError("values of a row"))


@pytest.mark.django_db(transaction=True)
class TestGivenBack:
    @pytest.fixture
    def row(self):
        return Dataset.objects.create(owner=User.objects.create_user("owner"), name="x")

    def test_however_often_it_is_no_attempt(self, row, no_delay):
        for _ in range(5):
            leases.run(Dataset, row.pk, AWAY)
        assert (refreshed(row).state, row.attempt, row.error, row.enqueued_at) == (State.QUEUED, 0, None, None)
        assert no_delay == []  # the sweep sends the message, a while later

    def test_one_to_be_cancelled_is_cancelled(self, row):
        def cancelled(claimed, lease):
            queue.request_cancel(claimed)
            return AWAY(claimed, lease)

        leases.run(Dataset, row.pk, cancelled)
        assert refreshed(row).state == State.CANCELLED

    def test_a_failure_that_cannot_be_stored_at_first_is_stored_later(self, row):
        with failing(1, times=4):  # the claim is the first write
            leases.run(Dataset, row.pk, Mock(side_effect=ValueError))
        assert (refreshed(row).state, row.attempt) == (State.FAILED, 1)

    def test_a_defect_of_a_statement_fails_at_once(self, row):
        leases.run(Dataset, row.pk, Mock(side_effect=lost("42P01")))
        assert (refreshed(row).state, row.error["code"]) == (State.FAILED, "internal")

    def test_progress_that_cannot_be_stored_does_not_stop_the_work(self, row):
        def reports(claimed, lease):
            lease.report("Reading", 0.5)
            raise leases.Cancelled

        with failing(1) as faults:
            leases.run(Dataset, row.pk, reports)
        assert (faults.failed, refreshed(row).state, row.attempt) == (1, State.CANCELLED, 1)


@pytest.mark.django_db(transaction=True)
def test_a_message_whose_time_cannot_be_stored_was_sent(monkeypatch):
    """The row is committed: an error would have its owner submit it again."""
    monkeypatch.undo()
    sent = []
    monkeypatch.setattr(current_app, "send_task", lambda name, **rest: sent.append(name))
    row = Dataset.objects.create(owner=User.objects.create_user("owner"), name="x")
    with failing(0) as faults:
        assert queue.enqueue(row)
    assert (faults.failed, sent) == (1, [Dataset.TASK])


@pytest.mark.django_db(transaction=True)
def test_after_an_outage_workers_may_extend_their_leases_first(monkeypatch, settings):
    row = Dataset.objects.create(owner=User.objects.create_user("owner"), name="x")
    leases.claim(Dataset, row.pk)
    expired = Dataset.objects.filter(pk=row.pk)
    expired.update(lease_until=timezone.now() - timedelta(seconds=60), attempt=settings.CAIRN_MAX_ATTEMPTS)
    process = cleanup.Cleanup()
    with monkeypatch.context() as patch:
        patch.setattr(reaper, "sweep", AWAY)
        assert process.round() is None
    process.round()
    assert expired.get().state == State.RUNNING
    later = time.monotonic() + settings.CAIRN_LEASE_S + 1
    monkeypatch.setattr(cleanup.time, "monotonic", lambda: later)
    process.round()
    assert expired.get().state == State.FAILED
