"""Claims, heartbeats, turns and limits of owners; test_every_job.py has what holds for every kind of job."""

import ast
import random
import re
import threading
import time
import uuid
from collections import Counter
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import transaction
from django.utils import timezone

from dashboard.audits import services as audits
from dashboard.audits.models import Audit
from dashboard.core.failures import ADVICE, Advice, explained
from dashboard.datasets.models import BudgetEntry, Dataset
from dashboard.experiments.models import Experiment, ExperimentPart
from dashboard.jobs import fairness, leases, queue, reaper
from dashboard.jobs.models import State, models_of
from dashboard.jobs.positions import ahead, positions
from dashboard.jobs.tasks import TASKS
from dashboard.releases.models import Release
from privacy_engine.audit import AuditSpec
from privacy_engine.core import progress
from privacy_engine.kernels.kernel import COMPILING
from tests.cases import refreshed
from tests.dashboard.conftest import at_once
from tests.dashboard.test_jobs_api import experiment

DONE = {"points": 1, "points_file": "x", "content_digest": "y"}


@pytest.fixture
def waiting(owner):
    return Dataset.objects.create(owner=owner, name="waiting")


@pytest.mark.django_db(transaction=True)
def test_of_sixteen_workers_one_gets_it_and_its_heartbeat_ends(waiting):
    assert sum(at_once(16, lambda _: leases.claim(Dataset, waiting.pk) is not None)) == 1
    assert refreshed(waiting).attempt == 1
    other = Dataset.objects.create(owner=waiting.owner, name="other")
    leases.run(Dataset, other.pk, lambda row, lease: DONE)
    leases.run(Dataset, uuid.uuid4(), lambda row, lease: pytest.fail("ran"))
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("lease-")]


class TestRun:
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
        assert refreshed(waiting).state == State.READY

    @pytest.mark.django_db(transaction=True)
    def test_heartbeat_is_called_with_a_cancellation(self, waiting, settings):
        settings.CAIRN_LEASE_S = 0.4

        def work(row, lease):
            queue.request_cancel(row)
            time.sleep(0.8)
            return DONE

        leases.run(Dataset, waiting.pk, work)
        assert (refreshed(waiting).state, waiting.points_file) == (State.CANCELLED, "")

    @pytest.mark.django_db(transaction=True)
    def test_that_waits_for_the_compiler_shows_it(self, waiting):
        stages = []

        def work(row, lease):
            lease.report("Reading", 0.5)
            for _ in range(2):
                progress.announce(COMPILING)
                stages.append(refreshed(waiting).stage)
            time.sleep(0.3)  # as often as a stage is written
            lease.report("Reading", 0.6)
            stages.append(refreshed(waiting).stage)
            return DONE

        leases.run(Dataset, waiting.pk, work)
        assert stages == [COMPILING, COMPILING, "Reading"]
        assert refreshed(waiting).state == State.READY


def test_a_broker_that_is_away_is_tried_once_for_all_rows(owner, monkeypatch):
    requested = []
    monkeypatch.setattr(queue, "enqueue", requested.append)
    Dataset.objects.bulk_create(Dataset(owner=owner, name="x") for _ in range(3))
    assert reaper.sweep(Dataset)["enqueued"] == 0
    assert len(requested) == 1


@pytest.mark.django_db(transaction=True)
def test_four_sweeps_at_once_bring_a_row_back_once(waiting, monkeypatch):
    monkeypatch.setattr(queue, "enqueue", lambda job: True)
    leases.claim(Dataset, waiting.pk)
    Dataset.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert sum(at_once(4, lambda _: reaper.sweep(Dataset)["requeued"])) == 1


def test_a_message_without_a_broker_is_no_error(waiting):
    begun = time.perf_counter()
    queue.enqueue(waiting)
    assert time.perf_counter() - begun < 1
    assert refreshed(waiting).enqueued_at is None


