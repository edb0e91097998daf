"""What the worst event of each upload spent is that of a count over sets of events, in any order of what happens."""

import os
import random
import signal
import subprocess
import sys
import uuid
from fractions import Fraction

import pytest
from django.db import transaction
from hypothesis import settings

from dashboard.datasets import ledger, lineage, matching, selectors, services
from dashboard.datasets.evidence import evidence_of
from dashboard.datasets.models import Budget, BudgetEntry, Dataset, Lineage, Reading, SourceFile
from privacy_engine.mechanisms.landmark import Uniform
from tests.dashboard.conftest import at_once
from tests.dashboard.event_sets import Count, next_upload, series, truth
from tests.dashboard.test_datasets_ledger import ROOT, database_url
from tests.dashboard.test_lineage import csv, imported, lines, per_km, spend

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
        evidence = evidence_of(None, series(sorted(events), self.rng), file_digest=uuid.uuid4().hex)
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


@pytest.mark.parametrize("part", range(100))
def test_what_the_worst_event_spent_is_that_of_a_count_over_sets(db, owner, part):
    sets = 10_000 if settings.default.max_examples >= 200 else 100
    for seed in range(part, sets, 100):
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


@pytest.mark.django_db(transaction=True)
class TestRace:
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
        environment = os.environ | {
            "DATABASE_URL": database_url(),
            "DJANGO_SETTINGS_MODULE": "dashboard.config.settings",
        }
        done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, env=environment, capture_output=True)
        assert done.returncode == -signal.SIGKILL, done.stderr
        assert ledger.spent(first) == {"per_km": 100.0, "releases": 1, "events": 60}
        second = imported(owner, csv(lines(start=40)))
        spend(second)
        assert ledger.spent(first) == ledger.spent(second) == {"per_km": 200.0, "releases": 2, "events": 20}
