"""What every page of the URL configuration does: for whom, with a title, and no residue of its template."""

import json
import re

import pytest
from django.contrib.auth import get_user_model
from django.db import transaction
from django.test import Client
from django.urls import URLResolver, get_resolver

from dashboard.publications.models import Publication
from tests.dashboard.every_operation import CANARIES

pytestmark = pytest.mark.django_db
OPEN = {"/login/", "/login/once/<str:token>/", "/join/<str:token>/", "/healthz", "/password/forgotten/", "/docs/"}
OPEN |= {"/docs/<path:path>", "/password/<str:uidb64>/<str:token>/", "/p/<str:token>/", "/projects/join/<str:token>/"}
"""Pages for who is not logged in."""
NO_PAGES = re.compile(r"^/(api|tiles|\^api|p/.*/(track|data|label)/)")
PERSONAL = {"uploads", "sessions", "audits", "account-exports", "invitations"}
"""What is in no project: a member is a stranger to them."""
FORMS = {  # pages that are forms alone: refused to who may not submit them
    *("/datasets/<uuid:pk>/count/", "/datasets/<uuid:pk>/stays/", "/datasets/<uuid:pk>/landmarks/new/"),
    *("/datasets/<uuid:pk>/releases/new/", "/datasets/<uuid:pk>/import/", "/landmark-sets/<uuid:pk>/dummies/"),
}
MOVES = {f"/{kind}/<uuid:pk>/project/" for kind in ("datasets", "experiments", "streams")}
RESIDUE = re.compile(r"\{\{|\{%|%\}|\{#|#\}|>None<|&lt;object|\bundefined\b|Traceback|>\s*False\s*<")


def paths(patterns, before="/"):
    for one in patterns:
        if isinstance(one, URLResolver):
            yield from paths(one.url_patterns, f"{before}{one.pattern}")
        else:
            yield f"{before}{one.pattern}"


PAGES = [path for path in paths(get_resolver().url_patterns) if not NO_PAGES.match(path)]
WITH_ID = [path for path in PAGES if "<uuid:pk>" in path]
PLAIN = [path for path in PAGES if "<" not in path and path not in OPEN]


def what(path):
    return path.strip("/").split("/")[0]


@pytest.fixture
def rows(made):
    """Ids by the first part of a path; what has no row in an operation of the API is that of its own."""
    return made.rows | {"published": made.rows["publications"]}


def address(path, rows):
    return path.replace("<uuid:pk>", rows[what(path)])


def logged_in(name):
    client = Client()
    client.force_login(get_user_model().objects.get(username=name))
    return client


def checked(path, answer):
    """A whole page: its title, and nothing of its template, whatever is in it."""
    page = re.sub(r"<script.*?</script>", "", answer.content.decode(), flags=re.DOTALL)
    (title,) = re.findall(r"<title>(.*?)</title>", page, re.DOTALL)
    assert title.strip(), path
    assert not (found := RESIDUE.search(page)), (path, page[found.start() - 80 : found.end() + 80])
    assert page.count("<h1") == 1, path
    for data in re.findall(r'<script[^>]*type="application/json"[^>]*>(.*?)</script>', answer.content.decode(), re.S):
        json.loads(data)


def test_the_pages_are_found():
    assert len(WITH_ID) > 20
    assert len(PLAIN) > 20


def test_pages_are_whole_for_their_owner(rows):
    client, shown = logged_in("owner"), 0
    kinds = [name for name in rows if " " in name]
    for path in [*WITH_ID, *PLAIN]:
        ids = [what(path), *(name for name in kinds if name.split()[1] == what(path))] if "<" in path else [""]
        for name in ids:
            answer = client.get(path.replace("<uuid:pk>", rows.get(name, "")))
            assert answer.status_code in (200, 302, 403, 404, 405), (path, name)
            if answer.status_code == 200 and answer["Content-Type"].startswith("text/html"):
                checked(f"{path} {name}", answer)
                shown += 1
    assert shown > 45


def test_pages_without_any_row_are_whole():
    client = Client()
    client.force_login(get_user_model().objects.create_user("newcomer"))
    for path in PLAIN:
        answer = client.get(path)
        if answer.status_code == 200 and answer["Content-Type"].startswith("text/html"):
            checked(path, answer)


def test_pages_are_for_who_is_logged_in_and_those_of_others_are_not_there(rows):
    for path in [*WITH_ID, *PLAIN]:
        answer = Client().get(address(path, rows) if "<" in path else path)
        assert path == "/logout/" or answer.headers.get("Location", "").startswith("/login/"), path
    for name in ("stranger", "former"):
        client = logged_in(name)
        for path in WITH_ID:
            found = {getattr(client, verb)(address(path, rows)).status_code for verb in ("get", "post")}
            assert found in ({404}, {404, 405}), (path, found)  # 405 where the page has no such method
        for path in PLAIN:
            shown = client.get(path)
            if shown.status_code == 200 and name == "stranger":
                assert not [one for one in CANARIES if one in shown.content], path


def test_pages_by_role(rows):
    for name in ("viewer", "editor", "lead"):
        client = logged_in(name)
        for path in WITH_ID:
            if what(path) in PERSONAL:
                assert client.get(address(path, rows)).status_code in (404, 405), (name, path)
                continue
            with transaction.atomic():
                got, posted = (getattr(client, verb)(address(path, rows)) for verb in ("get", "post"))
                transaction.set_rollback(True)
            form = (path in FORMS and name == "viewer") or (path in MOVES and name != "lead")
            assert got.status_code == 403 if form else got.status_code in (200, 302, 405), (name, path, got.status_code)
            if form:
                assert "of the project “Osprey”" in got.content.decode()
            if name == "viewer" and path != "/members/<uuid:pk>/remove/":
                assert posted.status_code in (403, 405), (path, posted.status_code)
            if name == "lead":
                assert posted.status_code != 403, path


def test_every_map_of_a_dataset_has_the_map_of_its_area(made):
    """But those that are published, whose readers may not know where the original lies: public pages and reports."""
    client, found = logged_in("owner"), set()

    def text_of(url):
        page = client.get(url)
        return page.content.decode() if page.status_code == 200 and not page.streaming else ""

    for path in WITH_ID:
        for name in (what(path), *(f"{kind} {what(path)}" for kind in ("checkins", "counted"))):
            url = path.replace("<uuid:pk>", made.rows.get(name, str(made.project.pk)))
            is_report = url.endswith("/report/") and what(path) != "landmark-sets"
            if is_report:
                assert "area-map" not in text_of(url), (path, name)
            text = text_of(f"{url}?for=owner" if is_report else url)
            there = 'id="base-map"' in text
            assert there == ('id="area-map"' in text), (path, name)
            found |= {(url.strip("/").split("/")[-1], name)} if there else set()
    assert {("new", "datasets"), ("compare", "datasets"), ("count", "datasets")} <= found
    assert {("compare", "checkins datasets"), ("report", "releases")} <= found
    public = Client().get(Publication.objects.get(pk=made.rows["publications"]).path)
    assert b'id="base-map"' in public.content
    assert b"area-map" not in public.content
