"""Modules that a page's scripts import are preloaded."""

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.template import Context, Template

from dashboard.core.templatetags.modules import imported

STATIC = Path(settings.BASE_DIR) / "static"
PAGES = sorted(str(path.relative_to(STATIC)) for path in (STATIC / "js" / "pages").glob("*.js"))


def test_names_every_module_once():
    """Every specifier in the file and in all that it imports, by an independent parser."""
    assert PAGES
    for page in PAGES:
        found = imported(page)
        assert len(set(found)) == len(found)
        files = {(STATIC / one).resolve() for one in (page, *found)}
        requested = {
            (path.parent / name).resolve()
            for path in files
            for name in re.findall(r'(?:from|import) "(\.[^"]+)"', path.read_text())
        }
        assert requested == files - {(STATIC / page).resolve()}, page


def test_the_script_comes_after_its_hints():
    html = Template('{% module "js/pages/compare.js" %}').render(Context())
    assert html.index('<link rel="modulepreload" href="/static/js/core/api.js">') < html.index('<script type="module"')
    assert html.endswith('src="/static/js/pages/compare.js"></script>')


def test_one_that_is_missing_is_named():
    with pytest.raises(FileNotFoundError, match=re.escape("js/pages/nothing.js")):
        imported("js/pages/nothing.js")
