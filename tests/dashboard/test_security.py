"""Requests of browsers: headers, cookies, tokens of forms."""

import logging
from dataclasses import replace

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from rest_framework.throttling import UserRateThrottle

from dashboard.config.logs import REFUSED_CHARS, in_one_line
from dashboard.landmarks.services import mark_landmarks
from tests.dashboard.conftest import CSV
from tests.dashboard.rows import rows_of
from tests.dashboard.test_passwords import OLD, logged_in, with_password

pytestmark = pytest.mark.django_db


API = "/api/v1/"
MANUAL = {"name": "manual", "events": [0]}


@pytest.fixture
def things(owner, ready_dataset):
    rows = rows_of(owner, ready_dataset)
    tails = ("", "landmarks/new/", "releases/new/", "compare/")
    return [
        *(f"/datasets/{ready_dataset.pk}/{tail}" for tail in tails),
        *(f"/{name}/{rows[name]}/" for name in ("landmark-sets", "audits")),
    ]


def test_ids_in_the_query_of_a_page_are_the_owners_alone(owner_page, ready_dataset, stranger, stranger_dataset):
    theirs = rows_of(stranger, stranger_dataset)
    marks, page = theirs["landmark-sets"], f"/datasets/{ready_dataset.pk}"
    assert owner_page.get(f"{page}/landmarks/new/?from={marks}").status_code == 404
    for query in (f"landmark_set={marks}", f"release={theirs['releases']}"):
        answer = owner_page.get(f"{page}/compare/?{query}")
        assert theirs["releases"].encode() not in answer.content or answer.status_code == 404


class TestBrowser:
    def test_session_needs_the_csrf_token(self, owner):
        browser = logged_in(owner, enforce_csrf_checks=True)
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
        headers = {"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY"}
        headers |= dict.fromkeys(("Cross-Origin-Opener-Policy", "Referrer-Policy"), "same-origin")
        for page in ["/", "/tokens/", *things, "/nowhere/", f"{API}datasets/", f"{API}docs/", "/healthz"]:
            answer = owner_page.get(page)
            policy = answer["Content-Security-Policy"]
            assert answer.status_code < 500, page
            assert "default-src 'none'" in policy
            assert not [one for one in ("unsafe", "http") if one in policy]
            assert {name: answer[name] for name in headers} == headers, page
            assert not [one for one in (" style=", "<script>") if one in answer.content.decode()], page

    def test_pages_of_a_session_are_in_no_shared_cache(self, owner_page, things):
        for page in ["/", "/tokens/", *things]:
            kept = owner_page.get(page)["Cache-Control"]
            assert "private" in kept or "no-store" in kept, page
            assert "no-cache" in kept or "no-store" in kept, page

    def test_the_whole_policy(self, client, db):
        parts = client.get("/login/")["Content-Security-Policy"].split("; ")
        assert sorted(parts) == [
            *("base-uri 'none'", "connect-src 'self'", "default-src 'none'", "font-src 'self' data:"),
            *("form-action 'self'", "frame-ancestors 'none'", "img-src 'self' data: blob:", "manifest-src 'self'"),
            *("script-src 'self'", "style-src 'self'", "worker-src 'self'"),
        ]

    def test_html_in_names_stays_text(self, owner, owner_page, make_dataset, paris_day):
        evil = "<img src=x onerror=alert(1)></script>"
        row = make_dataset(owner, replace(paris_day, name=evil), name=evil, file_name=evil)
        marks = mark_landmarks(owner=owner, dataset=row, method=MANUAL, name=evil)
        for page in ("/", f"/datasets/{row.pk}/", f"/datasets/{row.pk}/landmarks/new/?from={marks.pk}"):
            body = owner_page.get(page).content.decode()
            assert "<img src=x" not in body, page
        body = owner_page.get(f"{API}datasets/{row.pk}/")
        assert (body["Content-Type"], body.json()["name"]) == ("application/json", evil)

    def test_cookies_are_out_of_reach(self, client, owner):
        with_password(owner)
        answer = client.post("/login/", {"username": "owner", "password": OLD, "next": "https://evil.example/"})
        assert answer["Location"] == "/", "a login leads nowhere else"
        session = next(cookie for name, cookie in answer.cookies.items() if name.startswith("cairn_"))
        assert (session["httponly"], session["samesite"]) == (True, "Lax")


def test_the_schema_has_no_gaps_and_docs_are_served_from_here(capsys, owner_page):
    call_command("spectacular", "--fail-on-warn", "--validate")
    assert "/api/v1/datasets/{id}/track/" in capsys.readouterr().out
    body = owner_page.get(f"{API}docs/").content.decode()
    assert "swagger" in body
    assert "http://" not in body.replace("http://www.w3.org", "")
    assert "https://" not in body


def test_requests_are_counted(owner_api, monkeypatch):
    monkeypatch.setattr(UserRateThrottle, "THROTTLE_RATES", {"user": "2/min"})
    assert [owner_api.get(f"{API}jobs/").status_code for _ in range(2)] == [200, 200]
    answer = owner_api.get(f"{API}jobs/")
    assert (answer.status_code, answer.json()["errors"][0]["code"]) == (429, "throttled")
    assert int(answer["Retry-After"]) > 0


def test_the_log_has_one_line_of_a_refused_host_and_all_else_as_it_is():
    for name, expected in (("django.security.DisallowedHost", ("x" * REFUSED_CHARS, None)), ("dashboard", ("%s", 1))):
        record = logging.makeLogRecord({"name": name, "msg": "%s", "args": ("x" * 2 * REFUSED_CHARS,), "exc_info": 1})
        assert in_one_line(record)
        assert (record.msg, record.exc_info) == expected
