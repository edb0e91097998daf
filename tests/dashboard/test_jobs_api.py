"""The list of jobs, places in the queues, workers that answer; pages of many rows. See also test_every_job.py."""

import re
import time
import uuid
from datetime import timedelta
from unittest.mock import Mock, call

import pytest
from django.db import connection
from django.db.models import Q
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from dashboard.accounts.models import User
from dashboard.config.celery import Heartbeat
from dashboard.config.celery import app as current_app
from dashboard.core import beats, paging
from dashboard.core.tags import LENGTH as TAGS_LENGTH
from dashboard.core.tags import tag_choices
from dashboard.core.templatetags import display
from dashboard.datasets import selectors, services
from dashboard.datasets.models import Dataset, Kind
from dashboard.experiments.models import Experiment, ExperimentPart
from dashboard.jobs import workers
from dashboard.jobs.api import MOST_OPEN
from dashboard.jobs.models import State
from dashboard.jobs.positions import positions
from dashboard.jobs.tasks import TASKS
from dashboard.projects.models import Role
from dashboard.projects.services import add_member, create_project
from dashboard.releases.models import Release
from dashboard.storage.stored_path import MAINTAIN_EVERY_S, stored_files
from privacy_engine import errors, experiments
from tests.cases import refreshed
from tests.dashboard.conftest import CSV, upload
from tests.redis_server import age_beat
from tests.server import python

API = "/api/v1/"
JOBS = f"{API}jobs/"


@pytest.fixture
def queued(owner, everything_is_large):
    return services.import_dataset(owner=owner, upload=upload(CSV), name="Run")


def failed(row, code="memory", **columns):
    type(row).objects.filter(pk=row.pk).update(
        **{"state": State.FAILED, "finished_at": timezone.now(), "started_at": timezone.now(), "attempt": 1} | columns,
        error={"code": code, "message": "It did not work."},
    )
    return refreshed(row)


def ended(api):
    return list(api.get(JOBS).json()["ended"])


class TestEnded:
    def test_one_that_ends_between_two_requests_is_reported_once(self, owner, owner_api, submit, monkeypatch):
        services.import_dataset(owner=owner, upload=upload(CSV))  # read at once: no job
        release = failed(submit())
        monkeypatch.setattr("dashboard.jobs.api.OPEN", Q())  # the first response shows it running
        reported = owner_api.get(JOBS).json()
        assert str(release.pk) not in {one["id"] for one in reported["results"]}
        assert [one["id"] for one in reported["ended"]] == [str(release.pk)]

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


class TestImports:
    def test_one_that_failed_states_what_to_do_and_is_read_again(self, owner_api, queued, monkeypatch):
        message, action = "The file is empty.", "Choose the file that holds the positions."
        for error in (MemoryError(), errors.FormatError(message, code="empty")):
            with monkeypatch.context() as patch:
                patch.setattr("dashboard.datasets.execution.read", Mock(side_effect=error))
                TASKS[Dataset](str(queued.pk))
            shown = owner_api.get(f"{API}datasets/{queued.pk}/").json()["error"]
            if shown["code"] == "memory":
                assert owner_api.post(ended(owner_api)[0]["urls"]["retry"]).status_code == 200
        assert (shown["code"], shown["message"], shown["action"]) == ("empty", message, action)
        assert owner_api.post(f"{API}datasets/{queued.pk}/retry/").status_code == 200
        TASKS[Dataset](str(queued.pk))
        assert (refreshed(queued).state, queued.error) == (State.READY, None)

    def test_fail_upload_gone(self, owner_api, queued):
        failed(queued).original_path.unlink()
        answer = owner_api.post(f"{API}datasets/{queued.pk}/retry/")
        assert answer.status_code == 409
        assert "Upload the file again" in answer.json()["errors"][0]["message"]


def waiting(owner, name, ago_s):
    row = Dataset.objects.create(owner=owner, name=name)
    Dataset.objects.filter(pk=row.pk).update(created_at=timezone.now() - timedelta(seconds=ago_s))
    return row


