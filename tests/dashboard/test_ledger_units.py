"""Budgets in several units of loss, and lineages of count streams and check-ins."""

import uuid

import pytest
from django.db import IntegrityError, transaction
from django.db.models import Sum
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dashboard.datasets import ledger, lineage, services
from dashboard.datasets.models import Budget, BudgetEntry, Dataset, Lineage, LineageEntry
from privacy_engine.errors import ParameterErrors
from privacy_engine.mechanism import mechanisms
from tests.dashboard import kinds
from tests.dashboard.conftest import upload
from tests.dashboard.kinds import NAMES, POPULARITY, RECORDS, STREAM
from tests.examples import examples

ROWS = kinds.checkin_rows()
COUNTS = kinds.counts()


def imported(owner, body, kind=""):
    return services.import_dataset(owner=owner, upload=upload(body, "data.csv"), kind=kind)


def spend(dataset, mechanism, epsilon=1.0):
    chosen = mechanisms.parse(mechanism | {"epsilon": epsilon})
    return ledger.reserve(dataset=dataset, release_id=uuid.uuid4(), mechanism=chosen)


def spent(dataset, unit):
    return ledger.spent(Dataset.objects.get(pk=dataset.pk), unit)["per_km"]


def both(dataset):
    return spent(dataset, "user"), spent(dataset, "record")


@pytest.fixture
def checkins(owner):
    return imported(owner, kinds.checkins(ROWS))


