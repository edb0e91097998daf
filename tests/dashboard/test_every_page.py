"""What every page of the URL configuration does: for whom, with a title, and no residue of its template."""

import json
import re

import pytest
from django.contrib.auth import get_user_model
from django.db import transaction
from django.template import Context, Template, TemplateSyntaxError
from django.test import Client, RequestFactory
from django.urls import URLResolver, get_resolver, reverse

from dashboard.core.templatetags.glossary import GLOSSARY
from dashboard.launcher import warm
from privacy_engine import kernel_folder, kernels
from tests.dashboard.every_operation import CANARIES

pytestmark = pytest.mark.django_db
OPEN = {"/login/", "/login/once/<str:token>/", "/join/<str:token>/", "/healthz", "/password/forgotten/"}
OPEN |= {"/password/<str:uidb64>/<str:token>/", "/p/<str:token>/"}
"""Pages for who is not logged in."""
NO_PAGES = re.compile(r"^/(api|tiles|\^api|p/.*/(track|data|label)/)")
PERSONAL = {"uploads", "sessions", "audits", "account-exports", "invitations"}
"""What is in no project: a member is a stranger to them."""
FORMS = {  # pages that are forms alone: refused to who may not submit them
    *("/datasets/<uuid:pk>/count/", "/datasets/<uuid:pk>/stays/", "/datasets/<uuid:pk>/landmarks/new/"),
    *("/datasets/<uuid:pk>/releases/new/", "/landmark-sets/<uuid:pk>/dummies/"),
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


SECTIONS = {"datasets:list": "Datasets", "streams:list": "Streams", "releases:recommend": "Recommend"}
SECTIONS |= {"experiments:list": "Experiments", "audits:list": "Audits", "accounts:tokens": "API"}


def test_one_section_and_its_page_of_the_menu_are_marked(client, owner):
    client.force_login(owner)
    for page, section in SECTIONS.items():
        text = client.get(reverse(page)).content.decode()
        [links] = re.findall(r'<nav class="header__nav".*?</nav>', text, re.DOTALL)
        assert re.findall(r'aria-current="page">([^<]+)<', links) == [section], page
        assert links.count("aria-current") == 1, page
    for page, marks in [
        ("glossary", [("page", "Glossary")]),
        ("accounts:account", [("page", "Account")]),
        ("accounts:password", [("true", "Account")]),
        ("accounts:tokens", []),
    ]:
        text = client.get(reverse(page)).content.decode()
        [menu] = re.findall(r'<div class="menu__panel".*?</details>', text, re.DOTALL)
        assert re.findall(r'aria-current="(\w+)">([^<]+)<', menu) == marks, page


@pytest.mark.parametrize("complete", [False, True])
def test_pages_have_a_note_until_the_engine_is_compiled(client, owner, monkeypatch, complete):
    monkeypatch.setattr(kernel_folder, "is_complete", lambda: complete)
    client.force_login(owner)
    assert ("data-compiling" in client.get(reverse("datasets:list")).content.decode()) is not complete
    assert str(kernel_folder.folder()) == kernels.CACHE_FOLDER, "numba's setting, and a process without numba"
    assert warm.kernel_folder is kernel_folder


BUTTON = re.compile(r'class="term" type="button" popovertarget="term-([a-z-]+)" aria-describedby="term-([a-z-]+)"')
NOTE = re.compile(r'id="term-([a-z-]+)" role="tooltip"')
TAKES_PRESSES = re.compile(r"<(label|a|summary|option|button)\b[^>]*>(?:(?!</\1>).)*<button class=.term", re.DOTALL)


def rendered(text, **more):
    return Template(text).render(Context({"request": RequestFactory().get("/"), **more}))


def test_the_first_of_a_term_is_a_button_whose_sentence_stands_at_the_end_once():
    page = rendered('{% term "epsilon" %}ε{% endterm %} and {% term "epsilon" %}ε{% endterm %}')
    assert page.endswith(">ε</button> and ε")
    assert BUTTON.findall(page) == [("epsilon", "epsilon")]
    page = rendered('{% term "radius" %}r{% endterm %}{% terms "radius" "level" %}{% term_notes %}')
    assert NOTE.findall(page) == ["radius", "level"]
    assert GLOSSARY["radius"].meaning in page
    assert "<i>" not in rendered('{% term "release" %}{{ name }}{% endterm %}', name="<i>")
    for text in ['{% term "epsilom" %}ε{% endterm %}', '{% terms "epsilom" %}']:
        with pytest.raises(TemplateSyntaxError, match="term must be one of epsilon, .*, got epsilom"):
            rendered(text)


def test_every_term_is_one_plain_sentence_on_its_page(owner_page):
    for name, term in GLOSSARY.items():
        assert re.fullmatch(r"[^.!?]{30,240}\.", term.meaning), name
    body = owner_page.get("/glossary/").content.decode()
    assert re.findall(r'class="glossary__term" id="([a-z-]+)"', body) == list(GLOSSARY)
    assert 'href="/glossary/"' in owner_page.get("/").content.decode()


def test_pages_explain_their_terms_where_nothing_else_handles_the_click(owner_page, landmark_set, done):
    for page, stated in [
        ("/", {"release"}),
        ("/datasets/{dataset}/", {"landmark", "epsilon", "radius", "release"}),
        ("/datasets/{dataset}/landmarks/new/", {"landmark"}),
        ("/landmark-sets/{set}/dummies/", {"dummy-landmark", "release", "landmark"}),
        ("/landmark-sets/{set}/report/", {"temporal-loss", "bridge-bound", "release", "landmark"}),
        ("/datasets/{dataset}/releases/new/", {"release", "landmark", "level", "radius", "epsilon", "fresh-noise"}),
        ("/datasets/{dataset}/releases/new/", {"event-level", "w-event", "user-level"}),
        ("/datasets/{dataset}/compare/", {"landmark", "mean-error", "temporal-loss", "bridge-bound", "release"}),
    ]:
        body = owner_page.get(page.format(dataset=landmark_set.dataset_id, set=landmark_set.pk)).content.decode()
        buttons = [name for name, _ in BUTTON.findall(body)]
        assert set(buttons) >= stated, (page, stated)
        assert len(buttons) == len(set(buttons)), (page, stated)
        assert set(NOTE.findall(body)) >= set(buttons), (page, stated)
        assert not TAKES_PRESSES.search(body), (page, stated)