def experiment(owner, parts=0):
    """A queued experiment with so many waiting parts."""
    spec = experiments.presets.parse({"name": "temporal-distance"}).spec()
    row = Experiment.objects.create(owner=owner, spec=spec.model_dump(), spec_digest=spec.digest, lengths=[100])
    ExperimentPart.objects.bulk_create(ExperimentPart(job=row, number=number) for number in range(parts))
    return row


class TestPositions:
    def test_the_longest_waiting_is_first_whoever_owns_it_and_a_retried_one_last(self, owner, stranger):
        later, first = waiting(owner, "later", 5), waiting(stranger, "first", 60)
        Dataset.objects.create(owner=owner, name="over", state=State.CANCELLED, finished_at=timezone.now())
        assert positions() == {first.pk: 1, later.pk: 2}
        Dataset.objects.filter(pk=first.pk).update(enqueued_at=timezone.now())
        assert positions() == {later.pk: 1, first.pk: 2}

    def test_parts_count_once_and_in_the_queue_of_experiments(self, owner):
        dataset = waiting(owner, "large", 60)
        first, second = experiment(owner, 3), experiment(owner)
        assert positions() == {dataset.pk: 1, first.pk: 1, second.pk: 2}

    def test_the_api_reports_them(self, owner_api, owner):
        waiting(owner, "first", 60)
        second = waiting(owner, "second", 30)
        assert [job["queue_position"] for job in owner_api.get(JOBS).json()["results"]] == [1, 2]
        assert owner_api.get(f"/api/v1/datasets/{second.pk}/").json()["queue_position"] == 2
        row = experiment(owner)
        assert owner_api.get(f"/api/v1/experiments/{row.pk}/").json()["queue_position"] == 1

    def test_pages_state_it(self, owner_page, owner):
        experiment(owner)
        third = [experiment(owner) for _ in range(2)][-1]
        page = owner_page.get(f"/experiments/{third.pk}/").content.decode()
        assert "Waiting for a worker, third in the queue" in page
        assert "waiting for a worker, second in the queue" in owner_page.get("/experiments/").content.decode()
        assert display.queued(None) == "waiting for a worker"
        assert display.queued(1200) == "waiting for a worker, number 1,200 in the queue"


class TestWorkers:
    def test_one_answers_until_its_beat_is_ten_seconds_old(self, beats_recorded):
        assert workers.answering() == 0
        workers.beat("celery@first")
        workers.beat("celery@second")
        assert workers.answering() == 2
        age_beat("worker", "celery@first", workers.SILENT_S + 1)
        assert workers.answering() == 1
        workers.stopped("celery@second")
        assert workers.answering() == 0

    def test_healthz_has_their_number(self, beats_recorded, db, client):
        health = client.get("/healthz").json()
        assert (health["ok"], health["workers"], health["worker_beat_s"]) == (True, 0, None)
        workers.beat("one")
        health = client.get("/healthz").json()
        assert health["workers"] == 1
        assert 0 <= health["worker_beat_s"] < 5

    def test_pages_are_warned_after_a_job_waited_ten_seconds(self, beats_recorded, owner_api, owner):
        row = waiting(owner, "large", 3)
        assert not owner_api.get(JOBS).json()["no_worker"]
        Dataset.objects.filter(pk=row.pk).update(created_at=timezone.now() - timedelta(seconds=11))
        assert owner_api.get(JOBS).json()["no_worker"]
        workers.beat("one")
        assert not owner_api.get(JOBS).json()["no_worker"]

    def test_a_killed_one_is_forgotten_after_an_hour(self, beats_recorded):
        workers.beat("killed")
        age_beat("worker", "killed", beats.FORGOTTEN_S - 0.1)
        assert workers.age_s("killed") == pytest.approx(beats.FORGOTTEN_S, abs=1)
        time.sleep(0.3)
        assert workers.age_s("killed") is None

    def test_none_is_known_while_the_broker_is_away(self, settings, tmp_path):
        settings.CELERY_BROKER_URL = f"redis+socket://{tmp_path}/none.sock"
        workers.beat("one")
        assert (workers.latest(), workers.answering(), workers.age_s("one")) == ([], 0, None)
        workers.stopped("one")

    @pytest.mark.slow
    def test_those_of_other_hosts_count_whatever_their_clock_and_home(self, beats_recorded, settings, tmp_path):
        program = "import django; django.setup(); from dashboard.jobs import workers; workers.beat('far', ['batch'])"
        done = python("-c", program, CAIRN_HOME=str(tmp_path), REDIS_URL=settings.CELERY_BROKER_URL)
        assert done.returncode == 0, done.stderr
        assert workers.answering_by_queue() == {"interactive": 0, "batch": 1}


