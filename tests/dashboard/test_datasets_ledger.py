"""The budget ledger: what is charged, how often, what the worst event spent, also by concurrent requests."""

import math
import os
import random
import signal
import subprocess
import sys
import uuid
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest
from django.db import IntegrityError, connection, transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dashboard.core.errors import Conflict
from dashboard.datasets import ledger, lineage, losses, matching, selectors, services
from dashboard.datasets.evidence import evidence_of
from dashboard.datasets.models import Budget, BudgetEntry, Dataset, Lineage, Reading, SourceFile
from privacy_engine.mechanisms.landmark import EventLevel, Uniform, UserLevel
from tests.dashboard.conftest import at_once
from tests.dashboard.event_sets import Count, next_upload, series, truth
from tests.dashboard.test_lineage import csv, imported, lines, per_km, spend
from tests.examples import examples
from tests.patience import patience

ROOT = Path(__file__).resolve().parents[2]


def reserve(dataset, epsilon=0.1, radius_m=1.0, cls=Uniform):
    mechanism = cls(epsilon=epsilon, radius_m=radius_m)
    return ledger.reserve(dataset=dataset, release_id=uuid.uuid4(), mechanism=mechanism)


def granted(dataset, epsilon, radius_m, *, tries):
    count = 0
    for _ in range(tries):
        try:
            reserve(dataset, epsilon, radius_m)
        except ledger.BudgetExceeded:
            break
        count += 1
    return count


@pytest.mark.django_db
def test_the_database_is_the_one_that_was_named():
    named = os.environ.get("DATABASE_URL", "").startswith("postgres")
    assert connection.vendor == ("postgresql" if named else "sqlite")


class TestCharge:
    def test_is_the_level_per_kilometre_rounded_up(self, ready_dataset):
        assert reserve(ready_dataset, 1.0, 200.0).amount == 5_000_000
        assert reserve(ready_dataset, 1.0, 300.0).amount == 3_333_334
        assert ledger.spent(ready_dataset) == {"per_km": 8.333334, "releases": 2, "events": 8}
        assert reserve(ready_dataset, 1e-6, 2e7).amount == 1, "never nothing"

    def test_nine_times_seven_ninths_are_seven(self, ready_dataset):
        """Each of nine levels is seven ninths per metre, rounded up in its last of 60 digits."""
        services.set_budget(dataset=ready_dataset, epsilon=7.0, radius_m=1.0)
        for k in range(1, 10):
            reserve(ready_dataset, 7.0 * k, 9.0 * k)
        assert ledger.spent(ready_dataset)["per_km"] == 7000.0

    def test_remembers_its_level_and_mechanism(self, ready_dataset):
        for cls in (Uniform, EventLevel, UserLevel):
            reserve(ready_dataset, cls=cls)
        entries = BudgetEntry.objects.order_by("pk").values_list("mechanism", "level", "epsilon", "radius_m")
        assert list(entries) == [
            ("landmark-uniform", "landmark", 0.1, 1.0),
            ("event-level", "event", 0.1, 1.0),
            ("user-level", "user", 0.1, 1.0),
        ]

    @pytest.mark.parametrize("radius_m", [1.0, 3.0, 7.0, 300.0, 0.07, 12345.678])
    def test_a_tenth_fits_ten_times(self, ready_dataset, radius_m):
        services.set_budget(dataset=ready_dataset, epsilon=1.0, radius_m=radius_m)
        assert granted(ready_dataset, 0.1, radius_m, tries=12) == 10

    @given(n=st.integers(1, 1000), thousandths=st.integers(1, 10_000), radius_m=st.floats(0.01, 2e7))
    def test_n_equal_parts_fit_their_sum_and_never_less(self, n, thousandths, radius_m):
        part = ledger.micro(thousandths / 1000, radius_m, times=n)
        total = ledger.micro(float(Decimal(n * thousandths) / 1000), radius_m)
        assert ledger.whole(part) == ledger.whole(total)
        assert ledger.whole(total) >= total - losses.DUST


