"""What the worst event of each upload spent is what a count over sets of events says, in any order of what happens."""

from __future__ import annotations

import random
import uuid
from fractions import Fraction

import pytest
from django.db import transaction
from hypothesis import settings

from dashboard.accounts.models import User
from dashboard.datasets import ledger, lineage, matching, selectors
from dashboard.datasets.evidence import evidence_of
from dashboard.datasets.models import Dataset, Reading
from privacy_engine.mechanisms.landmark import Uniform
from tests.dashboard.event_sets import Count, next_upload, series, truth

LEVELS = ((0.1, 1.0), (1.0, 3.0), (0.25, 1.0), (1.0, 7.0))


class History:
    """Uploads and releases of one owner, and a count of them."""

    def __init__(self, owner: User, seed: int) -> None:
        self.owner, self.rng = owner, random.Random(seed)
        self.known = truth(self.rng, 40)
        self.count = Count()
        self.datasets: list[Dataset] = []
        self.charged: list[tuple[int, uuid.UUID, Fraction]] = []

    def upload(self) -> None:
        events = next_upload(self.rng, self.known, self.count.uploads)
        self.count.add(events)
        evidence = evidence_of(None, series(sorted(events), self.rng), file_digest=uuid.uuid4().hex)
        if self.rng.random() < 0.5:  # else it is compared in the transaction
            matching.prepare(self.owner.pk, evidence)
        file = lineage.register(owner_id=self.owner.pk, evidence=evidence)
        self.datasets.append(Dataset(owner=self.owner, kind="trajectory", source_file=file))

    def release(self) -> None:
        at, (epsilon, radius_m) = self.rng.randrange(len(self.datasets)), self.rng.choice(LEVELS)
        key, mechanism = uuid.uuid4(), Uniform(epsilon=epsilon, radius_m=radius_m)
        price = ledger.quote(self.datasets[at], [mechanism])
        ledger.reserve(dataset=self.datasets[at], release_id=key, mechanism=mechanism)
        amount = Fraction(repr(epsilon)) * 10**9 / Fraction(repr(radius_m))
        self.count.charges[at] += amount
        self.charged.append((at, key, amount))
        assert round(price["after_per_km"] * 1e6) == self.count.worst(at)[0]

    def refund(self) -> None:
        if self.charged:
            at, key, amount = self.charged.pop(self.rng.randrange(len(self.charged)))
            assert ledger.refund(release_id=key)
            self.count.charges[at] -= amount

    def part(self) -> None:
        """Two uploads of one account are of other people."""
        at = self.rng.randrange(len(self.datasets))
        files = [one.source_file_id for one in self.datasets]
        for one in selectors.shared_with(self.datasets[at], self.owner)[:1]:
            lineage.record_other_people(dataset=self.datasets[at], others=[one["id"]])
            self.count.part(at, files.index(one["id"]))

    def check(self) -> None:
        for i, dataset in enumerate(self.datasets):
            spent = ledger.spent(dataset)
            assert (round(spent["per_km"] * 1e6), spent["events"]) == self.count.worst(i)
            for one in selectors.shared_with(dataset, self.owner):
                other = [row.source_file_id for row in self.datasets].index(one["id"])
                assert one["shared_events"] == len(self.count.held[i, other])


@pytest.mark.parametrize("part", range(20))
def test_what_the_worst_event_spent_is_what_a_count_over_sets_says(db: None, owner: User, part: int) -> None:
    sets = 10_000 if settings.default.max_examples >= 200 else 100
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
