"""What events spent: over all uploads that hold them, unless these are of other people."""

import uuid

import numpy as np
import pytest
from django.test import override_settings

from dashboard.core.errors import Conflict
from dashboard.datasets import ledger, lineage, selectors, services
from dashboard.datasets.models import Budget, BudgetEntry, Dataset, LineageEntry, SourceFile, SourceSketch
from dashboard.jobs.tasks import TASKS
from privacy_engine.cleaning import parse_cleaning
from privacy_engine.mechanisms.landmark import Uniform
from tests.dashboard.conftest import at_once, upload

N = 60


def lines(start=0, count=N, seed=1):
    """Rows of a trajectory: a minute apart, each at a different place."""
    rng = np.random.default_rng(seed)
    lon, lat = 2.3 + rng.random(10_000) / 100, 48.8 + rng.random(10_000) / 100
    time = [f"2024-06-{1 + i // 1440:02}T{i // 60 % 24:02}:{i % 60:02}:00Z" for i in range(10_000)]
    return [f"{time[i]},{lat[i]:.7f},{lon[i]:.7f}" for i in range(start, start + count)]


def csv(rows, header="time,lat,lon"):
    return "\n".join([header, *rows, ""]).encode()


def imported(owner, body, name="walk.csv", **more):
    return services.import_dataset(owner=owner, upload=upload(body, name), **more)


def spend(dataset, epsilon=0.1):
    mechanism = Uniform(epsilon=epsilon, radius_m=1.0)
    return ledger.reserve(dataset=dataset, release_id=uuid.uuid4(), mechanism=mechanism)


def per_km(dataset):
    return ledger.spent(Dataset.objects.get(pk=dataset.pk))["per_km"]


@pytest.fixture
def first(owner):
    """An upload of which a release has spent ε = 100 per km."""
    dataset = imported(owner, csv(lines()))
    spend(dataset)
    return dataset


class TestTheSameUpload:
    """What gave a new budget before: the audit's four cases."""

    def test_in_another_way_shares_the_budget(self, owner, stranger, first):
        other = imported(owner, csv(lines()), options={"first_n": 20})
        swapped = imported(owner, csv(lines()), options={"lon": "lat", "lat": "lon"})
        assert other.content_digest != first.content_digest != swapped.content_digest
        cleaned = imported(owner, csv(lines()), cleaning=parse_cleaning([{"name": "first-events", "events": 7}]))
        shorter = imported(owner, csv(lines(count=N - 1)))
        again = services.reread_dataset(dataset=first, options={"first_n": 10})
        assert (cleaned.points, again.points) == (7, 10)
        bare = imported(owner, csv([row.split(",", 1)[1] for row in lines(count=50)], "lat,lon"))
        assert not bare.has_time  # it is recognised by its places
        assert [per_km(one) for one in (other, swapped, cleaned, shorter, again, bare)] == [100.0] * 6
        assert per_km(imported(stranger, csv(lines()))) == 0.0
        for one in (first, other, swapped, cleaned, shorter, bare):
            services.delete_dataset(dataset=one)
        assert per_km(imported(owner, csv(lines(start=5, count=40)))) == 100.0, "a deleted dataset still counts"

    def test_shares_the_budget_after_the_key_was_rotated_and_no_one_is_advised_to_upload_again(self, owner, first):
        with override_settings(SECRET_KEY="another-key-" * 5):
            assert per_km(imported(owner, csv(lines()))) == 100.0
            assert per_km(imported(owner, csv(lines(count=N - 1)))) == 100.0
        Dataset.objects.filter(pk=first.pk).update(state="queued", finished_at=None)
        first.refresh_from_db()
        with pytest.raises(Conflict, match="the budget belongs to the uploaded file") as refused:
            services.reread_dataset(dataset=first, options={})
        assert "upload" not in refused.value.message.lower().replace("the uploaded file", "")

    @pytest.mark.usefixtures("everything_is_large")
    def test_shares_it_when_a_worker_reads_it(self, owner):
        for row in [imported(owner, csv(lines(count=N - i))) for i in range(2)]:
            TASKS[Dataset](str(row.pk))
        first, part = Dataset.objects.order_by("created_at")
        spend(first)
        assert per_km(part) == per_km(first) == 100.0