class TestRefusal:
    def test_charges_nothing_and_names_the_numbers(self, ready_dataset):
        services.set_budget(dataset=ready_dataset, epsilon=1.0, radius_m=200.0)
        reserve(ready_dataset, 0.75, 200.0)
        with pytest.raises(ledger.BudgetExceeded) as caught:
            reserve(ready_dataset, 0.5, 200.0)
        numbers = {"code": "budget", "spent_per_km": 3.75, "total_per_km": 5.0, "value": 2.5}
        assert caught.value.as_dict().items() >= numbers.items()
        assert BudgetEntry.objects.count() == 1
        assert ledger.spent(ready_dataset) == {"per_km": 3.75, "releases": 1, "events": 8}

    def test_of_a_sum_the_database_cannot_hold(self, ready_dataset):
        reserve(ready_dataset, 1e4, 0.01)
        BudgetEntry.objects.update(stability=5_000)
        with pytest.raises(ledger.BudgetExceeded):
            reserve(ready_dataset, 1e4, 0.01)

    def test_of_a_total_below_what_is_spent(self, owner_api, ready_dataset):
        reserve(ready_dataset, 1.0, 200.0)
        with pytest.raises(Conflict, match="has been spent already"):
            services.set_budget(dataset=ready_dataset, epsilon=0.999, radius_m=200.0)
        url = f"/api/v1/datasets/{ready_dataset.pk}/"
        answer = owner_api.patch(url, {"budget": {"epsilon": 0.5, "radius_m": 200}})
        assert (answer.status_code, answer.json()["errors"][0]["field"]) == (409, "budget")
        assert owner_api.get(url).json()["spent"] == {"per_km": 5.0, "releases": 1, "events": 8}
        assert services.set_budget(dataset=ready_dataset, epsilon=1.0, radius_m=200.0).total == 5_000_000


class TestRefund:
    @pytest.mark.django_db(transaction=True)
    def test_is_given_once(self, ready_dataset):
        entry = reserve(ready_dataset)
        assert sum(at_once(16, lambda _: ledger.refund(release_id=entry.release_id))) == 1
        assert not ledger.refund(release_id=entry.release_id)
        assert not ledger.refund(release_id=uuid.uuid4()), "of a release that was never charged"
        assert ledger.spent(ready_dataset) == {"per_km": 0.0, "releases": 0, "events": 0}
        assert sorted(BudgetEntry.objects.values_list("amount", flat=True)) == [-100_000_000, 100_000_000]

    def test_frees_budget(self, ready_dataset):
        services.set_budget(dataset=ready_dataset, epsilon=1.0, radius_m=3.0)
        entry, _ = (reserve(ready_dataset, 0.5, 3.0) for _ in range(2))
        ledger.refund(release_id=entry.release_id)
        assert granted(ready_dataset, 0.5, 3.0, tries=3) == 1


def test_another_users_upload_of_it_has_a_budget_of_its_own(ready_dataset, stranger_dataset):
    reserve(ready_dataset)
    assert ready_dataset.content_digest == stranger_dataset.content_digest
    assert ledger.spent(stranger_dataset)["per_km"] == 0


@pytest.mark.parametrize("amount", [1, 0])
def test_the_database_has_a_release_charged_once_and_never_zero(ready_dataset, amount):
    entry = reserve(ready_dataset)
    charge = {"release_id": entry.release_id, "amount": amount, "epsilon": 1, "radius_m": 1}
    with pytest.raises(IntegrityError), transaction.atomic():
        BudgetEntry.objects.create(source_file=entry.source_file, **charge)


