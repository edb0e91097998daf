"""First steps: which users see them, what completes them, how they are hidden and shown again."""

import re

import pytest
from django.test import Client

from dashboard.landmarks.models import LandmarkSet
from dashboard.landmarks.services import mark_landmarks
from dashboard.releases.services import submit_release
from privacy_engine.samples import samples
from privacy_engine.spec import ReleaseSpec
from tests.dashboard.api_helpers import UNIFORM

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


@pytest.fixture
def sample(owner, make_dataset):
    """The day in Paris, as the command loads it: with its landmarks."""
    found = samples()[2]
    dataset = make_dataset(owner, found.series, name=found.title, sample=True)
    mark_landmarks(owner=owner, dataset=dataset, method=found.landmarks.model_dump())
    return dataset


def release_of(dataset):
    marks, spec = LandmarkSet.objects.filter(dataset=dataset).first(), ReleaseSpec.parse({"mechanism": UNIFORM})
    submit_release(owner=dataset.owner, dataset=dataset, landmark_set=marks, spec=spec)


def addresses(dataset):
    own = f"/datasets/{dataset.pk}/"
    return [own, f"{own}landmarks/new/", f"{own}releases/new/", f"{own}compare/"]


class TestForWhom:
    def test_who_has_only_samples_sees_it_on_the_list_and_the_samples_pages(self, owner_page, sample):
        for address in ["/", *addresses(sample)]:
            assert [step["title"] for step in strip(owner_page, address)] == TITLES, address

    def test_every_link_leads_to_a_page_and_states_where_one_is(self, owner_page, sample):
        urls = [step["url"] for step in strip(owner_page)]
        assert urls == [*addresses(sample), "/#upload"]
        assert 'id="upload"' in owner_page.get("/").content.decode()
        for at, url in enumerate(urls[:4]):
            assert [bool(step["here"]) for step in strip(owner_page, url)] == [i == at for i in range(5)]
            assert [bool(step["current"]) for step in strip(owner_page, url)] == [i == at for i in range(5)]

    def test_not_without_samples(self, owner_page):
        assert strip(owner_page) == []

    def test_not_for_who_has_something_of_their_own(self, owner_page, sample, ready_dataset):
        for address in ["/", *addresses(sample), *addresses(ready_dataset)]:
            assert strip(owner_page, address) == []

    def test_anothers_things_change_nothing(self, owner_page, sample, stranger_dataset):
        assert len(strip(owner_page)) == 5
        assert done(owner_page) == []

    def test_other_pages_request_the_database_nothing_for_it(self, owner_page, sample, django_assert_num_queries):
        with django_assert_num_queries(2):  # session and user
            owner_page.get("/glossary/")


class TestTicks:
    def test_nothing_at_first_although_the_samples_have_their_landmarks(self, owner_page, sample):
        assert done(owner_page) == []

    def test_each_by_what_was_done(self, owner_page, owner, sample):
        look, _, _, compare = addresses(sample)
        owner_page.get(compare)  # there is nothing to be compared yet
        assert done(owner_page) == []
        owner_page.get(look)
        assert done(owner_page) == TITLES[:1]
        mark_landmarks(owner=owner, dataset=sample, method={"name": "manual", "events": [1]})
        assert done(owner_page) == TITLES[:2]
        release_of(sample)
        assert done(owner_page) == TITLES[:3]
        owner_page.get(compare)
        assert done(owner_page) == TITLES[:4]

    def test_marking_the_same_again_counts(self, owner_page, owner, sample):
        mark_landmarks(owner=owner, dataset=sample, method=LandmarkSet.objects.get().method)
        assert done(owner_page) == ["Define landmarks"]

    def test_another_set_in_place_of_the_first_counts(self, owner_page, owner, sample):
        LandmarkSet.objects.all().delete()
        assert done(owner_page) == []
        mark_landmarks(owner=owner, dataset=sample, method={"name": "manual", "events": [3]})
        assert done(owner_page) == ["Define landmarks"]

    def test_the_first_visit_is_the_one_kept(self, owner_page, owner, sample):
        kept = []
        for _ in range(2):
            owner_page.get(addresses(sample)[0])
            owner.refresh_from_db()
            kept.append(owner.tour_looked_at)
        assert kept[0] is not None
        assert kept[0] == kept[1]

    def test_the_users_own_data_are_no_visit_of_a_sample(self, owner_page, owner, ready_dataset):
        owner_page.get(addresses(ready_dataset)[0])
        owner.refresh_from_db()
        assert owner.tour_looked_at is None


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

    def test_states_so_where_there_is_no_sample(self, owner_page):
        body = owner_page.post("/tour/", {"shown": "yes"}, follow=True).content.decode()
        assert "manage.py loadsamples owner" in body

    @pytest.mark.parametrize("there", ["https://evil.example/", "//evil.example", "javascript:alert(1)", "\\\\evil"])
    def test_leads_nowhere_else(self, owner_page, there):
        assert owner_page.post("/tour/", {"shown": "no", "next": there})["Location"] == "/"

    def test_only_a_post_with_the_token_changes_it(self, owner):
        browser = Client(enforce_csrf_checks=True)
        browser.force_login(owner)
        assert browser.get("/tour/").status_code == 405
        assert browser.post("/tour/", {"shown": "no"}).status_code == 403
        owner.refresh_from_db()
        assert owner.tour_shown is None
