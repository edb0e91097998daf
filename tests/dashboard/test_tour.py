"""First steps and samples: which users see them, what completes them, and what loading makes."""

import re
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from dashboard.datasets import execution
from dashboard.datasets.models import Dataset
from dashboard.datasets.services import import_dataset
from dashboard.jobs import leases
from dashboard.landmarks.generated_samples import load_samples
from dashboard.landmarks.models import LandmarkSet
from dashboard.landmarks.services import mark_landmarks
from dashboard.releases.services import submit_release
from dashboard.storage.data_files import read_data
from privacy_engine.samples import samples
from privacy_engine.spec import ReleaseSpec
from tests.dashboard.api_helpers import UNIFORM
from tests.dashboard.conftest import upload

STEP = re.compile(
    r'<li class="tour__step(?P<done> tour__step--done)?(?P<current> tour__step--current)?">\s*'
    r'<a class="tour__link" href="(?P<url>[^"]+)"(?P<here> aria-current="step")?>.*?'
    r'<span class="tour__title">(?P<title>[^<]+)</span>',
    re.DOTALL,
)
TITLES = ["View the trajectory", "Define landmarks", "Create releases", "Compare", "Upload your data"]


def strip(page, address="/"):
    return [match.groupdict() for match in STEP.finditer(page.get(address).content.decode())]


def done(page, address="/"):
    return [step["title"] for step in strip(page, address) if step["done"]]


def sample_of(owner, make_dataset):
    """The day in Paris, as the command loads it: with its landmarks."""
    found = samples()[2]
    dataset = make_dataset(owner, found.series, name=found.title, sample=True)
    mark_landmarks(owner=owner, dataset=dataset, method=found.landmarks.model_dump())
    return dataset


@pytest.fixture
def sample(owner, make_dataset):
    return sample_of(owner, make_dataset)


def release_of(dataset):
    marks, spec = LandmarkSet.objects.filter(dataset=dataset).first(), ReleaseSpec.parse({"mechanism": UNIFORM})
    submit_release(owner=dataset.owner, dataset=dataset, landmark_set=marks, spec=spec)


def addresses(dataset):
    own = f"/datasets/{dataset.pk}/"
    return [own, f"{own}landmarks/new/", f"{own}releases/new/", f"{own}compare/"]


class TestForWhom:
    def test_who_has_only_samples_sees_it_on_the_list_and_the_samples_pages(
        self, owner_page, owner, make_dataset, stranger_dataset, django_assert_num_queries
    ):
        assert strip(owner_page) == []
        for address in ["/", *addresses(sample_of(owner, make_dataset))]:
            assert [step["title"] for step in strip(owner_page, address)] == TITLES, address
        assert done(owner_page) == TITLES[:1], "viewed now; what another has counts for nothing"
        with django_assert_num_queries(2):  # session and user: other pages request nothing for it
            owner_page.get("/glossary/")

    def test_every_link_leads_to_a_page_and_states_where_one_is(self, owner_page, sample):
        urls = [step["url"] for step in strip(owner_page)]
        assert urls == [*addresses(sample), "/#upload"]
        assert 'id="upload"' in owner_page.get("/").content.decode()
        for at, url in enumerate(urls[:4]):
            assert [bool(step["here"]) for step in strip(owner_page, url)] == [i == at for i in range(5)]
            assert [bool(step["current"]) for step in strip(owner_page, url)] == [i == at for i in range(5)]

    def test_not_for_who_has_something_of_their_own(self, owner_page, owner, sample, ready_dataset):
        for address in ["/", *addresses(ready_dataset)]:
            assert strip(owner_page, address) == []
        owner.refresh_from_db()
        assert owner.tour_looked_at is None, "their own data are no visit of a sample"
        for address in addresses(sample):
            assert strip(owner_page, address) == []


class TestTicks:
    def test_each_by_what_was_done(self, owner_page, owner, sample):
        look, _, _, compare = addresses(sample)
        owner_page.get(compare)  # there is nothing to be compared yet
        assert done(owner_page) == []
        kept = []
        for _ in range(2):
            owner_page.get(look)
            owner.refresh_from_db()
            kept.append(owner.tour_looked_at)
        assert kept[0] == kept[1] is not None, "the first visit is the one kept"
        assert done(owner_page) == TITLES[:1]
        same = LandmarkSet.objects.get().method
        for method in (same, {"name": "manual", "events": [3]}):  # the same again, and another in place of the first
            mark_landmarks(owner=owner, dataset=sample, method=method)
            assert done(owner_page) == TITLES[:2]
            LandmarkSet.objects.all().delete()
            assert done(owner_page) == TITLES[:1]
        mark_landmarks(owner=owner, dataset=sample, method={"name": "manual", "events": [1]})
        assert done(owner_page) == TITLES[:2]
        release_of(sample)
        assert done(owner_page) == TITLES[:3]
        owner_page.get(compare)
        assert done(owner_page) == TITLES[:4]