def test_a_row_that_is_rolled_back_is_not_enqueued(owner, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks() as callbacks, transaction.atomic():
        queue.enqueue_on_commit(Dataset.objects.create(owner=owner, name="x"))
        transaction.set_rollback(True)
    assert callbacks == []


@pytest.fixture(autouse=True)
def first_turn(monkeypatch):
    monkeypatch.setattr(fairness, "_served", {})


def datasets(owner, n):
    return [Dataset.objects.create(owner=owner, name=f"{owner} {i}") for i in range(n)]


def served(messages):
    """The rows that one worker process takes for these messages, one after the other; each ends at once."""
    for message in messages:
        for _, pk in fairness.choices(Dataset, message.pk, [Dataset]):
            if token := leases.claim(Dataset, pk):
                yield Dataset.objects.get(pk=pk)
                leases.Lease(Dataset, pk, token).finish(State.FAILED, error={"code": "internal"})
                break


class TestTurns:
    def test_an_owner_with_200_jobs_does_not_hold_up_another(self, owner, stranger):
        many, few = datasets(owner, 200), datasets(stranger, 3)
        order = [row.owner for row in served([*many, *few])]
        assert order[:6] == [owner, stranger, owner, stranger, owner, stranger]
        assert Counter(order) == {owner: 200, stranger: 3}

    def test_who_has_fewer_running_is_next(self, owner, stranger):
        mine, theirs = datasets(owner, 3), datasets(stranger, 2)
        leases.claim(Dataset, mine[0].pk)
        assert next(fairness.choices(Dataset, mine[1].pk, [Dataset])) == (Dataset, theirs[0].pk)
        leases.claim(Dataset, theirs[0].pk)
        leases.claim(Dataset, theirs[1].pk)
        assert next(fairness.choices(Dataset, mine[1].pk, [Dataset])) == (Dataset, mine[1].pk)

    @pytest.mark.parametrize("seed", range(8))
    def test_every_row_is_taken_once_whatever_the_order_of_the_messages(self, seed, owner, stranger):
        chance = random.Random(seed)
        first = chance.randint(1, 11) if seed else 0
        mine, theirs = datasets(owner, first), datasets(stranger, 12 - first)
        messages = chance.sample([*mine, *theirs], k=12)
        taken = list(served(messages))
        assert sorted(row.pk for row in taken) == sorted(row.pk for row in messages)
        assert first or taken == messages  # those of one owner in the order of their messages
        assert not list(served(messages[:2]))  # a message that comes twice finds nothing

    def test_a_claim_that_another_worker_made_first_leads_to_the_next_row(self, owner):
        first, second = datasets(owner, 2)
        found = fairness.choices(Dataset, first.pk, [Dataset])
        assert next(found) == (Dataset, first.pk)
        leases.claim(Dataset, first.pk)
        assert next(found) == (Dataset, second.pk)

    def test_a_queue_is_served_by_its_own_messages_alone(self, owner, stranger):
        waiting, batch = datasets(owner, 1)[0], experiment(stranger)
        assert fairness.same_queue(Experiment) == fairness.same_queue(Audit)
        assert not {Dataset, Release} & set(fairness.same_queue(Experiment))
        found = list(next(fairness.choices(Dataset, waiting.pk, fairness.same_queue(Dataset))))
        assert found == [Dataset, waiting.pk]
        assert next(fairness.choices(Experiment, batch.pk, fairness.same_queue(Experiment))) == (Experiment, batch.pk)

    def test_the_task_works_off_the_row_that_is_next(self, owner, stranger, monkeypatch):
        done = []

        def work(pk):
            done.append(pk)
            return bool(leases.claim(Dataset, pk))

        monkeypatch.setattr(queue, "_work", {Dataset: work})
        mine, theirs = datasets(owner, 2), datasets(stranger, 1)
        for row in mine:
            TASKS[Dataset](str(row.pk))
        assert [Dataset.objects.get(pk=pk).owner for pk in done] == [owner, stranger]
        assert done[1] == theirs[0].pk


class TestGivingWay:
    def test_to_what_a_person_waits_for(self, owner):
        assert not fairness.gives_way(Experiment, owner.pk)
        datasets(owner, 1)
        assert fairness.gives_way(Experiment, owner.pk)

    def test_to_another_owner_with_fewer_running_and_not_to_the_same(self, owner, stranger):
        leases.claim(Experiment, experiment(owner).pk)
        experiment(owner)
        assert not fairness.gives_way(Experiment, owner.pk)
        theirs = experiment(stranger)
        assert fairness.gives_way(Experiment, owner.pk)
        leases.claim(Experiment, theirs.pk)
        experiment(stranger)
        assert not fairness.gives_way(Experiment, owner.pk)

    def test_a_worker_that_holds_a_job_and_its_part_is_one(self, owner, stranger):
        mine = experiment(owner, parts=2)
        for row in (mine, mine.parts.first(), experiment(stranger)):
            leases.claim(type(row), row.pk)
        experiment(stranger)
        assert fairness.running(models_of()) == {owner.pk: 1, stranger.pk: 1}
        assert not fairness.gives_way(Experiment, owner.pk)
        leases.claim(ExperimentPart, mine.parts.last().pk)  # by a second worker
        assert fairness.gives_way(Experiment, owner.pk)


def test_places_are_in_turns_in_the_order_in_which_workers_take_them(owner, stranger):
    mine, theirs = datasets(owner, 4), datasets(stranger, 2)
    order = [mine[0], theirs[0], mine[1], theirs[1], *mine[2:]]
    assert positions() == {row.pk: place for place, row in enumerate(order, start=1)}
    assert [row.owner for row in served([*mine, *theirs])] == [row.owner for row in order]
    for _ in range(5):
        experiment(owner)
    assert (ahead(Experiment, stranger.pk), ahead(Experiment, owner.pk)) == (1, 5)


EVENT = {"name": "event-level", "epsilon": 1.0, "radius_m": 200.0}


class TestLimits:
    @pytest.fixture
    def most(self, settings):
        def limit(*, waiting=0, running=0):
            settings.CAIRN_OWNER_WAITING, settings.CAIRN_OWNER_RUNNING = waiting, running

        return limit

    def test_of_what_waits_is_409_in_the_api_with_field_rule_and_value(self, owner, stranger, owner_api, most):
        most(waiting=3)
        datasets(owner, 2)
        assert owner_api.post("/api/v1/audits/", {"mechanism": EVENT}, format="json").status_code == 201
        answer = owner_api.post("/api/v1/audits/", {"mechanism": EVENT}, format="json")
        (error,) = answer.json()["errors"]
        assert (answer.status_code, error["field"], error["value"]) == (409, "jobs", 3)
        assert error["rule"] == "at most 3 that wait"
        assert "3 of your jobs wait already, and at most 3 may" in error["message"]
        assert Audit.objects.count() == 1
        audits.submit_audit(owner=stranger, spec=AuditSpec.model_validate({"mechanism": EVENT}))

    def test_a_refused_release_costs_nothing(self, owner_api, landmark_set, owner, most):
        most(waiting=1)
        datasets(owner, 1)
        body = {"dataset": str(landmark_set.dataset_id), "landmark_set": str(landmark_set.pk), "mechanism": EVENT}
        assert owner_api.post("/api/v1/releases/", body, format="json").status_code == 409
        assert not Release.objects.exists()
        assert not BudgetEntry.objects.exists()

    def test_an_experiment_is_one_entry_and_its_parts_are_not_refused(self, owner, most):
        most(waiting=1)
        first = experiment(owner, parts=3)
        for _ in ("waits", "runs"):
            with transaction.atomic():
                queue.require_capacity(owner)
            leases.claim(Experiment, first.pk)
        ExperimentPart.objects.create(job=first, number=3)
        assert positions() == {first.pk: 1}

    def test_of_what_runs(self, owner, stranger, most):
        most(running=1)
        mine = datasets(owner, 3)
        assert leases.claim(Dataset, mine[0].pk)
        assert not list(fairness.choices(Dataset, mine[1].pk, [Dataset]))
        (theirs,) = datasets(stranger, 1)
        assert next(fairness.choices(Dataset, mine[1].pk, [Dataset])) == (Dataset, theirs.pk)

    def test_no_message_is_sent_again_for_an_owner_at_the_limit(self, owner, stranger, most, monkeypatch):
        sent = []
        monkeypatch.setattr(queue, "enqueue", lambda job: sent.append(job.owner) or True)
        most(running=1)
        leases.claim(Dataset, datasets(owner, 2)[0].pk)
        datasets(stranger, 1)
        assert reaper.resend(Dataset) == 1
        assert sent == [stranger]
        most(running=2)
        assert reaper.resend(Dataset) == 2


ROOT = Path(__file__).parents[2]
SOURCES = sorted(path for package in ("privacy_engine", "dashboard") for path in (ROOT / package).rglob("*.py"))


def stated(node):
    """The codes of failures in a node: ``code=…`` in a call, ``code = …`` in a class, ``{"code": …}``."""
    if isinstance(node, ast.Call):
        yield from (keyword.value for keyword in node.keywords if keyword.arg == "code")
    if isinstance(node, ast.ClassDef):
        for one in node.body:
            if isinstance(one, ast.Assign) and [getattr(to, "id", "") for to in one.targets] == ["code"]:
                yield one.value
    if isinstance(node, ast.Dict):
        keys = [key.value if isinstance(key, ast.Constant) else None for key in node.keys]
        yield from (value for key, value in zip(keys, node.values, strict=True) if key == "code")
    if isinstance(node, ast.Call):
        function = node.func
        if "stored_failure" in (getattr(function, "id", ""), getattr(function, "attr", "")):
            yield node.args[0]


def codes():
    found = {}
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text())):
            for value in stated(node):
                if isinstance(value, ast.Constant) and isinstance(value.value, str):
                    found[value.value] = f"{path.relative_to(ROOT)}:{value.lineno}"
    return found