class TestHeartbeat:
    def test_the_consumer_beats_while_it_runs(self, beats_recorded):
        class Consumer:
            hostname, timer, steps, app = "celery@here", Mock(), (), current_app

        assert Heartbeat in current_app.steps["consumer"]
        step = Heartbeat(Consumer())
        step.start(Consumer)
        assert workers.answering() == 1
        assert Consumer.timer.call_repeatedly.call_args_list == [
            call(workers.BEAT_S, workers.beat, ("celery@here", ("interactive", "batch"))),
            call(MAINTAIN_EVERY_S, stored_files().maintain, ()),
        ]
        assert workers.answering_by_queue() == {"interactive": 1, "batch": 1}
        step.stop(Consumer)
        assert Consumer.timer.call_repeatedly.return_value.cancel.call_count == 2
        assert workers.answering() == 0


@pytest.mark.slow
def test_services_load_without_tasks():
    """A process that only submits needs no worker code: nothing registers a task as it is imported."""
    services = [f"dashboard.{app}.services" for app in ("releases", "experiments", "attacks", "audits", "datasets")]
    code = f"import django, sys; django.setup(); import dashboard.maintenance.cleanup, {', '.join(services)}\n"
    code += "print([name for name in sys.modules if name.startswith('dashboard.') and name.endswith('.tasks')])"
    done = python("-c", code)
    assert done.stdout.strip() == "[]", done.stderr


COUNT = 30