@settings(max_examples=examples(30), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    steps=st.lists(
        st.tuples(st.sampled_from([0.1, 1.0, 0.333, 1e-6]), st.sampled_from([1.0, 3.0, 7.7, 2e7]), st.booleans())
    )
)
def test_the_exact_sum_of_entries_rounded_up_is_what_is_spent_after_any_sequence(db, ready_dataset, steps):
    exact = Fraction(0)
    with transaction.atomic():
        for epsilon, radius_m, given_back in steps:
            entry = reserve(ready_dataset, epsilon, radius_m)
            if given_back:
                assert ledger.refund(release_id=entry.release_id)
            else:
                exact += Fraction(repr(epsilon)) * 10**9 / Fraction(repr(radius_m))
            assert ledger.budget_of(ready_dataset).spent == math.ceil(exact)
        transaction.set_rollback(True)


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
class TestRace:
    def test_sixteen_threads_get_exactly_ten_grants(self, ready_dataset):
        services.set_budget(dataset=ready_dataset, epsilon=1.0, radius_m=300.0)
        assert sum(at_once(16, lambda _: granted(ready_dataset, 0.1, 300.0, tries=1))) == 10
        assert BudgetEntry.objects.count() == 10

    def test_four_processes_of_four_threads_get_exactly_ten_grants(self, ready_dataset, tmp_path):
        services.set_budget(dataset=ready_dataset, epsilon=1.0, radius_m=300.0)
        command = [sys.executable, "-m", "tests.dashboard.budget_race", str(ready_dataset.pk), "4", "0.1", "300"]
        racers = [
            subprocess.Popen(
                [*command, str(tmp_path / "start")], cwd=ROOT, env=environment(), stdout=subprocess.PIPE, text=True
            )
            for _ in range(4)
        ]
        assert [racer.stdout.readline() for racer in racers] == ["ready\n"] * 4
        (tmp_path / "start").touch()
        assert sum(int(racer.communicate(timeout=patience(60))[0]) for racer in racers) == 10
        assert ledger.spent(ready_dataset) == {"per_km": 3.333334, "releases": 10, "events": 8}


def environment():
    at = connection.settings_dict
    postgres = f"postgres://{at['USER']}@/{at['HOST']}/{at['NAME']}"
    url = f"sqlite:///{at['NAME']}" if connection.vendor == "sqlite" else postgres
    return os.environ | {"DATABASE_URL": url, "DJANGO_SETTINGS_MODULE": "dashboard.config.settings"}


LEVELS = ((0.1, 1.0), (1.0, 3.0), (0.25, 1.0), (1.0, 7.0))


class History:
    """Uploads and releases of one owner, and a count of them."""

    def __init__(self, owner, seed):
        self.owner, self.rng = owner, random.Random(seed)
        self.known = truth(self.rng, 40)
        self.count = Count()
        self.datasets = []
        self.charged = []

    def upload(self):
        events = next_upload(self.rng, self.known, self.count.uploads)
        self.count.add(events)
        evidence = evidence_of(None, series(sorted(events), self.rng), "trajectory", file_digest=uuid.uuid4().hex)
        if self.rng.random() < 0.5:  # else it is compared in the transaction
            matching.prepare(self.owner.pk, evidence)
        file = lineage.register(owner_id=self.owner.pk, evidence=evidence)
        self.datasets.append(Dataset(owner=self.owner, kind="trajectory", source_file=file))

    def release(self):
        at, (epsilon, radius_m) = self.rng.randrange(len(self.datasets)), self.rng.choice(LEVELS)
        key, mechanism = uuid.uuid4(), Uniform(epsilon=epsilon, radius_m=radius_m)
        price = ledger.quote(self.datasets[at], [mechanism])
        ledger.reserve(dataset=self.datasets[at], release_id=key, mechanism=mechanism)
        amount = Fraction(repr(epsilon)) * 10**9 / Fraction(repr(radius_m))
        self.count.charges[at] += amount
        self.charged.append((at, key, amount))
        assert round(price["after_per_km"] * 1e6) == self.count.worst(at)[0]

    def refund(self):
        if self.charged:
            at, key, amount = self.charged.pop(self.rng.randrange(len(self.charged)))
            assert ledger.refund(release_id=key)
            self.count.charges[at] -= amount

    def part(self):
        """Two uploads of one account are of other people."""
        at = self.rng.randrange(len(self.datasets))
        files = [one.source_file_id for one in self.datasets]
        for one in selectors.shared_with(self.datasets[at], self.owner)[:1]:
            lineage.record_other_people(dataset=self.datasets[at], others=[one["id"]])
            self.count.part(at, files.index(one["id"]))

    def check(self):
        for i, dataset in enumerate(self.datasets):
            spent = ledger.spent(dataset)
            assert (round(spent["per_km"] * 1e6), spent["events"]) == self.count.worst(i)
            for one in selectors.shared_with(dataset, self.owner):
                other = [row.source_file_id for row in self.datasets].index(one["id"])
                assert one["shared_events"] == len(self.count.held[i, other])


