"""Style sheets and scripts of a page: ``{% module "js/pages/x.js" %}`` preloads all that a module imports.

Left to itself a browser finds imports level by level, and waits for the server on each.
"""

import posixpath
import re
from functools import cache
from pathlib import Path

from django import template
from django.conf import settings
from django.contrib.staticfiles import finders
from django.templatetags.static import static
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

register = template.Library()

_IMPORT = re.compile(r"""^\s*(?:import|export)\b[^;"'()]*["'](\.{1,2}/[^"']+)["']""", re.MULTILINE)


@cache
def imported(path: str) -> tuple[str, ...]:
    """All modules that the static file ``path`` imports, and those import, in the order they are met.

    Raises
    ------
    FileNotFoundError
        One of them is not there.
    """
    met: dict[str, None] = {path: None}
    waiting = [path]
    while waiting:
        importer = waiting.pop()
        found = finders.find(importer)
        if found is None:
            raise FileNotFoundError(f"no static file {importer}, imported by {path}")
        for name in _IMPORT.findall(Path(found).read_text(encoding="utf-8")):
            module = posixpath.normpath(posixpath.join(posixpath.dirname(importer), name))
            if module not in met:
                met[module] = None
                waiting.append(module)
    del met[path]
    return tuple(met)


@register.simple_tag
def module(path: str) -> SafeString:
    """The script element of a module, and hints for all it imports."""
    hints = format_html_join("\n", '<link rel="modulepreload" href="{}">', ((static(one),) for one in imported(path)))
    return format_html('{}\n<script type="module" src="{}"></script>', hints, static(path))


@register.simple_tag
def styles(*names: str) -> SafeString:
    """The links to style sheets of ``static/css``, in this order."""
    return format_html_join("\n", '<link rel="stylesheet" href="{}">', ((static(f"css/{one}.css"),) for one in names))


@register.simple_tag
def csrf_cookie_name() -> str:
    """The cookie that static/js/core/csrf.js reads. The token itself would give every error page a cookie to set."""
    return settings.CSRF_COOKIE_NAME
