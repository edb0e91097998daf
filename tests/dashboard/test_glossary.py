"""The glossary: the markup of a term in a page, and that every page explains its terms."""

import re

import pytest
from django.template import Context, Template, TemplateSyntaxError
from django.test import RequestFactory

from dashboard.core.templatetags.glossary import GLOSSARY

BUTTON = re.compile(r'class="term" type="button" popovertarget="term-([a-z-]+)" aria-describedby="term-([a-z-]+)"')
NOTE = re.compile(r'id="term-([a-z-]+)" role="tooltip"')
TAKES_PRESSES = re.compile(r"<(label|a|summary|option|button)\b[^>]*>(?:(?!</\1>).)*<button class=.term", re.DOTALL)


def rendered(text, **more):
    return Template(text).render(Context({"request": RequestFactory().get("/"), **more}))


class TestTag:
    def test_the_first_is_a_button_and_the_rest_are_text(self):
        page = rendered('{% term "epsilon" %}ε{% endterm %} and {% term "epsilon" %}ε{% endterm %}')
        assert page.endswith(">ε</button> and ε")
        assert BUTTON.findall(page) == [("epsilon", "epsilon")]

    def test_the_sentence_stands_at_the_end_once(self):
        page = rendered('{% term "radius" %}r{% endterm %}{% terms "radius" "level" %}{% term_notes %}')
        assert NOTE.findall(page) == ["radius", "level"]
        assert GLOSSARY["radius"].meaning in page

    def test_what_a_user_wrote_stays_text(self):
        assert "<i>" not in rendered('{% term "release" %}{{ name }}{% endterm %}', name="<i>")

    def test_an_unknown_term_is_refused_by_name(self):
        for text in ['{% term "epsilom" %}ε{% endterm %}', '{% terms "epsilom" %}']:
            with pytest.raises(TemplateSyntaxError, match="term must be one of epsilon, .*, got epsilom"):
                rendered(text)


def test_every_term_is_one_plain_sentence():
    for name, term in GLOSSARY.items():
        assert re.fullmatch(r"[^.!?]{30,240}\.", term.meaning), name


def test_pages_explain_their_terms_where_nothing_else_handles_the_click(owner_page, landmark_set, done):
    for page, stated in [
        ("/", {"release"}),
        ("/datasets/{dataset}/", {"landmark", "epsilon", "radius", "release"}),
        ("/datasets/{dataset}/landmarks/new/", {"landmark"}),
        ("/landmark-sets/{set}/dummies/", {"dummy-landmark", "release", "landmark"}),
        ("/landmark-sets/{set}/report/", {"temporal-loss", "bridge-bound", "release", "landmark"}),
        (
            "/datasets/{dataset}/releases/new/",
            {
                "release",
                "landmark",
                "level",
                "radius",
                "epsilon",
                "fresh-noise",
                "event-level",
                "w-event",
                "user-level",
            },
        ),
        ("/datasets/{dataset}/compare/", {"landmark", "mean-error", "temporal-loss", "bridge-bound", "release"}),
    ]:
        body = owner_page.get(page.format(dataset=landmark_set.dataset_id, set=landmark_set.pk)).content.decode()
        buttons = [name for name, _ in BUTTON.findall(body)]
        assert set(buttons) >= stated, (page, stated)
        assert len(buttons) == len(set(buttons)), (page, stated)
        assert set(NOTE.findall(body)) >= set(buttons), (page, stated)
        assert not TAKES_PRESSES.search(body), (page, stated)


def test_the_page_lists_every_term(owner_page):
    body = owner_page.get("/glossary/").content.decode()
    assert re.findall(r'class="glossary__term" id="([a-z-]+)"', body) == list(GLOSSARY)
    assert 'href="/glossary/"' in owner_page.get("/").content.decode()
