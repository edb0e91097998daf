"""Every code a job can end with has a message and advice, wherever in the sources it is raised."""

import ast
import re
from pathlib import Path

import pytest
from billiard.exceptions import SoftTimeLimitExceeded

from dashboard.core.failures import ADVICE, Advice, explained, failure
from privacy_engine.errors import FormatError

ROOT = Path(__file__).parents[2]
SOURCES = sorted(path for package in ("privacy_engine", "dashboard") for path in (ROOT / package).rglob("*.py"))


def stated(node):
    """The codes of failures in a node: ``code=…`` in a call, ``code = …`` in a class, ``{"code": …}``."""
    if isinstance(node, ast.Call):
        yield from (keyword.value for keyword in node.keywords if keyword.arg == "code")
    if isinstance(node, ast.ClassDef):
        for one in node.body:
            if isinstance(one, ast.Assign) and [getattr(to, "id", "") for to in one.targets] == ["code"]:
                yield one.value
    if isinstance(node, ast.Dict):
        keys = [key.value if isinstance(key, ast.Constant) else None for key in node.keys]
        yield from (value for key, value in zip(keys, node.values, strict=True) if key == "code")
    if isinstance(node, ast.Call):
        function = node.func
        if "stored_failure" in (getattr(function, "id", ""), getattr(function, "attr", "")):
            yield node.args[0]


def codes():
    found = {}
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text())):
            for value in stated(node):
                if isinstance(value, ast.Constant) and isinstance(value.value, str):
                    found[value.value] = f"{path.relative_to(ROOT)}:{value.lineno}"
    return found


NOT_OF_JOBS = {
    *("invalid", "checksum", "tus-version", "not-pmtiles", "login", "throttled"),
    *("second-factor", "role", "scope", "published", "settings"),
}  # of requests alone: a body that cannot be parsed, a piece of a file, a map file, a wrong password; of notebooks


def test_every_code_has_its_advice():
    found = codes()
    assert {"memory", "time-limit", "internal", "crashed", "source-gone", "no_points", "choice-needed"} <= set(found)
    assert len(found) > 40
    for code in sorted(set(found) - NOT_OF_JOBS):
        assert code in ADVICE, f"{code!r} of {found[code]} has no advice in dashboard/core/failures.py"


def test_advice_is_two_plain_sentences():
    for code in sorted(ADVICE):
        advice = ADVICE[code]
        for text in (advice.what, advice.action):
            assert re.fullmatch(r"[A-Z][^_{}]+[.”]", text), text
            assert text.endswith("."), text
            assert len(text) < 140, code
        assert advice.what != advice.action, code
        assert ("retry" in advice.action.lower()) == advice.again, code


def test_a_failure_is_reported_with_what_to_do():
    found = {"code": "memory", "message": "This very one.", "row": 3}
    assert explained(found) == found | {"action": ADVICE["memory"].action, "again": True}
    earlier = explained({"code": "gone-by"})  # a code of an earlier version
    assert Advice(earlier["message"], earlier["action"], earlier["again"]) == ADVICE["internal"]
    assert explained(None) is None


@pytest.mark.parametrize("code", ["time-limit", "unreadable"])
def test_an_error_that_is_its_own_cause_is_followed_once(code):
    """Raised from itself, or in a circle of two: the search for the time limit ends all the same."""
    first, second = FormatError("The one."), FormatError("The other.")
    first.__cause__, second.__cause__ = second, first
    if code == "time-limit":
        second.__cause__ = SoftTimeLimitExceeded()
    assert failure(first, "a test")["code"] == code
    first.__cause__ = first
    assert failure(first, "a test")["code"] == "unreadable"
