"""Links from the first use of each term in the prose of a page to its entry in the glossary."""

import re
from html import escape

from dashboard.core.templatetags.glossary import GLOSSARY

FOLDERS = ("index.md", "tutorial", "how-to", "explanation")  # the prose that newcomers read
_TAG = re.compile(r"(<[^>]+>)")
_NAME = re.compile(r"</?(\w+)")
_PROSE = {"p", "li", "dd"}
_OTHER = {"a", "code", "pre", "h1", "h2", "h3", "h4", "th", "td", "math", "button", "figcaption"}


def pattern(title: str) -> re.Pattern[str]:
    """Each of the names in a term's title, in the singular and the plural."""
    names = "|".join(re.escape(name.removesuffix("s")) + "(?:s|es)?" for name in title.split(", "))
    return re.compile(rf"(?<![\w-])(?:{names})(?![\w-])", re.IGNORECASE)


_PATTERNS = {name: pattern(term.title) for name, term in GLOSSARY.items()}


def with_terms(html: str, glossary: str) -> str:
    """The page with its first uses linked to ``glossary``, the address of that page from this one."""
    left, inside, parts = dict(_PATTERNS), [], _TAG.split(html)
    for at, part in enumerate(parts):
        if part.startswith("<"):
            name = _NAME.match(part)
            if name and name[1] in _PROSE | _OTHER:
                inside = inside[:-1] if part.startswith("</") else [*inside, name[1]]
        elif inside and inside[-1] in _PROSE and not _OTHER & set(inside):
            parts[at] = _linked(part, left, glossary)
    return "".join(parts)


def _linked(text: str, left: dict[str, re.Pattern[str]], glossary: str) -> str:
    """The text with the terms linked that are in it; they are taken from ``left``. Longer terms win."""
    found: list[tuple[int, int, str]] = []
    for name in sorted(left, key=lambda name: -len(GLOSSARY[name].title)):
        use = left[name].search(text)
        while use and any(use.start() < end and start < use.end() for start, end, _ in found):
            use = left[name].search(text, use.end())
        if use:
            found.append((*use.span(), name))
    for start, end, name in sorted(found, reverse=True):
        del left[name]
        title = escape(GLOSSARY[name].meaning)
        link = f'<a class="term" href="{glossary}#{name}" title="{title}">{text[start:end]}</a>'
        text = text[:start] + link + text[end:]
    return text
