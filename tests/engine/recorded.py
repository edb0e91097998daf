"""Results as they were recorded, whole: a test states a part of a result, and what else changes in it is noticed too.

``recorded/MODULE.json`` has the results of a module's tests: each test's in order, a number for one that equals an
earlier one. A module without such a file has none, nor have tests of damage: what other tools write has the date.
After a change that is meant, ``CAIRN_RECORD=1 pytest -n 0 FILE`` writes those of the tests that it runs again, and the
difference is to be read as that of a source.
"""

import dataclasses
import json
import os
from functools import cache
from pathlib import Path

import numpy as np
from hypothesis import currently_in_test_context

FOLDER = Path(__file__).with_name("recorded")
RECORDS = os.environ.get("CAIRN_RECORD") == "1"
WITHIN = "PYTEST_CURRENT_TEST"
CHILD = WITHIN in os.environ
"""Whether a test started this process: it has no results of its own."""
LONGEST = 40
"""Of a list: of longer ones the ends, the length and the sum are recorded."""
_running = ["", 0]


@cache
def _results(module):
    path = FOLDER / f"{module}.json"
    return json.loads(path.read_text() or "{}") if path.exists() else None


def plain(value):
    """A result as JSON: numbers rounded as far as processors agree, and nothing that is empty."""
    match value:
        case np.ndarray() | np.generic():
            return plain(value.tolist())
        case bool() | int() | str() | None:
            return value
        case float():
            return float(f"{value:.{14 if abs(value) > 1e6 else 10}g}") if np.isfinite(value) else str(value)
        case dict():
            return {str(key): plain(one) for key, one in value.items() if one not in (None, "", [], {}, ())}
        case set() | frozenset():
            return plain(sorted(value))
        case list() | tuple():
            if len(value) > LONGEST:
                numbers = all(isinstance(one, int | float) for one in value)
                value = [*value[:3], *value[-3:], len(value), *([sum(value)] if numbers else [])]
            return [plain(one) for one in value]
    if dataclasses.is_dataclass(value):
        value = {one.name: plain(getattr(value, one.name)) for one in dataclasses.fields(value) if one.name[0] != "_"}
        return {key: one for key, one in value.items() if one not in (None, "", [], {})}
    return plain(value.as_dict() if hasattr(value, "as_dict") else str(value))


def whole(value):
    """Assert that a result is the one recorded at this place of the running test; examples of hypothesis have none."""
    test, _, phase = os.environ.get(WITHIN, "").rpartition(" ")
    path, _, name = test.partition("::")
    results = _results(Path(path).stem)
    if results is None or CHILD or phase != "(call)" or "damage" in name or currently_in_test_context():
        return
    if _running[0] != test:
        _running[:] = test, 0
        if RECORDS:
            results[name] = []
    at, _running[1] = _running[1], _running[1] + 1
    seen = json.loads(json.dumps(plain(value)))
    if RECORDS:
        results[name].append(results[name].index(seen) if seen in results[name] else seen)
        _write(Path(path).stem, results)
        return
    recorded = results.get(name, [])
    assert at < len(recorded), "this result is not recorded: run the test with CAIRN_RECORD=1"
    at = recorded[at] if isinstance(recorded[at], int) else at
    assert seen == recorded[at], f"result {at}:\n{seen}, recorded is\n{recorded[at]}"


def _write(module, results):
    lines = (
        f"{json.dumps(name)}: [\n" + ",\n".join(json.dumps(one, ensure_ascii=False) for one in rows) + "\n]"
        for name, rows in sorted(results.items())
    )
    (FOLDER / f"{module}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
