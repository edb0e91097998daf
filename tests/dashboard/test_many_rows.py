"""An account with hundreds of open jobs and releases: the same queries as with a few, and pages of bounded size."""

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


def test_jobs_and_the_page_of_a_dataset_cost_as_much_with_two_hundred(owner_api, owner_page, ready_dataset, copies):
    sizes, counts = [], []
    for number in (3, FEW, MANY):
        copies(number)
        for api, address in ((owner_api, JOBS), (owner_page, f"/datasets/{ready_dataset.pk}/")):
            with CaptureQueriesContext(connection) as found:
                answer = api.get(address)
            sizes.append(len(answer.content))
            counts.append(len(found))
        jobs = owner_api.get(JOBS).json()
        assert (jobs["open"], len(jobs["results"])) == (number, min(number, MOST_OPEN))
    assert counts[2:4] == counts[4:]
    assert sizes[4] < 1.02 * sizes[2]
    assert sizes[5] < 1.02 * sizes[3]
    newest = Release.objects.latest("created_at")
    held = {"token": uuid.uuid4(), "lease_until": newest.created_at}
    Release.objects.filter(pk=newest.pk).update(state=State.RUNNING, **held)
    found = owner_api.get(JOBS).json()["results"]
    assert [one["id"] for one in found if one["state"] == "running"] == [str(newest.pk)], "listed however new"


def test_every_release_is_on_one_of_the_pages_of_its_dataset(owner_page, ready_dataset, copies):
    copies(FEW + 10)
    listed = []
    for number in (1, 2, 3):
        page = owner_page.get(f"/datasets/{ready_dataset.pk}/?page={number}").content.decode()
        listed += re.findall(r'name="release" value="([0-9a-f-]+)"', page)
        assert f"Page {number} of 3" in page
    assert sorted(listed) == sorted(str(pk) for pk in Release.objects.values_list("pk", flat=True))