NOT_OF_JOBS = {
    *("invalid", "checksum", "tus-version", "not-pmtiles", "login", "throttled"),
    *("second-factor", "role", "scope", "published", "settings", "processes-lost"),
}  # of requests alone: a body that cannot be parsed, a piece of a file, a wrong password; of notebooks and Dask


def test_every_code_has_its_advice():
    found = codes()
    assert {"memory", "time-limit", "internal", "crashed", "source-gone", "no_points", "choice-needed"} <= set(found)
    assert len(found) > 40
    for code in sorted(set(found) - NOT_OF_JOBS):
        assert code in ADVICE, f"{code!r} of {found[code]} has no advice in dashboard/core/failures.py"


def test_advice_is_two_plain_sentences():
    for code in sorted(ADVICE):
        advice = ADVICE[code]
        for text in (advice.what, advice.action):
            assert re.fullmatch(r"[A-Z][^_{}]+[.”]", text), text
            assert text.endswith("."), text
            assert len(text) < 140, code
        assert advice.what != advice.action, code
        assert ("retry" in advice.action.lower()) == advice.again, code
    found = {"code": "memory", "message": "This very one.", "row": 3}
    assert explained(found) == found | {"action": ADVICE["memory"].action, "again": True}
    earlier = explained({"code": "gone-by"})  # a code of an earlier version
    assert Advice(earlier["message"], earlier["action"], earlier["again"]) == ADVICE["internal"]
    assert explained(None) is None
