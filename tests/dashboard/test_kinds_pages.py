"""Pages of the kinds of data: uploads keep the kind that a page leads to; what lists show, samples included."""

import re

import pytest
from django.urls import reverse

from dashboard.datasets.models import Dataset
from dashboard.landmarks.generated_samples import load_tables
from tests.cases import each
from tests.dashboard import kinds
from tests.dashboard.api_helpers import refused
from tests.dashboard.conftest import upload

pytestmark = pytest.mark.django_db
LINK = re.compile(r'href="(/\?upload=\w+)#upload"')
UNNAMED = b"who,where,seen\n" + b"".join(b"u%d,p%d,2024-06-%02d\n" % (i % 4, i % 5, i % 28 + 1) for i in range(40))
NAMED = {"id": "who", "place": "where", "time": "seen"}


def text(page, address):
    return page.get(address).content.decode()


def selected(html):
    return re.findall(r'<option value="(\w+)" selected>', html.partition('name="kind"')[2].partition("</select>")[0])


class TestUploads:
    @each("view, kind, about", [("releases:recommend", "checkins", "visits"), ("streams:list", "stream", "counts")])
    def test_a_page_of_a_kind_leads_to_an_upload_of_that_kind(self, owner_page, owner, view, kind, about):
        addresses = set(LINK.findall(text(owner_page, reverse(view))))
        assert addresses == {f"/?upload={kind}"}
        html = text(owner_page, addresses.pop())
        assert selected(html) == [kind]
        assert about in html.partition("data-upload-kind")[2][:200]
        assert "data-upload-kind" not in text(owner_page, "/")
        assert selected(text(owner_page, "/?upload=nothing")) == []

    def test_the_form_without_scripts_keeps_it_too(self, owner_page):
        refused_page = owner_page.post("/", {"kind": "checkins", "file": upload(UNNAMED, "visits.csv")})
        assert refused_page.status_code == 400
        assert "Check-ins need a column of the user" in refused_page.content.decode()
        assert selected(refused_page.content.decode()) == ["checkins"]
        owner_page.post("/", {"kind": "checkins", "file": upload(UNNAMED, "visits.csv"), **NAMED})
        assert (Dataset.objects.get().kind, Dataset.objects.get().points) == ("checkins", 40)

    def test_through_the_preview_and_its_corrections(self, owner_api):
        """What cannot be read is kept as check-ins; its columns are offered as theirs, and it is read so."""
        kept = kinds.sent(owner_api, UNNAMED, "visits.csv", kind="checkins", keep=True).json()
        assert (kept["state"], kept["kind"], kept["error"]["code"]) == ("failed", "checkins", "no_checkin_columns")
        seen = owner_api.get(kept["urls"]["preview"]).json()
        assert (seen["kind"], seen["problem"]["code"]) == ("checkins", "no_checkin_columns")
        labels = [one["label"] for one in seen["roles"]]
        assert labels == ["User", "Time", "Place", "Latitude", "Longitude", "Time of day"]
        assert {one["role"] for one in seen["columns"]} == {""}
        for i in (1, 2, 3):  # one choice after the other, as the page makes them
            chosen = dict(list({"id": "#1", "place": "#2", "time": "#3"}.items())[:i])
            seen = owner_api.get(kept["urls"]["preview"], chosen | {"kind": "checkins"}).json()
            assert [one["role"] for one in seen["columns"]] == [*chosen, *[""] * (3 - i)]
        assert seen["problem"] is None
        read = owner_api.post(f"{kept['urls']['self']}read/", seen["mapping"], format="json").json()
        assert (read["state"], read["kind"], read["points"]) == ("ready", "checkins", 40)

    def test_another_kind_is_previewed_as_that(self, owner_api):
        counted = kinds.made(owner_api, kinds.wide(kinds.counts()))
        url = counted["urls"]["preview"]
        found = [owner_api.get(url, query).json() for query in ({}, {"kind": ""}, {"kind": "checkins"})]
        assert [one["kind"] for one in found] == ["stream", "stream", "checkins"]
        assert found[0]["columns"][0]["role"] == "time"
        assert found[0]["problem"] is None
        assert refused(owner_api.get(url, {"kind": "nothing"})) == (400, "kind")


class TestLists:
    def test_streams_lists_count_streams_and_live_ones(self, owner_page, owner, stranger):
        page = reverse("streams:list")
        assert "No count streams yet" in text(owner_page, page)
        assert "No live streams yet" in text(owner_page, page)
        load_tables(owner=owner)
        load_tables(owner=stranger)
        live = kinds.live_stream(owner, ("a", "b"))
        html = text(owner_page, page)
        assert html.count("Visits to six districts by hour</a>") == 1
        for shown in ("336", ">6</td>", "New release", live.name, reverse("streams:new")):
            assert shown in html, shown
        assert "Check-ins of a city" not in html
        assert "<form" not in html.partition("<main")[2].partition("</main>")[0].replace("<form method", "")
        assert "data-form" in text(owner_page, reverse("streams:new"))

    def test_a_long_list_leads_to_the_datasets(self, owner_page, owner, monkeypatch):
        monkeypatch.setattr("dashboard.streams.views.PER_PAGE", 1)
        load_tables(owner=owner)
        assert "All 1 count" not in text(owner_page, reverse("streams:list"))
        Dataset.objects.filter(kind="checkins").update(kind="stream", summary={"dimensions": []})
        html = text(owner_page, reverse("streams:list"))
        assert "All 2 count streams" in html
        assert html.count("New release</a>") == 1

    def test_no_feature_opens_empty_with_the_samples(self, owner_page, owner):
        assert "No check-ins yet" in text(owner_page, reverse("releases:recommend"))
        load_tables(owner=owner)
        assert "Check-ins of a city" in text(owner_page, reverse("releases:recommend"))
        for row in Dataset.objects.all():
            for view in ("datasets:detail", "releases:new"):
                answer = owner_page.get(reverse(view, args=[row.pk]))
                assert answer.status_code == 200
                assert b"tour__step" not in answer.content, "the first steps lead through landmarks"