class TestAPart:
    def test_a_day_of_a_month_and_a_month_with_the_day_are_recognised(self, owner, stranger):
        for user, numbers in ((owner, ((0, 9000), (4000, 300))), (stranger, ((4000, 300), (0, 9000)))):
            one, other = (csv(lines(start=start, count=count)) for start, count in numbers)
            spend(imported(user, one))
            assert per_km(imported(user, other)) == 100.0

    def test_rows_in_another_order_and_another_format_are_recognised(self, owner, first):
        rows = [";".join(row.split(",")[::-1]) for row in reversed(lines())]
        assert per_km(imported(owner, csv(rows, "lon;lat;time"), "walk.txt")) == 100.0

    def test_some_of_its_events_as_check_ins_are_recognised(self, owner, first):
        rows = [row.split(",") for row in lines(start=40, count=40)]
        table = [f"u{i % 3},{t},v{i},{lat},{lon}" for i, (t, lat, lon) in enumerate(rows)]
        other = imported(owner, csv(table, "user_id,time,venue_id,lat,lon"))
        assert other.kind == "checkins"
        assert ledger.spent(other, "event_per_m") == {"per_km": 100.0, "releases": 1, "events": 20}

    @pytest.mark.parametrize(("change", "how"), [("time zone", "zone"), ("rounded", "moved"), ("coarse", "")])
    def test_rounded_and_shifted_rows_are(self, owner, first, change, how):
        rows = [row.replace("Z,", "+02:00,") for row in lines()]
        if change != "time zone":
            digits = 3 if change == "rounded" else 1
            rows = [
                f"{t},{float(lat):.{digits}f},{float(lon):.{digits}f}"
                for t, lat, lon in (row.split(",") for row in lines())
            ]
        copy = imported(owner, csv(rows))
        assert per_km(copy) == (100.0 if how else 0.0)
        assert [one["how"] for one in selectors.shared_with(copy, owner)] == ([how] if how else [])


class TestMerging:
    def test_an_upload_that_matches_two_lineages_makes_them_one(self, owner):
        one, two = imported(owner, csv(lines())), imported(owner, csv(lines(start=500)))
        spend(one, 0.1)
        spend(two, 0.3)
        assert (per_km(one), per_km(two)) == (100.0, 300.0)
        both = imported(owner, csv(lines() + lines(start=500)))
        assert (per_km(one), per_km(two), per_km(both)) == (100.0, 300.0, 300.0)
        spend(both, 0.2)
        assert (per_km(one), per_km(two), per_km(both)) == (300.0, 500.0, 500.0)
        assert ledger.spent(both) == {"per_km": 500.0, "releases": 2, "events": N}
        assert Budget.objects.get().spent == 500_000_000
        shared = LineageEntry.objects.values_list("fact", "share", "amounts__event_per_m")
        assert sorted(shared) == [("shared-events", 1.0, [0, 100_000_000]), ("shared-events", 1.0, [0, 300_000_000])]

    def test_the_smaller_limit_holds_for_both(self, owner):
        one, two = imported(owner, csv(lines())), imported(owner, csv(lines(start=500)))
        services.set_budget(dataset=one, epsilon=1.0, radius_m=1.0)
        services.set_budget(dataset=two, epsilon=0.2, radius_m=1.0)
        spend(one, 0.15)
        both = imported(owner, csv(lines() + lines(start=500)))
        with pytest.raises(ledger.BudgetExceeded):
            spend(both, 0.06)
        spend(both, 0.05)

    def test_a_limit_passed_by_merging_stays_and_holds_for_each_event(self, owner, owner_page):
        one, two = imported(owner, csv(lines())), imported(owner, csv(lines(start=500)))
        services.set_budget(dataset=one, epsilon=0.2, radius_m=1.0)
        spend(one, 0.1)
        spend(two, 0.3)
        both = imported(owner, csv(lines() + lines(start=500)))
        budget = ledger.budget_of(both)
        assert (budget.spent, budget.total, budget.total_epsilon) == (300_000_000, 200_000_000, 0.2)
        for over in (two, both):
            with pytest.raises(ledger.BudgetExceeded):
                spend(over, 1e-6)
            assert "over the limit" in owner_page.get(f"/datasets/{over.pk}/").content.decode()
        assert "over the limit" not in owner_page.get(f"/datasets/{one.pk}/").content.decode()
        spend(one, 0.1)
        with pytest.raises(ledger.BudgetExceeded):
            spend(one, 1e-6)

    def test_a_refund_after_merging_goes_to_the_one_budget(self, owner):
        one, two = imported(owner, csv(lines())), imported(owner, csv(lines(start=500)))
        entry = spend(two, 0.3)
        spend(one, 0.1)
        imported(owner, csv(lines() + lines(start=500)))
        assert ledger.refund(release_id=entry.release_id)
        assert not ledger.refund(release_id=entry.release_id)
        assert (per_km(one), per_km(two)) == (100.0, 0.0)


