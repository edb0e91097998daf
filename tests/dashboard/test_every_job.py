"""What every job does, whatever its work is: each model of ``models_of()``, by its row, its messages and the API."""

from datetime import timedelta
from unittest.mock import Mock
from uuid import uuid4

import pytest
from celery import current_app
from django.conf import settings
from django.db import models
from django.urls import reverse
from django.utils import timezone

from dashboard.area_maps.models import AreaMap
from dashboard.attacks.models import Attack
from dashboard.core import failures
from dashboard.datasets.models import Dataset
from dashboard.experiments.models import Experiment
from dashboard.jobs import leases, queue, reaper
from dashboard.jobs.models import NotOpen, NotRetryable, State, listed_models, models_of, owner_of
from dashboard.releases.models import Release
from privacy_engine.errors import ChoiceNeeded, FormatError
from tests.cases import refreshed
from tests.dashboard.attack_helpers import CROWD
from tests.dashboard.conftest import client_of
from tests.map_archive import serving, world_archive

pytestmark = pytest.mark.django_db
JOBS = "/api/v1/jobs/"
BATCH = {"releases.part", "datasets.part", "experiments.experiment", "experiments.run"}
BATCH |= {"attacks.part", "audits.run", "attacks.run", "account_data.export"}
FRESH = {"state": State.QUEUED, "attempt": 0, "progress": 0.0, "stage": "", "error": None, "cancel_requested": False}
FRESH |= dict.fromkeys(("token", "lease_until", "started_at", "finished_at", "enqueued_at", "progressed_at"))


def chained(error, cause):
    error.__context__ = cause
    return error


FAILURES = [
    (FormatError("bad", code="damaged", row=3), "damaged"),
    (ChoiceNeeded("which", parameter="swap", choices=[("yes", "Yes")], default="yes"), "choice-needed"),
    (MemoryError(), "memory"),
    (failures.SoftTimeLimitExceeded(), "time-limit"),
    (chained(ValueError("damaged"), failures.SoftTimeLimitExceeded()), "time-limit"),
    (chained(FormatError("bad", code="damaged"), failures.SoftTimeLimitExceeded()), "time-limit"),
    (ValueError("at 48.1234567, 2.7654321"), "internal"),
    (FormatError("NUL \0 here", value="a\0b\ud800"), "unreadable"),
]


@pytest.fixture(autouse=True)
def sent(monkeypatch):
    """The messages that were sent to workers; there is no broker."""
    sent = []
    monkeypatch.setattr(current_app, "send_task", lambda name, **rest: sent.append((name, rest)))
    return sent


@pytest.fixture(autouse=True)
def map_archive(settings):
    """The archive that the made map of an area is of answers."""
    with serving(world_archive()) as host:
        settings.CAIRN_MAP_ARCHIVE = host.url
        AreaMap.objects.update(host=host.host)
        yield


@pytest.fixture(params=models_of(), ids=lambda model: model.__name__)
def model(request):
    return request.param


@pytest.fixture
def row(made, model):
    """A row that waits, and the only one that does."""
    rows = model._default_manager
    found = rows.order_by("-created_at").first() or rows.create(**part_of(model, made.rows))
    rows.filter(state=State.QUEUED).exclude(pk=found.pk).delete()
    return put(found, **FRESH)


def part_of(model, rows):
    """The columns of the first piece of what is made there, which a worker holds."""
    whole = model.job.field.related_model
    job = whole.objects.get(pk=rows[whole.STORED_IN])
    if whole is Attack:
        put(job, attack=CROWD)
    put(job, state=State.RUNNING, finished_at=None, token=uuid4(), lease_until=timezone.now() + timedelta(minutes=9))
    given = {
        Release: lambda: {"step": "draw"},
        Dataset: lambda: {"step": "facts", "given": {"path": job.points_path.key}},
        Attack: lambda: {"step": "attack", "given": {"start": 0, "stop": 1}},
        Experiment: lambda: {"step": "compute", "given": {"start": 0, "stop": 1, "digest": job.data_digest}},
    }
    return {"job": job, "number": 0, **given[whole]()}