@pytest.fixture
def rows(owner, stranger):
    """Datasets of the owner, in and out of a project, of another member in it, and of the stranger outside."""
    member, project = User.objects.create_user("member"), create_project(owner=owner, name="Both")
    add_member(project=project, username="member", role=Role.VIEWER)
    now, made = timezone.now(), []
    for i in range(COUNT):
        whose = (owner, member, stranger)[i % 3]
        within = project if whose == member or (whose == owner and i % 2) else None
        kind = (Kind.TRAJECTORY, Kind.STREAM)[i % 5 == 0]
        tags = f",tag {i % 4}," if i % 3 < 2 else ",unseen,"
        made.append(Dataset(owner=whose, project=within, name=f"row {i % 7}", kind=kind, stored_tags=tags))
    for i, row in enumerate(Dataset.objects.bulk_create(made)):
        Dataset.objects.filter(pk=row.pk).update(created_at=now - timedelta(seconds=i // 2))
    return selectors.visible_datasets(owner)


def test_two_parts_have_the_rows_and_pages_of_one_list(rows, stranger):
    for these in (rows, rows.filter(kind=Kind.TRAJECTORY), rows.exclude(name="row 3"), selectors.with_sizes(rows)):
        parts = [set(part.values_list("pk", flat=True)) for part in paging.parts_of(these)]
        assert len(parts) == 2
        assert all(parts)
        assert not parts[0] & parts[1]
        assert parts[0] | parts[1] == set(these.values_list("pk", flat=True))
        assert paging.count_of(these) == these.count() == len(parts[0] | parts[1])
    (part,) = paging.parts_of(selectors.visible_datasets(stranger))  # visible for one reason
    assert part.count() == paging.count_of(selectors.visible_datasets(stranger)) == COUNT // 3
    assert (len(paging.parts_of(rows[:3])), paging.count_of(rows[:3])) == (1, 3), "of which some were taken"
    assert tag_choices(rows) == [(f"tag {i}", f"tag {i}") for i in range(4)]
    with pytest.raises(TypeError, match="two joined by OR"):
        paging.mark_alternatives(Dataset.objects.filter(name="x"))
    for order in ("-created_at", "created_at", "name", "-name", "-points", "owner__username"):
        ordered = selectors.with_ledger(selectors.with_sizes(rows.order_by(order, "pk")))
        paginator = paging.KeyPaginator(ordered, 7)
        listed = [row.pk for number in paginator.page_range for row in paginator.page(number)]
        assert listed == [row.pk for row in ordered], order
        assert [row.pk for row in paging.first_rows(ordered, 5)] == listed[:5], order


def test_a_page_is_read_in_the_order_of_indexes(rows):
    """Neither all rows are sorted nor the rows themselves read: only entries of the two indexes."""
    if connection.vendor != "sqlite":
        pytest.skip("the plan is read as SQLite states it")
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    seen = []

    def noted(execute, sql, values, *rest):
        seen.append(sql % tuple(f"'{one}'" for one in values or ()))
        return execute(sql, values, *rest)

    with connection.execute_wrapper(noted):
        paging.first_rows(rows.order_by("-created_at", "pk"), 5)
        paging.count_of(rows)
    keys, _, *counts = seen
    for sql in (keys, *counts):
        with connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN QUERY PLAN {sql}")
            plan = " ".join(str(row[-1]) for row in cursor.fetchall())
        assert "COVERING INDEX dataset" in plan
        assert "SCAN" not in plan
        assert "TEMP B-TREE" not in plan


def test_the_longest_texts_fit_into_an_index(owner):
    """PostgreSQL refuses rows whose entry in an index has more than 2,704 bytes."""
    letters = iter(chr(0x10400 + i) for i in range(10**6))  # four bytes each, none twice: nothing to compress
    text = ["".join(next(letters) for _ in range(count)) for count in (200, TAGS_LENGTH, 63)]
    project = create_project(owner=owner, name="Long")
    row = Dataset.objects.create(owner=owner, project=project, name=text[0], stored_tags=text[1], file_name=text[2])
    assert [found.pk for found in selectors.visible_datasets(owner)] == [row.pk]


FEW, MANY = 60, 200


@pytest.fixture
def copies(submit):
    """``copies(60)``: so many waiting releases of the owner's day."""
    submit()

    def make(number):
        row = Release.objects.all()[0]
        columns = {field.attname: getattr(row, field.attname) for field in Release._meta.concrete_fields}
        rows = [Release(**columns | {"id": uuid.uuid4()}) for _ in range(number - Release.objects.count())]
        Release.objects.bulk_create(rows)

    return make


def test_jobs_and_the_page_of_a_dataset_cost_as_much_with_two_hundred(owner_api, owner_page, ready_dataset, copies):
    sizes, counts = [], []
    for number in (3, FEW, MANY):
        copies(number)
        for api, address in ((owner_api, JOBS), (owner_page, f"/datasets/{ready_dataset.pk}/")):
            with CaptureQueriesContext(connection) as found:
                answer = api.get(address)
            sizes.append(len(answer.content))
            counts.append(len(found))
        jobs = owner_api.get(JOBS).json()
        assert (jobs["open"], len(jobs["results"])) == (number, min(number, MOST_OPEN))
    assert counts[2:4] == counts[4:]
    assert sizes[4] < 1.02 * sizes[2]
    assert sizes[5] < 1.02 * sizes[3]
    newest = Release.objects.latest("created_at")
    held = {"token": uuid.uuid4(), "lease_until": newest.created_at}
    Release.objects.filter(pk=newest.pk).update(state=State.RUNNING, **held)
    found = owner_api.get(JOBS).json()["results"]
    assert [one["id"] for one in found if one["state"] == "running"] == [str(newest.pk)], "listed however new"


def test_every_release_is_on_one_of_the_pages_of_its_dataset(owner_page, ready_dataset, copies):
    copies(FEW + 10)
    listed = []
    for number in (1, 2, 3):
        page = owner_page.get(f"/datasets/{ready_dataset.pk}/?page={number}").content.decode()
        listed += re.findall(r'name="release" value="([0-9a-f-]+)"', page)
        assert f"Page {number} of 3" in page
    assert sorted(listed) == sorted(str(pk) for pk in Release.objects.values_list("pk", flat=True))