class TestOtherPeople:
    @pytest.fixture
    def second(self, owner, first):
        dataset = imported(owner, csv(lines(count=N - 1)))
        spend(dataset, 0.05)
        return dataset

    def test_each_keeps_what_its_own_releases_spent(self, owner, first, second):
        services.set_budget(dataset=first, epsilon=1.0, radius_m=1.0)
        before = list(LineageEntry.objects.order_by("pk").values())
        lineage.record_other_people(dataset=second)
        assert (per_km(first), per_km(second)) == (100.0, 50.0)
        assert {budget.total for budget in Budget.objects.all()} == {1_000_000_000}
        *same, one = LineageEntry.objects.order_by("pk").values()
        assert same == before, "it is recorded, and nothing else changes"
        assert (one["fact"], one["amounts"]) == ("other-people", {"event_per_m": [50_000_000, 100_000_000]})
        assert one["created_at"] is not None
        with pytest.raises(Conflict, match="shares its budget with no other upload"):
            lineage.record_other_people(dataset=first)
        assert per_km(imported(owner, csv(lines(count=N - 2)))) == 150.0, "one that matches both unites them again"

    def test_holds_for_later_datasets_of_the_same_files(self, owner, first, second):
        lineage.record_other_people(dataset=second)
        assert per_km(imported(owner, csv(lines(count=N - 1)), options={"first_n": 30})) == 50.0
        assert per_km(imported(owner, csv(lines()))) == 100.0

    def test_divides_along_what_connects(self, owner, first, second):
        third = imported(owner, csv(lines(count=N - 2)))
        lineage.record_other_people(dataset=second, others=[first.source_file_id])
        assert (per_km(first), per_km(second), per_km(third)) == (100.0, 50.0, 150.0)
        assert Budget.objects.count() == 1  # the third connects them still
        lineage.record_other_people(dataset=third, others=[first.source_file_id])
        assert (per_km(first), per_km(second), per_km(third)) == (100.0, 50.0, 50.0)


class TestAPI:
    @pytest.fixture
    def second(self, owner, first):
        return imported(owner, csv(lines(count=N - 1)), name="Without the last row")

    @pytest.mark.parametrize("named", [True, False])
    def test_takes_the_decision(self, owner_api, first, second, named):
        body = {"decision": "other-people"} | ({"others": [first.source_file_id]} if named else {})
        answer = owner_api.post(f"/api/v1/datasets/{second.pk}/lineage/", body)
        assert (answer.status_code, answer.json()["others"]) == (200, [])
        assert answer.json()["recorded"][-1]["fact"] == "other-people"
        assert owner_api.get(f"/api/v1/datasets/{second.pk}/").json()["sharing"] == 0
        assert owner_api.post(f"/api/v1/datasets/{second.pk}/lineage/", body).status_code == 409

    def test_shows_what_shares_the_budget_and_refuses_by_name(self, owner_api, first, second):
        decision = {"decision": "other-people"}
        for body, field in (
            ({}, "decision"),
            ({"decision": "same"}, "decision"),
            (decision | {"others": []}, "others"),
            (decision | {"others": [987654]}, "others"),
        ):
            answer = owner_api.post(f"/api/v1/datasets/{second.pk}/lineage/", body)
            assert (answer.status_code, answer.json()["errors"][0]["field"].split(".")[0]) == (400, field), body
        assert Budget.objects.count() == 1
        dataset = owner_api.get(f"/api/v1/datasets/{second.pk}/").json()
        assert (dataset["sharing"], dataset["spent"]) == (1, {"per_km": 100.0, "releases": 1, "events": N - 1})
        shown = owner_api.get(dataset["urls"]["lineage"]).json()
        (other,) = shown["others"]
        assert (other["datasets"][0]["id"], other["share"], other["spent_per_km"]) == (str(first.pk), 1.0, 100.0)
        assert (other["shared_events"], other["how"]) == (N - 1, "same")
        assert [one["fact"] for one in shown["recorded"]] == ["shared-events"]
        assert "time zone" in shown["not_recognised"]
        services.delete_dataset(dataset=first)
        (other,) = owner_api.get(dataset["urls"]["lineage"]).json()["others"]
        assert (other["datasets"], other["spent_per_km"]) == ([], 100.0)


@pytest.mark.django_db(transaction=True)
class TestRace:
    def test_the_same_file_at_once_is_one_source_file(self, owner):
        at_once(8, lambda _: imported(owner, csv(lines())))
        assert (SourceFile.objects.count(), SourceSketch.objects.count(), Dataset.objects.count()) == (1, 1, 8)

    def test_charges_while_lineages_merge_and_divide_add_up(self, owner):
        one, two = imported(owner, csv(lines())), imported(owner, csv(lines(start=500)))

        def attempt(i):
            if i == 5:
                lineage.record_other_people(dataset=imported(owner, csv(lines() + lines(start=500))))
            else:
                spend((one, two)[i % 2], 0.1)

        at_once(12, attempt)
        assert BudgetEntry.objects.count() == 11
        assert (per_km(one), per_km(two)) == (600.0, 500.0)