def put(row, **fields):
    type(row)._default_manager.filter(pk=row.pk).update(**fields)
    return refreshed(row)


def over(row, state, **fields):
    return put(row, state=state, finished_at=timezone.now(), **fields)


def held(row, *, expired=False, **fields):
    lease = leases.Lease(type(row), row.pk, leases.claim(type(row), row.pk))
    put(row, lease_until=timezone.now() + timedelta(seconds=-1 if expired else 60), **fields)
    return lease


def work_off(row):
    current_app.loader.import_default_modules()  # where workers look for tasks
    assert current_app.tasks[row.TASK].name == row.TASK
    current_app.tasks[row.TASK](str(row.pk))


def test_no_two_models_share_a_task():
    names = [model.TASK for model in models_of()]
    assert len(set(names)) == len(names) == 11


class TestQueue:
    def test_its_message_goes_to_its_queue_and_carries_the_id_alone(self, row, sent, monkeypatch):
        assert queue.enqueue(row)
        name = "batch" if row.TASK in BATCH else "interactive"
        assert name in {one.name for one in settings.CELERY_TASK_QUEUES}
        assert sent == [(row.TASK, {"args": [str(row.pk)], "queue": name, "ignore_result": True})]
        assert refreshed(row).enqueued_at is not None
        put(row, enqueued_at=None)
        monkeypatch.setattr(current_app, "send_task", Mock(side_effect=OSError))
        assert not queue.enqueue(row), "a message that cannot be sent is no error"
        assert refreshed(row).enqueued_at is None

    def test_it_is_claimed_once(self, row):
        token = leases.claim(type(row), row.pk)
        assert token is not None
        assert leases.claim(type(row), row.pk) is None
        assert (refreshed(row).state, row.attempt, row.token) == (State.RUNNING, 1, token)
        assert row.lease_until > timezone.now()

    def test_what_is_over_is_neither_claimed_nor_cancelled(self, row):
        for state in (row.SUCCEEDED, State.FAILED, State.CANCELLED):
            over(row, state)
            assert leases.claim(type(row), row.pk) is None
            with pytest.raises(NotOpen):
                queue.request_cancel(row)
            assert refreshed(row).state == state

    def test_a_queue_in_which_it_waits_for_long_stands_still(self, row):
        for one in models_of():
            late = timezone.now() - timedelta(seconds=reaper.quiet_s() + 1)
            one._default_manager.update(created_at=late, progressed_at=late)
        assert reaper.stalled_queues([]) == [row.QUEUE]
        held(row)
        assert reaper.stalled_queues([]) == []


class TestRun:
    def test_its_task_does_its_work_once(self, row):
        work_off(row)
        assert (refreshed(row).state, row.error) == (row.SUCCEEDED, None)
        assert (row.progress, row.attempt, row.token, row.lease_until) == (1.0, 1, None, None)
        ended = row.finished_at
        assert queue._work[type(row)](row.pk) is False  # the next of its queue has its turn
        work_off(row)
        assert (refreshed(row).attempt, row.finished_at) == (1, ended)

    def test_it_fails_with_a_message_and_shows_no_secrets(self, row, caplog):
        for error, code in FAILURES:
            put(row, **FRESH)
            leases.run(type(row), row.pk, Mock(side_effect=error))
            assert (refreshed(row).state, row.error["code"]) == (State.FAILED, code), error
            assert row.failure["message"], error
            assert row.failure["action"], error
            assert "48.1234567" not in caplog.text + str(row.error)
            assert "\0" not in str(row.error)

    def test_deleted_meanwhile_it_is_no_error(self, row):
        def work(row, lease):
            models.QuerySet(type(row)).filter(pk=row.pk)._raw_delete("default")
            return {}

        leases.run(type(row), row.pk, work)
        assert not type(row)._default_manager.filter(pk=row.pk).exists()
        work_off(row)

    def test_preempted_it_waits_again_and_no_attempt_is_counted(self, row, sent):
        leases.run(type(row), row.pk, Mock(side_effect=leases.Preempted))
        assert (refreshed(row).state, row.attempt, row.token, row.stage) == (State.QUEUED, 0, None, "")
        assert [name for name, _ in sent] == [row.TASK]

    def test_who_lost_the_lease_publishes_nothing(self, row):
        zombie = held(row, expired=True)
        reaper.sweep(type(row))
        successor = leases.Lease(type(row), row.pk, leases.claim(type(row), row.pk))
        for write in (lambda: zombie.finish(row.SUCCEEDED, stage="zombie"), lambda: zombie.report("zombie", 0.5)):
            with pytest.raises(leases.LeaseLost):
                write()
            assert (refreshed(row).state, row.stage) == (State.RUNNING, "Starting")
        successor.finish(row.SUCCEEDED, stage="", progress=1.0)
        assert refreshed(row).state == row.SUCCEEDED


