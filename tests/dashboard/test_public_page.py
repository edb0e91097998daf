"""The public page: author, licence, what Cairn is, and what it does not hide, of what happened and once each."""

import re
from html import escape, unescape

import pytest
from django.test import Client
from django.urls import reverse

from dashboard.publications.models import LICENCES, Publication
from dashboard.releases.explanation import explanations
from privacy_engine.accounting.promise import Context
from privacy_engine.landmarks import landmark_methods
from privacy_engine.mechanisms.base.mechanism import mechanisms
from privacy_engine.mechanisms.base.stream import MANY_WINDOWS
from privacy_engine.releases.label import privacy_label, release_context
from privacy_engine.releases.spec import ReleaseSpec
from tests.dashboard import kinds
from tests.dashboard.api_helpers import described, refused, release_url
from tests.dashboard.test_publications import made
from tests.dashboard.test_releases_report import released

EVERY = [cls.registered_name() for cls in mechanisms.of("trajectory")]
STAYS = {"name": "stay-points", "distance_m": 200.0, "duration_s": 1800.0}


def bullets(page):
    (listed,) = re.findall(r'<ul class="public__not">(.*?)</ul>', page, re.DOTALL)
    return [unescape(one) for one in re.findall(r"<li>(.*?)</li>", listed)]


def not_hidden(name, landmarks, repeats, whole=None, method=None):
    spec = ReleaseSpec.parse({"mechanism": described(name, epsilon=1.0, radius_m=200.0)})
    context = release_context(landmarks=landmarks, whole_trace=whole, method=method)
    return explanations["trajectory"].not_hidden(privacy_label(spec, context, private=True), {"repeats": repeats})


class TestBullets:
    @pytest.mark.parametrize("name", EVERY)
    @pytest.mark.parametrize("landmarks", [0, 3])
    @pytest.mark.parametrize("repeats", [0, 5])
    @pytest.mark.parametrize("found", [True, False], ids=["found", "scheduled"])
    def test_follow_from_what_happened(self, name, landmarks, repeats, found):
        method = landmark_methods.parse(STAYS) if found else None
        listed = not_hidden(name, landmarks, repeats, method=method)
        reads = mechanisms[name].reads_landmarks
        about = [one for one in listed if "landmark" in one.lower()]
        which = [one for one in listed if one.startswith(("Which events are landmarks", "That no event"))]
        if not (reads and landmarks):
            none = "That no event is a landmark, found in positions as stay points."
            assert about == which == [none] * (reads and found)
        else:
            assert len(which) == 1
            assert ("found in positions as stay points" in which[0]) == found
        assert sum("repeat" in one.lower() for one in listed) == bool(reads and landmarks and repeats)
        assert sum("time" in one and "publi" in one for one in listed) == 1, "what is published as it was, once"
        assert len(listed) == len(set(listed))
        assert all(one[0].isupper() and one.endswith(".") and ".." not in one for one in listed)

    @pytest.mark.parametrize(("whole", "several"), [(None, False), (1.0, False), (1.0 + 1e-15, False), (1.1, True)])
    def test_places_are_averaged_where_events_leak_more_together(self, whole, several):
        assert any("averaging" in one for one in not_hidden("user-level", None, 0, whole)) == several

    @pytest.mark.parametrize(("timestamps", "several"), [(3, False), (20, False), (21, True)])
    def test_windows_are_named_if_there_is_more_than_one(self, timestamps, several):
        spec = ReleaseSpec.parse({"mechanism": kinds.STREAM | {"window": 20}})
        label = privacy_label(spec, Context(unit="one event"), private=True)
        listed = explanations["stream"].not_hidden(label, {"timestamps": timestamps})
        assert (MANY_WINDOWS in listed) == several
        assert sum("imes" in one for one in listed) == 1
        assert (MANY_WINDOWS in explanations["stream"].not_hidden(label, {})) is True, "published before it was counted"

    @pytest.mark.parametrize("kind", ["trajectory", "stream", "checkins"])
    def test_of_a_page_are_each_once_and_short(self, owner_api, done, kind):
        release = done if kind == "trajectory" else released(owner_api, kind)
        page = Client().get(made(owner_api, release)["urls"]["page"]).content.decode()
        listed = bullets(page)
        assert listed == list(dict.fromkeys(listed))
        assert not [one for one in listed if len(one) > 160]
        facts = Publication.objects.get().facts
        assert ("Counts below zero" in page) == bool(facts.get("below_zero"))
        assert all(page.count(escape(f"{one['label']}: {one['text']}")) == 1 for one in facts.get("lines", ()))
        assert not re.search(r"(?<![\d,])0 of", page)


