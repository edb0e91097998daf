"""Page texts use standard terms: phrases that were replaced stay out of templates, scripts and messages."""

import ast
import re
from pathlib import Path

import pytest

from tests.cases import each

BANNED = re.compile(
    r"\blevel and radius\b|\beven guess\b|\bfresh draw\b|\bhang together\b|\bafter the noise\b|\bmark landmarks\b"
    r"|\bmarks of the file\b|\bby hand\b|\bsilences?\b|\bstretch(es)?\b|\bfound out\b|\bnot said by\b|\bread it so\b"
    r"|\byours alone\b|\bwhat it comes to\b|\bin 1 s\b|\bof 0–|\bentrys\b|\b1 (events|records|points)\b",
    re.IGNORECASE,
)
SHOWN = re.compile(r"""(?:aria-label|title|placeholder|alt|data-takes|data-label)="([^"]*)\"""")
SCRIPT = re.compile(r'"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`')


def template_texts(source):
    plain = re.sub(r"\{%.*?%\}|\{#.*?#\}", "", source)
    yield from SHOWN.findall(plain)
    yield re.sub(r"<[^>]*>", " ", plain)


def script_texts(source):
    code = re.sub(r"/\*[\s\S]*?\*/|^\s*//.*$|\s// .*$", "", source, flags=re.MULTILINE)
    return (found[1:-1] for found in SCRIPT.findall(code) if " " in found or found[1:2].isupper())


def message_texts(source):
    tree = ast.parse(source)
    bare = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        text = node.value if isinstance(node, ast.Constant) and id(node) not in bare else None
        if isinstance(text, str) and (" " in text or text[:1].isupper()):
            yield text


PLACES = [
    *(("templates", "*.html", template_texts), ("static/js", "*.js", script_texts)),
    *(("dashboard", "*.py", message_texts), ("privacy_engine", "*.py", message_texts)),
]


@pytest.mark.slow
@each(("folder", "pattern", "texts"), PLACES, ids=[folder for folder, _, _ in PLACES])
def test_no_replaced_phrase_is_shown(folder, pattern, texts):
    files = sorted((Path(__file__).parents[1] / folder).rglob(pattern))
    assert files
    shown = ((path, text) for path in files for text in texts(path.read_text(encoding="utf-8")))
    found = [f"{path}: {match[0]}" for path, text in shown for match in BANNED.finditer(text)]
    assert not found
