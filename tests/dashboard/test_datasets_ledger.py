"""The budget ledger: what is charged, how often, and that concurrent requests do not change it."""

import math
import os
import subprocess
import sys
import uuid
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest
from django.db import IntegrityError, connection, transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dashboard.core.errors import Conflict
from dashboard.datasets import ledger, losses, services
from dashboard.datasets.models import BudgetEntry, Dataset
from privacy_engine.data import Trajectory
from privacy_engine.mechanisms.landmark import EventLevel, Uniform, UserLevel
from tests.dashboard.conftest import at_once
from tests.examples import examples
from tests.patience import patience

ROOT = Path(__file__).resolve().parents[2]
MakeDataset = Callable[..., Dataset]


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


class TestCharge:
    def test_is_the_level_per_kilometre_rounded_up(self, ready_dataset):
        assert reserve(ready_dataset, 1.0, 200.0).amount == 5_000_000
        assert reserve(ready_dataset, 1.0, 300.0).amount == 3_333_334
        assert ledger.spent(ready_dataset) == {"per_km": 8.333334, "releases": 2, "events": 8}

    def test_nine_times_seven_ninths_are_seven(self, ready_dataset):
        """Each of nine levels is seven ninths per metre, rounded up in its last of 60 digits."""
        services.set_budget(dataset=ready_dataset, epsilon=7.0, radius_m=1.0)
        for k in range(1, 10):
            reserve(ready_dataset, 7.0 * k, 9.0 * k)
        assert ledger.spent(ready_dataset)["per_km"] == 7000.0

    def test_is_never_nothing(self, ready_dataset):
        assert reserve(ready_dataset, 1e-6, 2e7).amount == 1

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

    def test_three_thirds_are_one_whole(self, ready_dataset):
        services.set_budget(dataset=ready_dataset, epsilon=1.0, radius_m=1.0)
        assert granted(ready_dataset, 1.0, 3.0, tries=5) == 3

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
        shown = caught.value.as_dict()
        assert (shown["code"], shown["spent_per_km"], shown["total_per_km"], shown["value"]) == (
            "budget",
            3.75,
            5.0,
            2.5,
        )
        assert BudgetEntry.objects.count() == 1
        assert ledger.spent(ready_dataset) == {"per_km": 3.75, "releases": 1, "events": 8}

    def test_of_a_sum_the_database_cannot_hold(self, ready_dataset):
        reserve(ready_dataset, 1e4, 0.01)
        BudgetEntry.objects.update(stability=5_000)
        with pytest.raises(ledger.BudgetExceeded):
            reserve(ready_dataset, 1e4, 0.01)

    def test_of_a_total_below_what_is_spent(self, ready_dataset):
        reserve(ready_dataset, 1.0, 200.0)
        with pytest.raises(Conflict, match="has been spent already"):
            services.set_budget(dataset=ready_dataset, epsilon=0.999, radius_m=200.0)
        assert services.set_budget(dataset=ready_dataset, epsilon=1.0, radius_m=200.0).total == 5_000_000

    def test_of_a_total_below_what_is_spent_through_the_api(self, owner_api, ready_dataset):
        reserve(ready_dataset, 1.0, 200.0)
        body = {"budget": {"epsilon": 0.5, "radius_m": 200}}
        answer = owner_api.patch(f"/api/v1/datasets/{ready_dataset.pk}/", body)
        assert (answer.status_code, answer.json()["errors"][0]["field"]) == (409, "budget")
        assert owner_api.get(f"/api/v1/datasets/{ready_dataset.pk}/").json()["spent"] == {
            "per_km": 5.0,
            "releases": 1,
            "events": 8,
        }


