"""An account with hundreds of open jobs and releases: the same queries as with a few, and pages of bounded size."""

from __future__ import annotations

import re
import uuid

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from dashboard.jobs.api import MOST_OPEN
from dashboard.jobs.models import State
from dashboard.releases.models import Release

JOBS = "/api/v1/jobs/"
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


class TestJobs:
    def test_cost_as_much_with_two_hundred_open_ones(self, owner_api, copies):
        sizes, counts = [], []
        for number in (FEW, MANY):
            copies(number)
            with CaptureQueriesContext(connection) as found:
                answer = owner_api.get(JOBS)
            assert (answer.json()["open"], len(answer.json()["results"])) == (number, MOST_OPEN)
            sizes.append(len(answer.content))
            counts.append(len(found))
        assert counts[0] == counts[1]
        assert sizes[1] < 1.02 * sizes[0]

    def test_those_that_run_are_listed_however_new(self, owner_api, copies):
        copies(MANY)
        newest = Release.objects.latest("created_at")
        held = {"token": uuid.uuid4(), "lease_until": newest.created_at}
        Release.objects.filter(pk=newest.pk).update(state=State.RUNNING, **held)
        found = owner_api.get(JOBS).json()["results"]
        assert str(newest.pk) in {one["id"] for one in found}
        assert [one["state"] for one in found].count("running") == 1

    def test_a_few_are_all_listed_and_counted(self, owner_api, copies):
        copies(3)
        answer = owner_api.get(JOBS).json()
        assert (answer["open"], len(answer["results"])) == (3, 3)


class TestDatasetPage:
    def test_costs_as_much_with_two_hundred_releases(self, owner_page, ready_dataset, copies):
        sizes, counts = [], []
        for number in (FEW, MANY):
            copies(number)
            with CaptureQueriesContext(connection) as found:
                page = owner_page.get(f"/datasets/{ready_dataset.pk}/")
            sizes.append(len(page.content))
            counts.append(len(found))
        assert counts[0] == counts[1]
        assert sizes[1] < 1.02 * sizes[0]

    def test_every_release_is_on_one_of_its_pages(self, owner_page, ready_dataset, copies):
        copies(FEW + 10)
        listed: list[str] = []
        for number in (1, 2, 3):
            page = owner_page.get(f"/datasets/{ready_dataset.pk}/?page={number}").content.decode()
            listed += re.findall(r'name="release" value="([0-9a-f-]+)"', page)
            assert f"Page {number} of 3" in page
        assert sorted(listed) == sorted(str(pk) for pk in Release.objects.values_list("pk", flat=True))