class TestWho:
    def test_author_licence_and_what_cairn_is_are_shown(self, owner_api, done):
        link = made(owner_api, done, title="A week", author="Mobility <Lab>\u202e", licence="CC-BY-4.0")
        assert (link["author"], link["licence"]) == ("Mobility <Lab>", "CC-BY-4.0")
        page = Client().get(link["urls"]["page"]).content.decode()
        assert " by Mobility &lt;Lab&gt;" in page
        assert '<a rel="license" href="https://creativecommons.org/licenses/by/4.0/">CC BY 4.0</a>' in page
        assert '<a class="public__cairn" href="#cairn">' in page
        assert 'id="cairn"' in page
        assert page.count("Cairn is a privacy workbench") == 1

    @pytest.mark.parametrize(
        ("licence", "text"), [("", "No licence is stated."), ("Write <us>", "Terms: Write &lt;us&gt;")]
    )
    def test_without_a_listed_one(self, owner_api, done, licence, text):
        page = Client().get(made(owner_api, done, licence=licence)["urls"]["page"]).content.decode()
        assert text in page
        assert 'rel="license"' not in page
        assert not re.search(r"published \d+ \w+ \d+ by", page)

    def test_each_listed_licence_has_an_address_and_is_a_choice(self, owner_page, done):
        form = owner_page.get(reverse("publications:new", args=[done.pk])).content.decode()
        for value, (title, address) in LICENCES.items():
            assert f'<option value="{value}">{title}</option>' in form
            assert address.startswith("https://")

    @pytest.mark.parametrize(
        ("sent", "stored"),
        [
            ({"author": " Lab ", "licence": "CC0-1.0", "terms": "ignored"}, ("Lab", "CC0-1.0")),
            ({"licence": "other", "terms": "Research only"}, ("", "Research only")),
            ({"licence": "other", "terms": ""}, ("", "")),
            ({}, ("", "")),
        ],
    )
    def test_the_form_takes_a_licence_or_other_terms(self, owner_page, done, sent, stored):
        address = reverse("publications:new", args=[done.pk])
        assert owner_page.post(address, sent)["Location"] == address
        row = Publication.objects.get()
        assert (row.author, row.licence) == stored
        assert all(text in owner_page.get(address).content.decode() for text in (row.author, row.terms[0]))

    def test_errors_of_the_form_name_what_it_shows_and_keep_what_was_typed(self, owner_page, done):
        sent = {"expires_on": "2020-01-01", "author": "Lab", "licence": "ODbL-1.0"}
        answer = owner_page.post(reverse("publications:new", args=[done.pk]), sent)
        page = answer.content.decode()
        assert (answer.status_code, "Last day of the link must be today (UTC) or later." in page) == (400, True)
        assert ('value="Lab"' in page, '<option value="ODbL-1.0" selected>' in page) == (True, True)

    def test_are_part_of_a_request_that_is_sent_again(self, owner_api, done):
        address, key = release_url(done, "publications"), {"Idempotency-Key": "once"}
        first = owner_api.post(address, {"author": "A", "licence": "CC0-1.0"}, headers=key)
        assert owner_api.post(address, {"author": "A", "licence": "CC0-1.0"}, headers=key).json() == first.json()
        for other in ({"author": "B", "licence": "CC0-1.0"}, {"author": "A"}):
            assert owner_api.post(address, other, headers=key).status_code == 409
        for field, most in (("author", 100), ("licence", 200)):
            assert refused(owner_api.post(address, {field: "x" * (most + 1)})) == (400, field)