class TestUnits:
    def test_each_has_a_limit_of_its_own_and_those_of_another_kind_are_refused(self, checkins):
        with pytest.raises(ParameterErrors) as refused:
            ledger.parse_total(checkins, {"epsilon": 1.0, "unit": "event"})
        (error,) = refused.value.errors
        assert (error.field, error.rule, error.value) == ("budget.unit", "one of user, record", "event")
        services.set_budget(dataset=checkins, epsilon=1.0, unit="user")
        spend(checkins, POPULARITY, 1.0)
        spend(checkins, RECORDS, 50.0)
        with pytest.raises(ledger.BudgetExceeded, match="of one user"):
            spend(checkins, POPULARITY, 0.001)
        assert both(checkins) == (1.0, 50.0)

    def test_of_users_and_records_are_never_added(self, checkins):
        spend(checkins, POPULARITY, 0.5)
        spend(checkins, RECORDS, 2.0)
        assert both(checkins) == (0.5, 2.0)
        assert ledger.refund(release_id=BudgetEntry.objects.get(unit="record").release_id)
        assert both(checkins) == (0.5, 0.0)
        assert checkins.source_file.lineage.budgets.count() == 2

    def test_equal_parts_fit_as_often_as_they_go_into_it(self, owner):
        for seed, (epsilon, times) in enumerate(((0.1, 10), (0.25, 4), (0.3, 3)), 1):
            stream = imported(owner, kinds.wide(kinds.counts(seed=seed)))
            services.set_budget(dataset=stream, epsilon=1.0)
            for _ in range(times):
                spend(stream, STREAM, epsilon)
            with pytest.raises(ledger.BudgetExceeded):
                spend(stream, STREAM, epsilon)
            assert spent(stream, "event") == pytest.approx(times * epsilon)

    def test_an_upload_read_as_two_kinds_has_one_lineage(self, owner, checkins):
        spend(checkins, POPULARITY)
        other = imported(owner, kinds.checkins(ROWS), kind="trajectory")
        assert other.kind == "trajectory"
        assert other.source_file == checkins.source_file
        assert ledger.spent(other) == {"per_km": 0.0, "releases": 0, "events": 0}
        assert spent(imported(owner, kinds.checkins(ROWS)), "user") == 1.0

    @settings(max_examples=examples(15), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
    @given(steps=st.lists(st.tuples(st.booleans(), st.sampled_from([0.1, 1.0, 0.333]), st.booleans()), max_size=8))
    def test_each_is_the_sum_of_its_entries(self, checkins, steps):
        with transaction.atomic():
            for of_users, epsilon, given_back in steps:
                entry = spend(checkins, POPULARITY if of_users else RECORDS, epsilon)
                if given_back:
                    assert ledger.refund(release_id=entry.release_id)
            for budget in Budget.objects.all():
                assert budget.spent == budget.entries.aggregate(all=Sum("amount"))["all"]  # all are whole amounts
            transaction.set_rollback(True)


class TestMergingAndDividing:
    @pytest.fixture
    def other(self, owner, checkins):
        return imported(owner, kinds.checkins(kinds.checkin_rows(seed=2)))

    def test_adds_each_unit_and_divides_it_again(self, owner, checkins, other):
        spend(checkins, POPULARITY, 0.5)
        spend(checkins, RECORDS, 2.0)
        spend(other, RECORDS, 3.0)
        services.set_budget(dataset=other, epsilon=7.0, unit="record")
        united = imported(owner, kinds.checkins(ROWS + kinds.checkin_rows(seed=2)))
        assert Lineage.objects.count() == 1
        assert (both(checkins), both(other), both(united)) == ((0.5, 2.0), (0.0, 3.0), (0.5, 3.0))
        with pytest.raises(ledger.BudgetExceeded):
            spend(checkins, RECORDS, 5.001)
        lineage.record_other_people(dataset=united)
        assert (both(checkins), both(other), both(united)) == ((0.5, 2.0), (0.0, 3.0), (0.0, 0.0))
        for dataset in (checkins, other, united):
            assert ledger.budget_of(Dataset.objects.get(pk=dataset.pk), "record").total == 7_000_000
            assert ledger.budget_of(Dataset.objects.get(pk=dataset.pk), "user").total is None
        amounts = LineageEntry.objects.filter(fact="shared-events").values_list("amounts", flat=True)
        assert sorted(amounts, key=lambda units: units["record"]) == [
            {"record": [0, 2_000_000], "user": [0, 500_000]},
            {"record": [0, 3_000_000]},
        ]


COUNTS_FILE = kinds.wide(COUNTS)
SAME = {
    "columns in another order": ("stream", kinds.wide(COUNTS[:, ::-1], NAMES[::-1])),
    "a part of the days": ("stream", kinds.wide(COUNTS[5:30], first=5)),
    "long": ("stream", kinds.long(COUNTS)),
    "two of the streams": ("stream", kinds.wide(COUNTS[:, :2], NAMES[:2])),
    "others' counts": ("stream", kinds.wide(kinds.counts(seed=2))),
    "rows in another order": ("checkins", kinds.checkins(ROWS[::-1])),
    "a part of the rows": ("checkins", kinds.checkins(ROWS[20:180])),
    "no positions": ("checkins", kinds.checkins([row.rsplit(",", 2)[0] for row in ROWS], "user_id,time,venue_id")),
    "users renamed": ("checkins", kinds.checkins([f"x{row}" for row in ROWS])),
    "others' check-ins": ("checkins", kinds.checkins(kinds.checkin_rows(seed=2))),
}


class TestRecognition:
    @pytest.mark.parametrize("what", SAME)
    def test_of_most_of_the_same_rows_but_not_of_others_at_the_same_times(self, owner, what):
        kind, body = SAME[what]
        original, mechanism = (COUNTS_FILE, STREAM) if kind == "stream" else (kinds.checkins(ROWS), POPULARITY)
        first = imported(owner, original)
        spend(first, mechanism)
        second = imported(owner, body)
        assert second.kind == first.kind == kind
        same = not what.startswith("others")
        assert (second.source_file.lineage_id == Dataset.objects.get(pk=first.pk).source_file.lineage_id) is same
        assert spent(second, first.units[0]) == (1.0 if same else 0.0)


def test_the_database_refuses_rows_of_no_unit_and_no_kind(checkins):
    """Whatever code writes them."""
    spend(checkins, POPULARITY)
    columns = {"source_file": checkins.source_file, "mechanism": "x", "level": "user", "amount": 1, "epsilon": 1}
    radii = [("user", 1.0), ("record", 200.0), ("event", 1.0), ("event_per_m", None)]
    entries = [columns | {"unit": unit, "radius_m": radius_m} for unit, radius_m in radii]
    budgets = [{"unit": "user"}, {"unit": "hour"}, {"spent": -1}]  # there is one for users
    for model, wrong in [(BudgetEntry, one) for one in entries] + [(Budget, one) for one in budgets]:
        keys = {"release_id": uuid.uuid4()} if model is BudgetEntry else {"lineage": checkins.source_file.lineage}
        with pytest.raises(IntegrityError), transaction.atomic():
            model.objects.create(**keys, **wrong)
    with pytest.raises(IntegrityError), transaction.atomic():
        Dataset.objects.filter(pk=checkins.pk).update(kind="tables")