class TestRefund:
    def test_is_given_once(self, ready_dataset):
        entry = reserve(ready_dataset)
        assert ledger.refund(release_id=entry.release_id)
        assert not ledger.refund(release_id=entry.release_id)
        assert ledger.spent(ready_dataset) == {"per_km": 0.0, "releases": 0, "events": 0}
        assert sorted(BudgetEntry.objects.values_list("amount", flat=True)) == [-100_000_000, 100_000_000]

    def test_of_a_release_that_was_never_charged_is_none(self, ready_dataset):
        assert not ledger.refund(release_id=uuid.uuid4())

    def test_frees_budget(self, ready_dataset):
        services.set_budget(dataset=ready_dataset, epsilon=1.0, radius_m=3.0)
        entry, _ = (reserve(ready_dataset, 0.5, 3.0) for _ in range(2))
        ledger.refund(release_id=entry.release_id)
        assert granted(ready_dataset, 0.5, 3.0, tries=3) == 1


class TestContent:
    def test_an_upload_of_the_same_points_shares_the_budget(self, owner, ready_dataset, make_dataset, paris_day):
        again = make_dataset(owner, Trajectory(paris_day.lon, paris_day.lat, paris_day.time_s, name="other"))
        reserve(ready_dataset)
        assert ledger.spent(again) == ledger.spent(ready_dataset) == {"per_km": 100.0, "releases": 1, "events": 8}

    def test_deleting_the_dataset_does_not_remove_it(self, owner, ready_dataset, make_dataset, paris_day):
        reserve(ready_dataset)
        services.delete_dataset(dataset=ready_dataset)
        assert ledger.spent(make_dataset(owner, paris_day))["per_km"] == 100.0

    def test_another_users_upload_of_it_has_a_budget_of_its_own(self, ready_dataset, stranger_dataset):
        reserve(ready_dataset)
        assert ready_dataset.content_digest == stranger_dataset.content_digest
        assert ledger.spent(stranger_dataset)["per_km"] == 0


class TestDatabase:
    """Constraints of the database, whatever code writes the rows."""

    @pytest.mark.parametrize("amount", [1, 0])
    def test_a_release_is_charged_once_and_never_zero(self, ready_dataset, amount):
        entry = reserve(ready_dataset)
        with pytest.raises(IntegrityError), transaction.atomic():
            BudgetEntry.objects.create(
                source_file=entry.source_file, release_id=entry.release_id, amount=amount, epsilon=1, radius_m=1
            )


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


@pytest.mark.django_db(transaction=True)
class TestRace:
    def test_sixteen_threads_get_exactly_ten_grants(self, ready_dataset):
        services.set_budget(dataset=ready_dataset, epsilon=1.0, radius_m=300.0)

        assert sum(at_once(16, lambda _: granted(ready_dataset, 0.1, 300.0, tries=1))) == 10
        assert BudgetEntry.objects.count() == 10

    def test_four_processes_of_four_threads_get_exactly_ten_grants(self, ready_dataset, tmp_path):
        services.set_budget(dataset=ready_dataset, epsilon=1.0, radius_m=300.0)
        command = [sys.executable, "-m", "tests.dashboard.budget_race", str(ready_dataset.pk), "4", "0.1", "300"]
        environment = os.environ | {
            "DATABASE_URL": database_url(),
            "DJANGO_SETTINGS_MODULE": "dashboard.config.settings",
        }
        racers = [
            subprocess.Popen(
                [*command, str(tmp_path / "start")], cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True
            )
            for _ in range(4)
        ]
        assert [racer.stdout.readline() for racer in racers] == ["ready\n"] * 4
        (tmp_path / "start").touch()
        assert sum(int(racer.communicate(timeout=patience(60))[0]) for racer in racers) == 10
        assert ledger.spent(ready_dataset) == {"per_km": 3.333334, "releases": 10, "events": 8}

    def test_of_sixteen_refunds_one_is_given(self, ready_dataset):
        entry = reserve(ready_dataset)
        assert sum(at_once(16, lambda _: ledger.refund(release_id=entry.release_id))) == 1
        assert ledger.spent(ready_dataset)["per_km"] == 0


def database_url():
    """The test database, as another process finds it."""
    at = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{at['NAME']}"
    return f"postgres://{at['USER']}@/{at['HOST']}/{at['NAME']}"
