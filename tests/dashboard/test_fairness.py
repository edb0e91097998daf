"""Owners take turns in a queue, have limits of what waits and runs, and a message costs at most one job."""

import random
from collections import Counter

import pytest
from django.db import transaction

from dashboard.audits import services as audits
from dashboard.audits.models import Audit
from dashboard.datasets.models import BudgetEntry, Dataset
from dashboard.experiments import execution
from dashboard.experiments.models import Experiment, Part
from dashboard.jobs import fairness, leases, queue, reaper
from dashboard.jobs.models import State
from dashboard.jobs.positions import ahead, positions
from dashboard.releases.models import Release
from privacy_engine.audit import AuditSpec
from privacy_engine.experiments import presets


@pytest.fixture(autouse=True)
def first_turn(monkeypatch):
    """A worker that served no owner yet."""
    monkeypatch.setattr(fairness, "_served", {})


def datasets(owner, n):
    return [Dataset.objects.create(owner=owner, name=f"{owner} {i}") for i in range(n)]


def part(owner):
    spec = presets.parse({"name": "temporal-distance"}).spec()
    row = Experiment.objects.create(owner=owner, spec=spec.model_dump(), spec_digest=spec.digest, lengths=[100])
    return Part.objects.create(experiment=row)


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

    def test_rows_of_one_owner_are_taken_in_the_order_of_their_messages(self, owner):
        rows = datasets(owner, 5)
        shuffled = [rows[i] for i in (3, 0, 4, 1, 2)]
        assert list(served(shuffled)) == shuffled

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
        first = chance.randint(1, 11)
        rows = [*datasets(owner, first), *datasets(stranger, 12 - first)]
        taken = [row.pk for row in served(chance.sample(rows, k=12))]
        assert sorted(taken) == sorted(row.pk for row in rows)
        assert not list(served(rows[:2]))  # a message that comes twice finds nothing

    def test_a_claim_that_another_worker_made_first_leads_to_the_next_row(self, owner):
        first, second = datasets(owner, 2)
        found = fairness.choices(Dataset, first.pk, [Dataset])
        assert next(found) == (Dataset, first.pk)
        leases.claim(Dataset, first.pk)
        assert next(found) == (Dataset, second.pk)

    def test_a_queue_is_served_by_its_own_messages_alone(self, owner, stranger):
        waiting, batch = datasets(owner, 1)[0], part(stranger)
        assert fairness.same_queue(Part) == fairness.same_queue(Audit)
        assert not {Dataset, Release} & set(fairness.same_queue(Part))
        found = list(next(fairness.choices(Dataset, waiting.pk, fairness.same_queue(Dataset))))
        assert found == [Dataset, waiting.pk]
        assert next(fairness.choices(Part, batch.pk, fairness.same_queue(Part))) == (Part, batch.pk)

    def test_the_task_works_off_the_row_that_is_next(self, owner, stranger, monkeypatch):
        from dashboard.datasets.tasks import import_dataset

        done = []

        def work(pk):
            done.append(pk)
            return bool(leases.claim(Dataset, pk))

        monkeypatch.setattr(queue, "_work", {Dataset: work})
        mine, theirs = datasets(owner, 2), datasets(stranger, 1)
        for row in mine:
            import_dataset(str(row.pk))
        assert [Dataset.objects.get(pk=pk).owner for pk in done] == [owner, stranger]
        assert done[1] == theirs[0].pk


class TestGivingWay:
    def test_to_what_a_person_waits_for(self, owner):
        assert not fairness.gives_way(Part, owner.pk)
        datasets(owner, 1)
        assert fairness.gives_way(Part, owner.pk)

    def test_to_another_owner_with_fewer_running_and_not_to_the_same(self, owner, stranger):
        leases.claim(Part, part(owner).pk)
        part(owner)
        assert not fairness.gives_way(Part, owner.pk)
        theirs = part(stranger)
        assert fairness.gives_way(Part, owner.pk)
        leases.claim(Part, theirs.pk)
        part(stranger)
        assert not fairness.gives_way(Part, owner.pk)


class TestPlaces:
    def test_are_in_turns(self, owner, stranger):
        mine, theirs = datasets(owner, 3), datasets(stranger, 2)
        order = [mine[0], theirs[0], mine[1], theirs[1], mine[2]]
        assert positions() == {row.pk: place for place, row in enumerate(order, start=1)}

    def test_have_the_owners_in_the_order_in_which_workers_take_them(self, owner, stranger):
        rows = [*datasets(owner, 4), *datasets(stranger, 2)]
        places = positions()
        expected = [row.owner for row in sorted(rows, key=lambda row: places[row.pk])]
        assert [row.owner for row in served(rows)] == expected

    def test_a_new_job_waits_behind_the_first_turns_alone(self, owner, stranger):
        for _ in range(5):
            part(owner)
        assert ahead(Part, stranger.pk) == 1
        assert ahead(Part, owner.pk) == 5


SPEC = AuditSpec.model_validate({"mechanism": {"name": "event-level", "epsilon": 1.0, "radius_m": 200.0}})


class TestLimits:
    @pytest.fixture
    def most(self, settings):
        def limit(*, waiting=0, running=0):
            settings.CAIRN_OWNER_WAITING, settings.CAIRN_OWNER_RUNNING = waiting, running

        return limit

    def test_of_what_waits(self, owner, stranger, most):
        most(waiting=3)
        datasets(owner, 2)
        audits.submit_audit(owner=owner, spec=SPEC)
        with pytest.raises(queue.TooManyJobs, match="3 of your jobs wait already, and at most 3 may") as refused:
            audits.submit_audit(owner=owner, spec=SPEC)
        assert refused.value.as_dict()["field"] == "jobs"
        assert Audit.objects.filter(owner=owner).count() == 1
        audits.submit_audit(owner=stranger, spec=SPEC)

    def test_is_409_in_the_api_with_field_rule_and_value(self, owner, owner_api, most):
        most(waiting=2)
        datasets(owner, 2)
        body = {"mechanism": {"name": "event-level", "epsilon": 1.0, "radius_m": 200.0}}
        answer = owner_api.post("/api/v1/audits/", body, format="json")
        assert answer.status_code == 409, answer.content
        (error,) = answer.json()["errors"]
        assert (error["field"], error["rule"], error["value"]) == ("jobs", "at most 2 that wait", 2)
        assert not Audit.objects.exists()

    def test_a_refused_release_costs_nothing(self, owner_api, landmark_set, owner, most):
        most(waiting=1)
        datasets(owner, 1)
        dataset = landmark_set.dataset
        mechanism = {"name": "event-level", "epsilon": 1.0, "radius_m": 200.0}
        body = {"dataset": str(dataset.pk), "landmark_set": str(landmark_set.pk), "mechanism": mechanism}
        assert owner_api.post("/api/v1/releases/", body, format="json").status_code == 409
        assert not Release.objects.exists()
        assert not BudgetEntry.objects.exists()

    def test_an_experiment_is_one_entry_and_its_parts_are_not_refused(self, owner, most):
        most(waiting=1)
        first = part(owner)
        Part.objects.create(experiment=first.experiment, start=0, stop=3)
        with transaction.atomic():
            queue.require_capacity(owner)
        execution.start_over(first.experiment)
        assert first.experiment.parts.count() == 1

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
