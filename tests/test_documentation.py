"""The documentation site: built without a dead link, served to everyone under the policy of all pages."""

import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

from dashboard.core.templatetags.glossary import GLOSSARY
from tests.patience import patience

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("docs") / "site"
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=patience(120))
    assert built.returncode == 0, [line for line in built.stderr.splitlines() if not line.startswith("INFO")]
    return folder


@pytest.fixture
def served(client, settings, site):
    """Responses, whose files are closed."""
    settings.CAIRN_DOCS = site

    def get(path, **headers):
        response = client.get(path, headers=headers)
        response.close()
        return response

    return get


class Found(HTMLParser):
    """What the policy refuses in a page, and the addresses that it loads."""

    def __init__(self):
        super().__init__()
        self.refused, self.loaded, self.linked, self.script = [], [], [], False

    def handle_starttag(self, tag, attrs):
        named = dict(attrs)
        self.refused += [f"{tag} {name}" for name in named if name == "style" or name.startswith("on")]
        self.refused += ["style"] * (tag == "style")
        self.script = tag == "script" and "src" not in named and named.get("type") != "application/json"
        if tag in ("script", "img", "iframe", "object", "embed", "source") or named.get("rel") == "stylesheet":
            self.loaded += [value for name, value in attrs if name in ("src", "href", "data", "srcset") and value]

        if tag == "a" and "href" in named:
            self.linked.append(re.split("[#?]", named["href"])[0])

    def handle_data(self, data):
        if self.script and data.strip():
            self.refused.append(f"script {data[:40]}")


def test_no_page_has_what_the_policy_refuses_and_none_loads_from_elsewhere(site):
    pages = list(site.rglob("*.html"))
    assert len(pages) > 60
    for page in pages:
        found = Found()
        found.feed(page.read_text())
        assert found.refused == [], page.name
        assert not [address for address in found.loaded if re.match(r"(\w+:)?//", address)], page.name
        here = [link for link in found.linked if link and not re.match(r"\w+:|/", link)]
        assert [link for link in here if not (page.parent / link).exists()] == [], page.name


MARKED = ("article", "p", "li", "a", "code", "pre", "table", "h1", "h2", "h3", "math")


class Prose(HTMLParser):
    """Paragraphs and items of a page's text without code, and the terms of the glossary that it links."""

    def __init__(self):
        super().__init__()
        self.open, self.text, self.terms = [], "", []

    def handle_starttag(self, tag, attrs):
        if tag in MARKED:
            self.open.append("term" if dict(attrs).get("class") == "term" else tag)
            if self.open[-1] == "term":
                self.terms.append((dict(attrs)["href"], dict(attrs)["title"]))

    def handle_endtag(self, tag):
        if tag in MARKED:
            self.open.pop()

    def handle_data(self, data):
        if self.open and self.open[0] == "article" and self.open[-1] in ("p", "li"):
            self.text += data


def test_prose_links_the_first_use_of_each_term(site):
    """The name of a term that is left in the text has been linked before it."""
    pages = [page for folder in ("tutorial", "how-to", "explanation") for page in (site / folder).glob("*.html")]
    assert len(pages) > 12
    for page in pages:
        found = Prose()
        found.feed(page.read_text())
        linked = [address.partition("#")[2] for address, _ in found.terms]
        assert len(linked) == len(set(linked)), page.name
        assert all(title == GLOSSARY[name].meaning for (_, title), name in zip(found.terms, linked, strict=True))
        patterns = {name: rf"(?i)(?<![\w-]){term.title.split(',')[0]}(?![\w-])" for name, term in GLOSSARY.items()}
        used = {name for name, pattern in patterns.items() if re.search(pattern, found.text)}
        assert used <= set(linked), page.name


def test_styles_load_no_font_and_nothing_from_elsewhere(site):
    for sheet in site.rglob("*.css"):
        assert not re.search(r"url\(['\"]?(https?:)?//|@import|@font-face", sheet.read_text()), sheet.name


def test_it_can_be_searched(site):
    documents = json.loads((site / "search" / "search_index.json").read_text())["docs"]
    assert any(document["location"].startswith("reference/mechanisms/landmark-skip.html") for document in documents)


@pytest.mark.django_db
def test_everyone_can_read_it_under_the_policy_of_all_pages(served):
    response = served("/docs/")
    assert (response.status_code, response["Content-Type"]) == (200, "text/html")
    assert "script-src 'self'" in response["Content-Security-Policy"]
    assert response["Cache-Control"] == "no-cache"
    assert served("/docs/", If_Modified_Since=response["Last-Modified"]).status_code == 304
    assert served("/docs/reference/glossary.html").status_code == 200


@pytest.mark.django_db
@pytest.mark.parametrize(
    "path", ["../settings.py", "..%2f..%2fmanage.py", "%2e%2e/pyproject.toml", "assets/", "no.html"]
)
def test_nothing_else_is_served(served, path):
    assert served(f"/docs/{path}").status_code == 404


@pytest.mark.django_db
def test_where_it_is_not_built_a_page_states_the_command(client, settings, tmp_path):
    settings.CAIRN_DOCS = tmp_path / "none"
    response = client.get("/docs/")
    assert (response.status_code, b"make docs" in response.content) == (404, True)
