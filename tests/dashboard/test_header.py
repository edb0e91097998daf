"""What pages share: the section in the header, terms of the glossary, the note while the engine is compiled."""

import re

import pytest
from django.template import Context, Template, TemplateSyntaxError
from django.test import RequestFactory
from django.urls import reverse

from dashboard.core.templatetags.glossary import GLOSSARY
from dashboard.launcher import warm
from privacy_engine import kernels
from privacy_engine.core import kernel_folder

SECTIONS = {"datasets:list": "Datasets", "streams:list": "Streams", "releases:recommend": "Recommend"}
SECTIONS |= {"experiments:list": "Experiments", "audits:list": "Audits", "accounts:tokens": "API"}


def test_one_section_and_its_page_of_the_menu_are_marked(owner_page):
    for page, section in SECTIONS.items():
        text = owner_page.get(reverse(page)).content.decode()
        [links] = re.findall(r'<nav class="header__nav".*?</nav>', text, re.DOTALL)
        assert re.findall(r'aria-current="page">([^<]+)<', links) == [section], page
        assert links.count("aria-current") == 1, page
    for page, marks in [
        *(("glossary", [("page", "Glossary")]), ("accounts:account", [("page", "Account")])),
        *(("accounts:password", [("true", "Account")]), ("accounts:tokens", [])),
    ]:
        text = owner_page.get(reverse(page)).content.decode()
        [menu] = re.findall(r'<div class="menu__panel".*?</details>', text, re.DOTALL)
        assert re.findall(r'aria-current="(\w+)">([^<]+)<', menu) == marks, page


@pytest.mark.parametrize("complete", [False, True])
def test_pages_have_a_note_until_the_engine_is_compiled(owner_page, monkeypatch, complete):
    monkeypatch.setattr(kernel_folder, "is_complete", lambda: complete)
    assert ("data-compiling" in owner_page.get(reverse("datasets:list")).content.decode()) is not complete
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
        (
            "/datasets/{dataset}/compare/",
            {"landmark", "mean-error", "typical-error", "temporal-loss", "bridge-bound", "release"},
        ),
    ]:
        body = owner_page.get(page.format(dataset=landmark_set.dataset_id, set=landmark_set.pk)).content.decode()
        buttons = [name for name, _ in BUTTON.findall(body)]
        assert set(buttons) >= stated, (page, stated)
        assert len(buttons) == len(set(buttons)), (page, stated)
        assert set(NOTE.findall(body)) >= set(buttons), (page, stated)
        assert not TAKES_PRESSES.search(body), (page, stated)


def test_titles_of_a_table_mark_numbers_and_hide_that_of_actions():
    actions = '<th scope="col"><span class="visually-hidden">Actions</span></th>'
    assert rendered('{% titles "Name" "#Events" "" %}') == (
        f'<th scope="col">Name</th><th scope="col" class="number">Events</th>{actions}'
    )
    table = rendered('{% table name "" caption=name %}<tr></tr>{% endtable %}', name="<i>")
    assert "<i>" not in table
    assert (
        f'<caption class="visually-hidden">&lt;i&gt;</caption><thead><tr><th scope="col">&lt;i&gt;</th>{actions}'
        in table
    )
    assert "<tbody><tr></tr></tbody>" in table