class TestHideAndShow:
    def test_hidden_for_this_user_only(self, owner_page, stranger, sample, make_dataset):
        answer = owner_page.post("/tour/", {"shown": "no", "next": addresses(sample)[1]})
        assert answer["Location"] == addresses(sample)[1]
        assert strip(owner_page) == strip(owner_page, addresses(sample)[1]) == []
        make_dataset(stranger, samples()[2].series, sample=True)
        other = Client()
        other.force_login(stranger)
        assert len(strip(other)) == 5

    def test_shown_again_whatever_else_there_is(self, owner_page, sample, ready_dataset):
        assert 'name="shown" value="yes"' in owner_page.get("/").content.decode()
        assert owner_page.post("/tour/", {"shown": "yes"})["Location"] == "/"
        assert done(owner_page) == ["Upload your data"]
        assert strip(owner_page, addresses(ready_dataset)[0]) == []

    def test_only_a_post_with_the_token_changes_it_and_leads_nowhere_else(self, owner, owner_page):
        browser = Client(enforce_csrf_checks=True)
        browser.force_login(owner)
        assert browser.get("/tour/").status_code == 405
        assert browser.post("/tour/", {"shown": "no"}).status_code == 403
        owner.refresh_from_db()
        assert owner.tour_shown is None
        body = owner_page.post("/tour/", {"shown": "yes"}, follow=True).content.decode()
        assert "manage.py loadsamples owner" in body, "there is no sample"
        for there in ("https://evil.example/", "//evil.example", "javascript:alert(1)", "\\\\evil"):
            assert owner_page.post("/tour/", {"shown": "no", "next": there})["Location"] == "/"


API = "/api/v1/"


class TestSamples:
    def test_are_loaded_once_as_the_engine_made_them(self, owner):
        for _ in range(2):
            call_command("loadsamples", "owner", stdout=StringIO())
        rows = Dataset.objects.order_by("created_at")
        assert [row.name for row in rows] == [sample.title for sample in samples()]
        assert all(row.sample and row.state == "ready" and row.owner == owner for row in rows)
        for row, sample in zip(rows, samples(), strict=True):
            [stored] = read_data("trajectory", row.points_path)
            for name, digits in (("lon", 7), ("lat", 7), ("time_s", 3)):
                assert abs(getattr(stored, name) - getattr(sample.series, name)).max() < 10**-digits
            assert row.report["guesses"] == []
        assert LandmarkSet.objects.count() == 3
        assert LandmarkSet.objects.get(dataset__points=8).mask.nonzero()[0].tolist() == [0, 2, 4, 7], "the paper's"
        with pytest.raises(CommandError, match="There is no user 'unknown'"):
            call_command("loadsamples", "unknown")

    def test_a_worker_reads_those_of_the_first_start_and_marks_their_landmarks(self, owner):
        rows = load_samples(owner=owner, queued=True)
        assert [row.state for row in rows] == ["queued"] * 3
        browser = Client()
        browser.force_login(owner)
        for path in ("/", *(f"/datasets/{row.pk}/" for row in rows)):
            page = browser.get(path)
            assert (page.status_code, b"aiting for a worker" in page.content) == (200, True)
        for row in rows:
            assert execution.run(row.pk)
        assert {row.state for row in Dataset.objects.all()} == {"ready"}
        assert sorted(one.dataset.name for one in LandmarkSet.objects.all()) == sorted(one.title for one in samples())
        LandmarkSet.objects.all().delete()
        execution.run(import_dataset(owner=owner, upload=upload(b"time,lat,lon\n1,2,3\n"), queued=True).pk)
        assert not LandmarkSet.objects.exists()


def test_the_list_of_jobs_has_stage_progress_and_time_left(owner_api, submit):
    release = submit()
    (job,) = owner_api.get(f"{API}jobs/").json()["results"]
    assert (job["state"], job["progress"], job["eta_s"]) == ("queued", 0.0, None)
    leases.claim(type(release), release.pk)
    type(release).objects.update(stage="Drawing", progress=0.5)
    (job,) = owner_api.get(f"{API}jobs/").json()["results"]
    assert (job["state"], job["stage"], job["progress"], job["eta_s"] >= 0) == ("running", "Drawing", 0.5, True)
