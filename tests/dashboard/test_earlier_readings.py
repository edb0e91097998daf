"""Charges made before events were counted: never less than before, hashes added in the background."""

import importlib
from datetime import timedelta
from unittest.mock import Mock

import pytest
from django.apps import apps
from django.db.models import Sum
from django.utils import timezone

from dashboard.datasets import earlier_readings, ledger, lineage, services
from dashboard.datasets.models import Budget, BudgetEntry, EventLoss, LineageEntry, Reading, SourceFile, SourceSketch
from dashboard.maintenance.cleanup import tidy
from privacy_engine.cleaning import parse_cleaning
from tests.dashboard.test_lineage import N, csv, imported, lines, per_km, spend

migration = importlib.import_module("dashboard.datasets.migrations.0022_earlier_charges")


def as_before():
    """Leave what the version before had: sketches, and one sum a lineage."""
    Reading.objects.all().delete()
    EventLoss.objects.all().delete()
    SourceFile.objects.update(whole=[])
    for budget in Budget.objects.all():
        budget.spent = budget.entries.aggregate(all=Sum("amount"))["all"] or 0
        budget.save()


def upgraded():
    as_before()
    migration.count_wholly(apps, None)


def hashed():
    many = 0
    while (pk := earlier_readings.next_file()) is not None:
        assert earlier_readings.add_hashes(pk)
        many += 1
    return many


@pytest.fixture
def chain(owner):
    """Each shares most events with the next; the first and the last share none."""
    found = []
    for i in range(3):
        found.append(imported(owner, csv(lines(start=25 * i, count=50))))
        spend(found[-1], 0.1 * 2**i)
    return found


class TestMigration:
    def test_counts_what_a_chain_spent_for_every_event_of_it(self, chain):
        assert [per_km(one) for one in chain] == [300.0, 700.0 - 100.0, 600.0]
        upgraded()
        for one in chain:
            assert ledger.spent(one) == {"per_km": 700.0, "releases": 3, "events": None}
        assert hashed() == 3
        assert [ledger.spent(one) for one in chain] == [{"per_km": 700.0, "releases": 3, "events": 50}] * 3
        spend(chain[0], 0.1)
        assert {per_km(one) for one in chain} == {800.0}

    def test_keeps_what_was_divided_apart(self, owner, chain):
        lineage.record_other_people(dataset=chain[0])
        before = list(LineageEntry.objects.values())
        upgraded()
        assert [per_km(one) for one in chain] == [100.0, 600.0, 600.0]
        hashed()
        assert [per_km(one) for one in chain] == [100.0, 600.0, 600.0]
        assert list(LineageEntry.objects.values()) == before

    def test_finds_what_was_not_recognised_before(self, owner):
        one, other = imported(owner, csv(lines())), imported(owner, csv(lines(start=N - 10)))
        spend(one, 0.1)
        spend(other, 0.2)
        upgraded()
        assert Budget.objects.count() == 1  # both were found by their events in this test: what follows divides them
        SourceFile.objects.update(whole=[])
        LineageEntry.objects.all().delete()
        lineage._divide(one.source_file.lineage)
        assert (per_km(one), per_km(other)) == (100.0, 200.0)
        assert hashed() == 2
        assert ledger.spent(one) == ledger.spent(other) == {"per_km": 300.0, "releases": 2, "events": 10}

    def test_carries_what_rounding_of_each_charge_added(self, owner):
        one = imported(owner, csv(lines()))
        spend(one)
        as_before()
        Budget.objects.update(spent=100_000_002)  # charges of a third each, in lineages that were joined later
        migration.count_wholly(apps, None)
        assert EventLoss.objects.get().spent == 100_000_002
        hashed()
        spend(one)
        assert EventLoss.objects.get().spent == Budget.objects.get().spent == 200_000_002

    def test_back_each_budget_is_the_sum_of_its_charges(self, chain):
        services.set_budget(dataset=chain[0], epsilon=0.65, radius_m=1.0)
        migration.add_up(apps, None)
        (budget,) = Budget.objects.all()
        assert (budget.spent, budget.total) == (700_000_000, 700_000_000)


