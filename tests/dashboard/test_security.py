"""Access to the rows of other users, responses to hostile requests, and security headers."""

import uuid

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client

from dashboard.audits.models import Audit
from dashboard.audits.services import submit_audit
from dashboard.datasets.models import Dataset
from dashboard.landmarks.models import LandmarkSet
from dashboard.landmarks.services import mark_landmarks
from dashboard.releases.models import Release
from dashboard.releases.services import submit_release
from privacy_engine.audit import AuditSpec
from privacy_engine.spec import ReleaseSpec
from tests.dashboard.api_helpers import without_path
from tests.dashboard.conftest import CSV, client_of

API = "/api/v1/"
MECHANISM = {"name": "landmark-uniform", "epsilon": 1.0, "radius_m": 200.0}
MANUAL = {"name": "manual", "events": [0]}


class Things:
    """One row of each model an owner can have."""

    def __init__(self, owner, dataset):
        self.dataset = dataset
        self.landmark_set = mark_landmarks(owner=owner, dataset=dataset, method=MANUAL)
        self.release = submit_release(
            owner=owner,
            dataset=dataset,
            landmark_set=self.landmark_set,
            spec=ReleaseSpec.parse({"mechanism": MECHANISM}),
        )
        self.audit = submit_audit(owner=owner, spec=AuditSpec.parse({"mechanism": MECHANISM, "trials": 1000}))

    def addresses(self):
        """Every API URL of one of them."""
        dataset, marks, release = self.dataset.pk, self.landmark_set.pk, self.release.pk
        yield from (
            f"{API}datasets/{dataset}/{tail}" for tail in ("", "read/", "cancel/", "retry/", "track/", "preview/")
        )
        yield from (f"{API}jobs/{thing}/dismiss/" for thing in (dataset, release, self.audit.pk))
        yield from (f"{API}audits/{self.audit.pk}/{tail}" for tail in ("", "cancel/", "retry/", "data/"))
        yield from (f"{API}landmark-sets/{marks}/{tail}" for tail in ("", "events/"))
        yield from (
            f"{API}releases/{release}/{tail}" for tail in ("", "cancel/", "retry/", "data/", "track/", "series/")
        )

    def pages(self):
        """Every page that shows one of them."""
        dataset = self.dataset.pk
        yield from (f"/datasets/{dataset}/{tail}" for tail in ("", "landmarks/new/", "releases/new/", "compare/"))
        yield f"/landmark-sets/{self.landmark_set.pk}/"
        yield f"/audits/{self.audit.pk}/"


@pytest.fixture
def things(owner, ready_dataset):
    """The owner's."""
    return Things(owner, ready_dataset)


@pytest.fixture
def strangers_things(stranger, stranger_dataset):
    """The stranger's."""
    return Things(stranger, stranger_dataset)


def counts():
    return [model.objects.count() for model in (Dataset, LandmarkSet, Release, Audit)]


VERBS = ("get", "head", "post", "put", "patch", "delete")


