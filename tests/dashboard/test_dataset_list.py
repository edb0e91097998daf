"""The list of datasets: search, filter, order, tags, drawings, samples."""

import re

import pytest
from django.urls import reverse

from dashboard.datasets import thumbnails
from dashboard.datasets.models import Dataset
from dashboard.landmarks.generated_samples import load_samples
from privacy_engine.data import Trajectory
from tests.dashboard import kinds
from tests.dashboard.api_helpers import first_error
from tests.dashboard.kinds import made

LIST = "/api/v1/datasets/"


@pytest.fixture
def three(owner_api, ready_dataset):
    """The names of a trajectory, a stream and check-ins, each with a tag of its own."""
    made(owner_api, kinds.wide(kinds.counts(20)), name="counts.csv")
    made(owner_api, kinds.checkins(kinds.checkin_rows()), name="visits.csv")
    rows = list(Dataset.objects.order_by("created_at"))
    for row in rows:
        Dataset.objects.filter(pk=row.pk).update(stored_tags=f",{row.kind},all,")
    return [row.name for row in rows]


def shown(page, **query):
    """The names on the page, in its order."""
    html = page.get(reverse("datasets:list"), query).content.decode()
    return re.findall(r'class="datasets__name" href="[^"]*">([^<]*)<', html)


class TestFilter:
    def test_page_and_api_show_the_same(self, owner_page, owner_api, three):
        for query, found in [
            ({}, [2, 1, 0]),
            ({"kind": "stream"}, [1]),
            ({"tag": "checkins"}, [2]),
            ({"tag": "check"}, []),
            ({"search": "COUNTS .csv"}, [1]),
            ({"search": "csv nothing"}, []),
            ({"search": "trajectory"}, [0]),
            ({"ordering": "created_at"}, [0, 1, 2]),
            ({"ordering": "-points", "kind": "checkins"}, [2]),
        ]:
            names = [three[i] for i in found]
            assert shown(owner_page, **query) == names, (query, found)
            assert [row["name"] for row in owner_api.get(LIST, query).json()["results"]] == names, (query, found)

    def test_what_is_no_filter_shows_all(self, owner_page, three):
        assert shown(owner_page, kind="nothing", ordering="secret") == three[::-1]
        assert shown(owner_page, ordering=",") == three[::-1]  # the newest first, not in no order

    def test_nothing_found_offers_all(self, owner_page, three):
        html = owner_page.get(reverse("datasets:list"), {"search": "zzz"}).content.decode()
        assert "No dataset matches" in html
        assert "None of your 3 datasets" in html

    def test_further_pages_have_the_same_filter(self, owner_page, three, monkeypatch):
        monkeypatch.setattr("dashboard.datasets.views.SHOWN_DATASETS", 1)
        html = owner_page.get(reverse("datasets:list"), {"search": "csv"}).content.decode()
        assert 'href="?search=csv&amp;page=2"' in html


class TestTags:
    def test_are_set_and_listed(self, owner_api, ready_dataset):
        url = f"{LIST}{ready_dataset.pk}/"
        answer = owner_api.patch(url, {"tags": ["pilot", " 2024", "pilot"]})
        assert answer.json()["tags"] == ["pilot", "2024"]
        assert owner_api.patch(url, {"tags": []}).json()["tags"] == []

    def test_refused(self, owner_api, ready_dataset):
        for tags in [["a,b"], ["x" * 31], [str(i) for i in range(11)]]:
            answer = owner_api.patch(f"{LIST}{ready_dataset.pk}/", {"name": "other", "tags": tags})
            assert (answer.status_code, first_error(answer)["field"]) == (400, "tags"), tags
            ready_dataset.refresh_from_db()
            assert (ready_dataset.stored_tags, ready_dataset.name != "other") == ("", True), tags

    def test_the_longest_ones_fit(self, owner_api, ready_dataset):
        tags = [f"{i}".zfill(30) for i in range(10)]
        assert owner_api.patch(f"{LIST}{ready_dataset.pk}/", {"tags": tags}).json()["tags"] == tags


class TestThumbnails:
    def test_each_kind_has_one_on_the_page(self, owner_page, three):
        html = owner_page.get(reverse("datasets:list")).content.decode()
        assert len(re.findall(r'<path d="M[\dMLh ]+"/>', html)) == 3

    def test_of_earlier_datasets_are_made_when_they_are_listed(self, owner_page, three, monkeypatch):
        before = set(Dataset.objects.values_list("thumbnail", flat=True))
        Dataset.objects.update(thumbnail="")
        monkeypatch.setattr(thumbnails, "MADE", 2)
        for left in (1, 0, 0):
            shown(owner_page)
            assert Dataset.objects.filter(thumbnail="").count() == left
        assert set(Dataset.objects.values_list("thumbnail", flat=True)) == before

    def test_points_to_the_south_are_below(self):
        line = Trajectory(lon=[0.0, 0.0], lat=[1.0, 0.0])
        assert thumbnails.path_of("trajectory", [line]) == "M50 0L50 100"


class TestSamples:
    def test_are_created_once_and_the_newest_is_shown(self, owner_page, owner):
        answer = owner_page.post(reverse("landmarks:samples"))
        first = Dataset.objects.filter(owner=owner, sample=True)
        assert first.count() == 3
        assert all(row.landmark_sets.exists() for row in first)
        assert answer.url == reverse("datasets:detail", args=[first.order_by("-created_at", "pk")[0].pk])
        owner_page.post(reverse("landmarks:samples"))
        assert load_samples(owner=owner) == []

    def test_are_not_created_by_a_get(self, owner_page, make_dataset):
        assert owner_page.get(reverse("landmarks:samples")).status_code == 405
        assert not Dataset.objects.exists()