class TestCancel:
    def test_of_a_waiting_one_is_final(self, row):
        queue.request_cancel(row)
        leases.run(type(row), row.pk, lambda row, lease: pytest.fail("ran"))
        work_off(row)
        assert (refreshed(row).state, row.error) == (State.CANCELLED, None)
        assert row.finished_at is not None

    def test_of_a_running_one_stops_it_at_its_next_report(self, row):
        def work(row, lease):
            queue.request_cancel(row)
            lease.report("Reading", 0.5)
            pytest.fail("went on")

        leases.run(type(row), row.pk, work)
        assert refreshed(row).state == State.CANCELLED

    def test_of_one_whose_worker_is_lost_ends_it(self, row):
        held(row)
        assert not any(reaper.sweep(type(row)).values()), "a live lease is left alone"
        put(row, lease_until=timezone.now() - timedelta(seconds=1), cancel_requested=True)
        assert reaper.sweep(type(row))["cancelled"] == 1
        assert refreshed(row).state == State.CANCELLED


class TestRetry:
    def test_it_waits_again_with_all_its_attempts(self, row, sent, django_capture_on_commit_callbacks):
        for state in (State.FAILED, State.CANCELLED):
            over(row, state, attempt=3, error={"code": "crashed"}, cancel_requested=True, dismissed=True)
            with django_capture_on_commit_callbacks(execute=True):
                row = queue.retried(row)
            assert (row.state, row.attempt, row.error, row.finished_at) == (State.QUEUED, 0, None, None)
            assert (row.cancel_requested, row.dismissed) == (False, False)
        assert [name for name, _ in sent] == [row.TASK] * 2
        work_off(row)
        assert refreshed(row).state == row.SUCCEEDED

    def test_of_another_is_refused(self, row):
        for state in (State.QUEUED, row.SUCCEEDED):
            put(row, state=state, finished_at=None if state == State.QUEUED else timezone.now())
            with pytest.raises(NotRetryable):
                queue.retried(row)

    def test_it_counts_among_what_waits(self, row, settings):
        for one in models_of():
            one._default_manager.filter(state=State.QUEUED).exclude(pk=row.pk).delete()
        other = next(one for one in models_of() if one is not type(row) and one._default_manager.exists())
        settings.CAIRN_OWNER_WAITING = 1
        queue.require_capacity(owner_of(row))
        put(other._default_manager.first(), **FRESH)
        with pytest.raises(queue.TooManyJobs):
            queue.require_capacity(owner_of(row))


class TestSweep:
    def test_brings_it_back_until_it_is_given_up(self, row, sent):
        for attempt in range(1, settings.CAIRN_MAX_ATTEMPTS):
            held(row, expired=True)
            assert reaper.sweep(type(row)) == {"cancelled": 0, "failed": 0, "requeued": 1, "enqueued": 1}
            assert (refreshed(row).state, row.token, row.attempt) == (State.QUEUED, None, attempt)
        held(row, expired=True)
        assert reaper.sweep(type(row))["failed"] == 1
        assert (refreshed(row).state, row.error["code"], row.failure["again"]) == (State.FAILED, "crashed", True)
        assert row.failure["message"] == "The job stopped its worker 3 times and was given up."
        assert [rest["args"] for _, rest in sent] == [[str(row.pk)]] * (settings.CAIRN_MAX_ATTEMPTS - 1)

    def test_sends_again_what_was_not_claimed(self, row, sent, monkeypatch):
        for age, messages, expected in ((0, 0, 0), (reaper.RESEND_AFTER_S + 1, 0, 1), (3600, 1, 0)):
            monkeypatch.setattr(reaper, "_messages", lambda messages=messages: messages)
            put(row, enqueued_at=timezone.now() - timedelta(seconds=age))
            sent.clear()
            reaper.sweep(type(row))
            assert len(sent) == expected, (age, messages)