class TestWhoseIsIt:
    @pytest.mark.parametrize("verb", VERBS)
    def test_a_stranger_gets_404(self, stranger_api, things, verb):
        before = counts()
        for address in things.addresses():
            answer = getattr(stranger_api, verb)(address)
            allowed = client_of(things.dataset.owner).options(address)["Allow"]
            known = {"head": "get"}.get(verb, verb).upper() in allowed
            assert answer.status_code == (404 if known else 405), address
        assert counts() == before

    @pytest.mark.parametrize("verb", VERBS)
    def test_anonymous_is_required_to_authenticate(self, anonymous_api, things, verb):
        before = counts()
        rest = [
            f"{API}{name}/"
            for name in ("datasets", "landmark-sets", "releases", "audits", "mechanisms", "jobs", "schema")
        ]
        for address in [*things.addresses(), *rest, f"{API}landmark-methods/", f"{API}docs/"]:
            answer = getattr(anonymous_api, verb)(address)
            assert answer.status_code == 401, address
            if verb != "head":
                assert answer.json()["errors"][0]["code"] == "not_authenticated"
        assert counts() == before

    @pytest.mark.parametrize("verb", ["get", "patch", "delete"])
    def test_a_strangers_thing_looks_like_one_that_never_was(self, stranger_api, things, verb):
        for pk in (things.dataset.pk, uuid.uuid4(), "1", "../admin", "x" * 300):
            answer = getattr(stranger_api, verb)(f"{API}datasets/{pk}/")
            assert answer.status_code == 404
            assert without_path(answer) == without_path(getattr(stranger_api, verb)(f"{API}datasets/{uuid.uuid4()}/"))

    def test_lists_hold_the_owners_alone(self, owner_api, things, strangers_things):
        for name, thing in (
            ("datasets", things.dataset),
            ("landmark-sets", things.landmark_set),
            ("releases", things.release),
            ("audits", things.audit),
        ):
            assert [one["id"] for one in owner_api.get(f"{API}{name}/").json()["results"]] == [str(thing.pk)]
        waiting = [one["id"] for one in owner_api.get(f"{API}jobs/").json()["results"]]
        assert waiting == [str(things.release.pk), str(things.audit.pk)]

    def test_a_strangers_id_in_a_filter_finds_nothing(self, owner_api, things, strangers_things):
        for query in (
            f"landmark-sets/?dataset={strangers_things.dataset.pk}",
            f"releases/?dataset={strangers_things.dataset.pk}",
            f"releases/?landmark_set={strangers_things.landmark_set.pk}",
        ):
            assert owner_api.get(f"{API}{query}").json()["results"] == []

    def test_a_strangers_id_in_a_body_is_not_found(self, owner_api, things, strangers_things):
        mine, theirs = things, strangers_things
        before = counts()
        for path, body in (
            ("landmark-sets/", {"dataset": theirs.dataset.pk, "method": MANUAL}),
            ("landmark-sets/preview/", {"dataset": theirs.dataset.pk, "method": MANUAL}),
            ("releases/", {"dataset": theirs.dataset.pk, "landmark_set": theirs.landmark_set.pk}),
            ("releases/", {"dataset": mine.dataset.pk, "landmark_set": theirs.landmark_set.pk}),
            ("releases/", {"dataset": theirs.dataset.pk, "landmark_set": mine.landmark_set.pk}),
        ):
            body = {name: str(value) if name != "method" else value for name, value in body.items()}
            answer = owner_api.post(f"{API}{path}", body | ({"mechanism": MECHANISM} if path == "releases/" else {}))
            assert answer.status_code == 404, (path, answer.content)
        assert counts() == before

    def test_pages_are_the_owners_alone(self, client, stranger, things):
        for page in things.pages():
            assert client.get(page)["Location"].startswith("/login/?next="), page
        client.force_login(stranger)
        for page in things.pages():
            assert client.get(page).status_code == 404, page

    def test_ids_in_the_query_of_a_page_are_the_owners_alone(self, owner_page, things, strangers_things):
        dataset, marks = things.dataset.pk, strangers_things.landmark_set.pk
        assert owner_page.get(f"/datasets/{dataset}/landmarks/new/?from={marks}").status_code == 404
        for query in (f"landmark_set={marks}", f"release={strangers_things.release.pk}"):
            answer = owner_page.get(f"/datasets/{dataset}/compare/?{query}")
            assert str(strangers_things.release.pk).encode() not in answer.content or answer.status_code == 404