class TestHashes:
    def test_of_a_file_that_is_gone_are_those_of_its_points(self, owner):
        dataset = imported(owner, csv(lines()))
        dataset.original_path.unlink()
        as_before()
        assert hashed() == 1
        part = imported(owner, csv(lines(start=50, count=30)))
        spend(dataset)
        assert ledger.spent(part) == {"per_km": 100.0, "releases": 1, "events": 10}

    def test_of_a_file_that_is_gone_and_was_cleaned_do_not_exist(self, owner):
        """It counts for every event of what its sketch shares most events with."""
        cleaned = imported(owner, csv(lines()), cleaning=parse_cleaning([{"name": "first-events", "events": 7}]))
        cleaned.original_path.unlink()
        as_before()
        assert hashed() == 1
        assert not Reading.objects.exists()
        assert SourceSketch.objects.get().reading is None
        spend(cleaned)
        half = imported(owner, csv(lines(count=N // 2) + lines(start=500, count=20)))
        assert ledger.spent(half) == {"per_km": 100.0, "releases": 1, "events": N // 2 + 20}

    def test_what_was_killed_is_begun_again_and_given_up_after_three_times(self, owner, monkeypatch):
        imported(owner, csv(lines()))
        as_before()
        file = SourceFile.objects.get()
        with monkeypatch.context() as patch:
            patch.setattr(lineage, "register_reading", Mock(side_effect=KeyboardInterrupt))
            for _ in range(2):
                with pytest.raises(KeyboardInterrupt):
                    earlier_readings.add_hashes(file.pk)
                assert earlier_readings.next_file() is None
                assert not earlier_readings.add_hashes(file.pk)  # another one may be computing them
                SourceFile.objects.update(hashing_at=timezone.now() - timedelta(hours=2))
        assert hashed() == 1
        assert Reading.objects.count() == 1
        assert earlier_readings.next_file() is None

    def test_are_requested_by_the_sweep(self, owner, monkeypatch):
        sent = []
        monkeypatch.setattr(earlier_readings.current_app, "send_task", lambda *a, **more: sent.append(a))
        imported(owner, csv(lines()))
        tidy()
        assert sent == []
        as_before()
        tidy()
        assert sent == [(earlier_readings.TASK, (SourceFile.objects.get().pk,))]


class TestRemoval:
    def test_of_an_upload_that_was_never_charged_removes_its_hashes(self, owner, django_capture_on_commit_callbacks):
        dataset = imported(owner, csv(lines()))
        again = imported(owner, csv(lines()))
        path = Reading.objects.get().hashes_path
        with django_capture_on_commit_callbacks(execute=True):
            services.delete_dataset(dataset=dataset)
        assert path.exists()
        with django_capture_on_commit_callbacks(execute=True):
            services.delete_dataset(dataset=again)
        assert not path.exists()
        assert (Reading.objects.count(), SourceSketch.objects.count()) == (0, 0)

    def test_of_one_that_was_charged_keeps_them(self, owner):
        dataset = imported(owner, csv(lines()))
        entry = spend(dataset)
        services.delete_dataset(dataset=dataset)
        assert Reading.objects.get().hashes_path.exists()
        assert BudgetEntry.objects.get() == entry

    def test_damaged_hashes_and_labels_count_wholly(self, owner):
        one = imported(owner, csv(lines()))
        spend(one)
        two = imported(owner, csv(lines(count=40) + lines(start=500, count=20)))
        assert ledger.spent(two)["events"] == 40
        for reading in Reading.objects.exclude(labels_file=""):
            reading.labels_path.unlink()
        third = imported(owner, csv(lines(count=40) + lines(start=900, count=20)))
        assert ledger.spent(third)["events"] == 40
        Reading.objects.get(source_file=one.source_file).hashes_path.unlink()
        assert ledger.spent(imported(owner, csv(lines(count=39))))["events"] == 39