@pytest.fixture(params=listed_models(), ids=lambda model: model.__name__)
def listed(request, made):
    """A row of each model in the list of jobs, which waits alone."""
    for one in listed_models():
        one._default_manager.update(dismissed=True)
    row = request.param._default_manager.order_by("-created_at").first()
    names = {field.name for field in row._meta.fields}
    return put(row, **{name: value for name, value in FRESH.items() if name in names}, dismissed=False)


class TestList:
    """What its owner sees of it, and does with it there."""

    def listed(self, made, part="results"):
        (found,) = client_of(made.owner).get(JOBS).json()[part]
        return dict(found)

    def test_what_waits_has_its_pages_and_is_cancelled(self, made, listed, client):
        api, found = client_of(made.owner), self.listed(made)
        kind = listed._meta.model_name
        assert (found["kind"], found["id"], found["state"]) == (kind, str(listed.pk), "queued")
        assert (found["title"], found["error"], found["finished_at"]) == (listed.job_title, None, None)
        assert set(found["urls"]) == {"self", "page", "cancel"}
        client.force_login(made.owner)
        assert client.get(found["urls"]["page"]).status_code == 200
        assert api.get(found["urls"]["self"]).json()["state"] == "queued"
        assert api.post(found["urls"]["cancel"]).json()["state"] == "cancelled"
        ended = self.listed(made, "ended")
        assert (ended["id"], ended["state"], ended["error"]) == (str(listed.pk), "cancelled", None)
        assert set(ended["urls"]) == {"self", "page", "retry", "dismiss"}

    @pytest.mark.parametrize(("code", "again"), [("memory", True), ("no_points", False)])
    def test_what_failed_states_why_and_what_to_do(self, made, listed, client, code, again):
        over(listed, State.FAILED, error={"code": code, "message": "It did not work."})
        api, found = client_of(made.owner), self.listed(made, "ended")
        advice = failures.ADVICE[code].action
        assert found["error"] == {"code": code, "message": "It did not work.", "action": advice, "again": again}
        assert set(found["urls"]) == {"self", "page", "dismiss", *(["retry"] if again else [])}
        shown = api.get(found["urls"]["self"]).json()["error"]
        assert {name: shown[name] for name in found["error"]} == found["error"]
        client.force_login(made.owner)
        page = client.get(found["urls"]["page"])
        assert page.status_code == 200
        if "retry" in found["urls"]:
            again_id = api.post(found["urls"]["retry"]).json()["id"]
            assert self.listed(made)["id"] == again_id

    def test_dismissed_it_stays_stored(self, made, listed):
        api, address = client_of(made.owner), reverse("api:job-dismiss", args=[listed.pk])
        assert api.post(address).status_code == 204
        assert self.listed(made)["id"] == str(listed.pk)  # what is open stays
        over(listed, State.FAILED, error={"code": "memory"})
        assert self.listed(made, "ended")["id"] == str(listed.pk)
        assert api.post(address).status_code == 204
        assert api.get(JOBS).json()["ended"] == []
        assert refreshed(listed).state == State.FAILED

    def test_it_is_listed_for_its_time(self, made, listed):
        api = client_of(made.owner)
        for state, within, beyond in (("failed", 13 * 24 * 60, 15 * 24 * 60), ("cancelled", 1, 3)):
            over(listed, state, error={"code": "memory"} if state == "failed" else None)
            for minutes, many in ((within, 1), (beyond, 0)):
                put(listed, finished_at=timezone.now() - timedelta(minutes=minutes))
                assert len(api.get(JOBS).json()["ended"]) == many, (state, minutes)
