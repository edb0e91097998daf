"""scripts/check-kinds finds what depends on a kind of data, and nothing that merely looks like it."""

import importlib.machinery
import importlib.util
from pathlib import Path, PurePosixPath

from tests.cases import each

ROOT = Path(__file__).resolve().parent.parent
LOADER = importlib.machinery.SourceFileLoader("check_kinds", str(ROOT / "scripts" / "check-kinds"))
check = importlib.util.module_from_spec(importlib.util.spec_from_loader(LOADER.name, LOADER))
LOADER.exec_module(check)

PYTHON, PAGE, SCRIPT = "dashboard/x/views.py", "templates/x/page.html", "static/js/pages/x.js"
FOUND = {
    PYTHON: [
        *('row.kind == "stream"', "Trajectory.kind != kind", "row.kind in (Kind.STREAM, other)"),
        *("isinstance(data, CheckIns | None)", "isinstance(one, (int, StreamMechanism))"),
        *('{"stream": 1, "checkins": 2}', 'getattr(spec.mechanism, "order", None)'),
    ],
    PAGE: ['{% if row.kind == "stream" %}', '{% elif a and row.kind != "checkins" %}', "{% if row.of_trajectories %}"],
    SCRIPT: ['if (facts.kind === "stream") {', '"checkins" !== kind', 'case "stream":'],
}
FREE = {
    PYTHON: ["step.kind != mechanism.kind", 'column.dtype.kind in "iu"', 'datatypes["stream"]', "getattr(one, name)"],
    PAGE: ['{% include "x/"|add:kind|add:"/_part.html" %}', '{% url "stream" %}'],
    SCRIPT: ['pages["stream"]', "kind === other"],
}


def test_kinds_and_the_classes_of_their_mechanisms_are_those_of_the_source():
    assert {"trajectory", "stream", "checkins"} <= set(check.KINDS)
    assert {"TrajectoryMechanism", "StreamMechanism", "CheckInMechanism"} <= check.OF_MECHANISMS


def lines(path, text):
    return [line for line, _ in check.found_in(PurePosixPath(path), text)]


@each("path", FOUND)
def test_each_place_is_found_and_nothing_else(path):
    for text in FOUND[path]:
        assert lines(path, f"\n{text}") == [2], text
    for text in FREE[path]:
        assert not lines(path, text), text


def test_adapters_name_their_kind_but_read_no_mechanism_by_getattr():
    text = 'kind == "stream"\ngetattr(mechanism, "window", 1)'
    for path in ("dashboard/x/stream/page.py", "privacy_engine/audit/stream.py", "tests/x.py"):
        assert lines(path, text) == ([] if path.startswith("tests") else [2])