@pytest.mark.parametrize("part", range(20))
def test_what_the_worst_event_spent_is_that_of_a_count_over_sets(db, owner, part):
    sets = 10_000 if settings.default.max_examples >= 200 else 20
    for seed in range(part, sets, 20):
        with transaction.atomic():
            history = History(owner, seed)
            for step in history.rng.choices(
                ("upload", "release", "refund", "part"), (6, 6, 1, 1), k=history.rng.randrange(6, 14)
            ):
                if step == "upload" or history.datasets:
                    getattr(history, step)()
            history.check()
            for row in Reading.objects.all():
                row.folder.remove_folder()
            transaction.set_rollback(True)


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
class TestEventRace:
    def test_twenty_uploads_and_releases_at_once_end_as_one_after_another(self, owner):
        """Each shares 15 of its 30 events with the next, so three uploads at most hold an event."""
        datasets = at_once(20, lambda i: imported(owner, csv(lines(start=15 * i, count=30))))
        at_once(20, lambda i: spend(datasets[i], (i + 1) / 10))
        again = at_once(20, lambda i: imported(owner, csv(lines(start=15 * i, count=30)), options={"first_n": 29}))
        assert (Lineage.objects.count(), SourceFile.objects.count()) == (1, 20)
        for i, dataset in enumerate(datasets):
            worst = 100.0 * (i + 1) + max(100.0 * i, 100.0 * (i + 2) if i < 19 else 0.0)
            assert ledger.spent(dataset) == {"per_km": pytest.approx(worst), "releases": 2, "events": 15}
            assert per_km(again[i]) == per_km(dataset)
        assert Budget.objects.get().spent == 3_900_000_000

    def test_twenty_releases_of_two_uploads_get_exactly_ten_grants_of_a_shared_event(self, owner):
        pair = [imported(owner, csv(lines(start=start, count=60))) for start in (0, 59)]
        services.set_budget(dataset=pair[0], epsilon=1.0, radius_m=1.0)

        def attempt(i):
            try:
                spend(pair[i % 2], 0.1)
            except ledger.BudgetExceeded:
                return False
            return True

        assert sum(at_once(20, attempt)) == BudgetEntry.objects.count() == 10
        assert [ledger.spent(one)["events"] for one in pair] == [1, 1]

    @pytest.mark.parametrize("where", ["matching.store", "event_classes.remove_before", "losses.refresh"])
    def test_killed_while_it_matches_leaves_nothing_and_is_done_again(self, owner, where):
        first = imported(owner, csv(lines()))
        spend(first)
        program = f"""
import os, signal
import django; django.setup()
from dashboard.accounts.models import User
from dashboard.datasets import event_classes, losses, matching
from tests.dashboard.test_lineage import csv, imported, lines
def killed(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)
if {where!r} == "event_classes.remove_before":
    event_classes.removals.request = killed
    imported(User.objects.get(), csv(lines(start=10, count=20)))
else:
    module, name = {where!r}.split(".")
    setattr({{"matching": matching, "losses": losses}}[module], name, killed)
imported(User.objects.get(), csv(lines(start=40)))
"""
        done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, env=environment(), capture_output=True)
        assert done.returncode == -signal.SIGKILL, done.stderr
        assert ledger.spent(first) == {"per_km": 100.0, "releases": 1, "events": 60}
        second = imported(owner, csv(lines(start=40)))
        spend(second)
        assert ledger.spent(first) == ledger.spent(second) == {"per_km": 200.0, "releases": 2, "events": 20}
