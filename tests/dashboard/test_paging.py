"""Pages of rows that are visible for one of two reasons, and accounts with hundreds of rows."""

import re
import uuid
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from dashboard.accounts.models import User
from dashboard.core.alternatives import mark_alternatives, parts_of
from dashboard.core.paging import KeyPaginator, count_of, first_rows
from dashboard.core.tags import LENGTH as TAGS_LENGTH
from dashboard.core.tags import tag_choices
from dashboard.datasets.models import Dataset, Kind
from dashboard.datasets.selectors import visible_datasets, with_ledger, with_sizes
from dashboard.jobs.api import MOST_OPEN
from dashboard.jobs.models import State
from dashboard.projects.models import Role
from dashboard.projects.services import add_member, create_project
from dashboard.releases.models import Release

COUNT = 30


@pytest.fixture
def rows(owner, stranger):
    """Datasets of the owner, in and out of a project, of another member in it, and of the stranger outside."""
    member, project = User.objects.create_user("member"), create_project(owner=owner, name="Both")
    add_member(project=project, username="member", role=Role.VIEWER)
    now, made = timezone.now(), []
    for i in range(COUNT):
        whose = (owner, member, stranger)[i % 3]
        within = project if whose == member or (whose == owner and i % 2) else None
        kind = (Kind.TRAJECTORY, Kind.STREAM)[i % 5 == 0]
        tags = f",tag {i % 4}," if i % 3 < 2 else ",unseen,"
        made.append(Dataset(owner=whose, project=within, name=f"row {i % 7}", kind=kind, stored_tags=tags))
    for i, row in enumerate(Dataset.objects.bulk_create(made)):
        Dataset.objects.filter(pk=row.pk).update(created_at=now - timedelta(seconds=i // 2))
    return visible_datasets(owner)


def test_two_parts_have_the_rows_and_pages_of_one_list(rows, stranger):
    for these in (rows, rows.filter(kind=Kind.TRAJECTORY), rows.exclude(name="row 3"), with_sizes(rows)):
        parts = [set(part.values_list("pk", flat=True)) for part in parts_of(these)]
        assert len(parts) == 2
        assert all(parts)
        assert not parts[0] & parts[1]
        assert parts[0] | parts[1] == set(these.values_list("pk", flat=True))
        assert count_of(these) == these.count() == len(parts[0] | parts[1])
    (part,) = parts_of(visible_datasets(stranger))  # visible for one reason
    assert part.count() == count_of(visible_datasets(stranger)) == COUNT // 3
    assert (len(parts_of(rows[:3])), count_of(rows[:3])) == (1, 3), "of which some were taken"
    assert tag_choices(rows) == [(f"tag {i}", f"tag {i}") for i in range(4)]
    with pytest.raises(TypeError, match="two joined by OR"):
        mark_alternatives(Dataset.objects.filter(name="x"))
    for order in ("-created_at", "created_at", "name", "-name", "-points", "owner__username"):
        ordered = with_ledger(with_sizes(rows.order_by(order, "pk")))
        paginator = KeyPaginator(ordered, 7)
        listed = [row.pk for number in paginator.page_range for row in paginator.page(number)]
        assert listed == [row.pk for row in ordered], order
        assert [row.pk for row in first_rows(ordered, 5)] == listed[:5], order


def test_a_page_is_read_in_the_order_of_indexes(rows):
    """Neither all rows are sorted nor the rows themselves read: only entries of the two indexes."""
    if connection.vendor != "sqlite":
        pytest.skip("the plan is read as SQLite states it")
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    seen = []

    def noted(execute, sql, values, *rest):
        seen.append(sql % tuple(f"'{one}'" for one in values or ()))
        return execute(sql, values, *rest)

    with connection.execute_wrapper(noted):
        first_rows(rows.order_by("-created_at", "pk"), 5)
        count_of(rows)
    keys, _, *counts = seen
    for sql in (keys, *counts):
        with connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN QUERY PLAN {sql}")
            plan = " ".join(str(row[-1]) for row in cursor.fetchall())
        assert "COVERING INDEX dataset" in plan
        assert "SCAN" not in plan
        assert "TEMP B-TREE" not in plan


def test_the_longest_texts_fit_into_an_index(owner):
    """PostgreSQL refuses rows whose entry in an index has more than 2,704 bytes."""
    letters = iter(chr(0x10400 + i) for i in range(10**6))  # four bytes each, none twice: nothing to compress
    text = ["".join(next(letters) for _ in range(count)) for count in (200, TAGS_LENGTH, 63)]
    project = create_project(owner=owner, name="Long")
    row = Dataset.objects.create(owner=owner, project=project, name=text[0], stored_tags=text[1], file_name=text[2])
    assert [found.pk for found in visible_datasets(owner)] == [row.pk]


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
