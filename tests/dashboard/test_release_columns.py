"""Tables of releases of every kind: a column is one line of the registry, and rows have as many cells as their head."""

import re

import pytest
from django.urls import reverse

from dashboard.core.templatetags.glossary import GLOSSARY
from dashboard.datasets import release_columns
from dashboard.datasets.release_columns import COLUMNS, EVERY, Column, columns_of
from dashboard.datasets.templatetags.release_columns import SHOWN
from dashboard.releases.models import Release
from tests.cases import each
from tests.dashboard.api_helpers import page_data
from tests.dashboard.kinds import POPULARITY, STREAM, checkin_rows, checkins, counts, made, requested, wide
from tests.dashboard.release_runs import executed

pytestmark = pytest.mark.django_db
TABLES = ("dataset", "picker", "compare", "measured", "overview")
SHOWN_IN_BROWSERS = {"metres", "number", "verdict", "span"}
ROW = re.compile(r"<tr.*?</tr>", re.DOTALL)
CELL = re.compile(r"<t[hd]\b([^>]*)>")


def tables(html):
    """Of each table, the number of cells of its head, and those of its rows, one of a colspan as many."""
    for table in re.findall(r"<table.*?</table>", html, re.DOTALL):
        if rows := [
            sum(int((re.findall(r'colspan="(\d+)"', cell) or [1])[0]) for cell in CELL.findall(row))
            for row in ROW.findall(table)
        ]:
            yield table, rows


@pytest.fixture
def release_of(owner_api, submit):
    def of(kind):
        if kind == "trajectory":
            return executed(submit("landmark-uniform"))
        body = wide(counts()) if kind == "stream" else checkins(checkin_rows())
        dataset = made(owner_api, body, kind=kind)
        answer = requested(owner_api, dataset, STREAM if kind == "stream" else POPULARITY)
        return executed(Release.objects.get(pk=answer.json()["id"]))

    return of


@each("kind", EVERY)
def test_a_column_is_one_line(kind, release_of, owner_page, monkeypatch):
    release = release_of(kind)
    pages = {
        "dataset": f"/datasets/{release.dataset_id}/",
        "overview": reverse("releases:report", args=[release.pk]) + "?for=owner",
        "public": reverse("releases:report", args=[release.pk]),
    }
    if kind == "trajectory":
        pages |= {"compare": f"/datasets/{release.dataset_id}/compare/?release={release.pk}"}
    before = {name: owner_page.get(address) for name, address in pages.items()}
    assert {answer.status_code for answer in before.values()} == {200}
    more = Column("epsilon", "Stripes of it", "exact", " ".join(TABLES), EVERY, hint="As striped")
    with monkeypatch.context() as patched:
        patched.setattr(release_columns, "COLUMNS", (*COLUMNS, more))
        after = {name: owner_page.get(address).content.decode() for name, address in pages.items()}
        titles = [column.title for column in columns_of("compare", kind)]
    for name, html in after.items():
        columns, cells = html.count(">Stripes of it</abbr>"), html.count('data-label="Stripes of it"')
        assert columns >= 1, name
        assert cells >= 1, name
        assert "Stripes of it" not in before[name].content.decode()
        for table, rows in tables(html):
            if "Stripes of it" in table and len(rows) > 1:
                assert len(set(rows)) == 1, (name, rows)
    if kind == "trajectory":
        assert [column["title"] for column in page_data(after["compare"])["columns"]] == titles


def test_every_column_is_shown_by_a_filter_and_explained_by_the_glossary():
    for column in COLUMNS:
        assert set(column.tables.split()) <= set(TABLES), column
        assert not column.term or column.term in GLOSSARY, column
        assert column.tables == "compare" or column.show in SHOWN, column
    assert {column.show for kind in EVERY for column in columns_of("compare", kind)} <= SHOWN_IN_BROWSERS


def test_only_the_owner_has_what_was_measured():
    assert {column.key for column in columns_of("overview", "trajectory")} >= {"mae_m", "expected_m", "noise_mean_m"}
    public = {column.key for column in columns_of("overview", "trajectory", owner=False)}
    assert public == {"epsilon", "radius_m", "noise_mean_m", "noise_p95_m", "loss"}