class TestBrowser:
    def test_session_needs_the_csrf_token(self, owner):
        browser = Client(enforce_csrf_checks=True)
        browser.force_login(owner)
        refused = browser.post(f"{API}datasets/", {"file": SimpleUploadedFile("x.csv", CSV)})
        assert (refused.status_code, refused.json()["errors"][0]["code"]) == (403, "permission_denied")
        browser.get("/")
        token = next(cookie.value for name, cookie in browser.cookies.items() if name.startswith("csrf"))
        form = {"file": SimpleUploadedFile("x.csv", CSV)}
        assert browser.post(f"{API}datasets/", form, headers={"X-CSRFToken": token}).status_code == 201

    def test_an_error_page_leaves_the_csrf_token_of_a_stranger_alone(self, client, db):
        """A browser requests /favicon.ico automatically, and the response may come after the login form's."""
        answer = client.get("/favicon.ico")
        assert (answer.status_code, list(answer.cookies)) == (404, [])
        assert settings.CSRF_COOKIE_NAME in client.get("/login/").cookies

    def test_every_answer_forbids_what_it_does_not_need(self, owner_page, things):
        pages = ["/", "/tokens/", *things.pages(), "/nowhere/", f"{API}datasets/", f"{API}docs/", "/healthz"]
        for page in pages:
            answer = owner_page.get(page)
            policy = answer["Content-Security-Policy"]
            assert answer.status_code < 500, page
            assert "default-src 'none'" in policy
            assert "unsafe" not in policy
            assert "http" not in policy
            assert answer["X-Content-Type-Options"] == "nosniff"
            assert answer["X-Frame-Options"] == "DENY"
            assert answer["Cross-Origin-Opener-Policy"] == "same-origin"
            assert answer["Referrer-Policy"] == "same-origin"
            body = answer.content.decode()
            assert " style=" not in body, page
            assert "<script>" not in body, page

    def test_pages_of_a_session_are_in_no_shared_cache(self, owner_page, things):
        for page in ["/", "/tokens/", *things.pages()]:
            kept = owner_page.get(page)["Cache-Control"]
            assert "private" in kept or "no-store" in kept, page
            assert "no-cache" in kept or "no-store" in kept, page

    def test_the_whole_policy(self, client, db):
        parts = client.get("/login/")["Content-Security-Policy"].split("; ")
        assert sorted(parts) == [
            "base-uri 'none'",
            "connect-src 'self'",
            "default-src 'none'",
            "font-src 'self' data:",
            "form-action 'self'",
            "frame-ancestors 'none'",
            "img-src 'self' data: blob:",
            "manifest-src 'self'",
            "script-src 'self'",
            "style-src 'self'",
            "worker-src 'self'",
        ]

    def test_html_in_names_stays_text(self, owner, owner_page, make_dataset, paris_day):
        from dataclasses import replace

        evil = "<img src=x onerror=alert(1)></script>"
        row = make_dataset(owner, replace(paris_day, name=evil), name=evil, file_name=evil)
        marks = mark_landmarks(owner=owner, dataset=row, method=MANUAL, name=evil)
        for page in ("/", f"/datasets/{row.pk}/", f"/datasets/{row.pk}/landmarks/new/?from={marks.pk}"):
            body = owner_page.get(page).content.decode()
            assert "<img src=x" not in body, page
        body = owner_page.get(f"{API}datasets/{row.pk}/")
        assert (body["Content-Type"], body.json()["name"]) == ("application/json", evil)

    def test_cookies_are_out_of_reach(self, client, owner):
        owner.set_password("a long enough phrase")
        owner.save()
        answer = client.post("/login/", {"username": "owner", "password": "a long enough phrase"})
        session = next(cookie for name, cookie in answer.cookies.items() if name.startswith("cairn_"))
        assert session["httponly"]
        assert session["samesite"] == "Lax"

    def test_login_leads_nowhere_else(self, client, owner):
        owner.set_password("a long enough phrase")
        owner.save()
        form = {"username": "owner", "password": "a long enough phrase", "next": "https://evil.example/"}
        assert client.post("/login/", form)["Location"] == "/"

    def test_fault_of_ours_reports_nothing(self, owner_api, monkeypatch):
        def fail(*_, **__):
            raise RuntimeError("secret at 48.85")

        monkeypatch.setattr("dashboard.datasets.selectors.visible_datasets", fail)
        bodies = {owner_api.get(f"{API}datasets/").content for _ in range(2)}
        assert len(bodies) == 1
        assert b"48.85" not in bodies.pop()


def test_schema_has_no_gaps(capsys):
    call_command("spectacular", "--fail-on-warn", "--validate")
    assert "/api/v1/datasets/{id}/track/" in capsys.readouterr().out


def test_docs_are_served_from_here(owner_page):
    body = owner_page.get(f"{API}docs/").content.decode()
    assert "swagger" in body
    assert "http://" not in body.replace("http://www.w3.org", "")
    assert "https://" not in body


def test_requests_are_counted(owner_api, monkeypatch):
    from rest_framework.throttling import UserRateThrottle

    monkeypatch.setattr(UserRateThrottle, "THROTTLE_RATES", {"user": "2/min"})
    assert [owner_api.get(f"{API}jobs/").status_code for _ in range(2)] == [200, 200]
    answer = owner_api.get(f"{API}jobs/")
    assert (answer.status_code, answer.json()["errors"][0]["code"]) == (429, "throttled")
    assert int(answer["Retry-After"]) > 0
