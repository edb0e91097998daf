"""What pages compute as the server does: functions of static/js, run by Node, against those in Python."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from dashboard.core.templatetags.display import queued
from dashboard.core.templatetags.number_fields import DOMAINS, domain, rule_text
from dashboard.maps.line_simplification import heights
from privacy_engine.analysis.reference_radius import within
from privacy_engine.core.geo import distance_m
from privacy_engine.core.plurals import quantity
from tests.dashboard.test_api_responses import CASES as NAMES
from tests.patience import patience

ROOT = Path(__file__).parents[1]
CALL = """const [file, name, calls] = JSON.parse(process.argv[1]);
const module = await import(file);
console.log(JSON.stringify(calls.map((given) => module[name](...given))));"""
LEVELS = [(0.01, 1.0, 200.0), (1.0, 200.0, 200.0), (1.0, 200.0, 1000.0), (3.0, 7.0, 1.0)]
NOUNS = ("event", "entry", "day", "match", "box", "class", "other person", "time series", "axis", "matrix", "dish")
COUNTS = [(number, noun) for noun in NOUNS for number in (0, 1, 2, 12_345)]
PLACES = [(2.35, 48.85, 2.36, 48.86), (-179.9, 10.0, 179.9, -10.0), (0.0, 0.0, 180.0, 0.0), (7.0, 89.0, 97.0, 88.0)]
LATITUDES = np.array([0, 1, -1, 488_500_000, -337_000_000, 850_511_287, 890_000_000, -900_000_000])
SENTENCES = [rule_text(*domain(one)) for one in DOMAINS]
RULES = [(whole, param.lowest, param.highest) for whole, param in map(domain, DOMAINS)]


def rule_of(whole, lowest, highest):
    bounds = {"minimum": lowest, "maximum": highest}
    return {"whole": whole} | {name: value for name, value in bounds.items() if value is not None}


def in_javascript(module, name, calls):
    node = Path(sys.prefix) / "bin" / "node"
    given = json.dumps([f"{ROOT}/static/js/{module}.js", name, calls])
    command = [node, "--input-type=module", "-e", CALL, given]
    found = subprocess.run(command, capture_output=True, text=True, timeout=patience(120))
    assert found.returncode == 0, found.stderr
    return list(json.loads(found.stdout))


@pytest.mark.parametrize(
    ("module", "name", "calls", "expected"),
    [
        ("core/dom", "fileName", [(parts, "gpkg") for parts, _ in NAMES], [name for _, name in NAMES]),
        ("core/level", "within", LEVELS, [within(*one) for one in LEVELS]),
        ("core/format", "count", COUNTS, [quantity(*one) for one in COUNTS]),
        ("core/format", "queued", [(i,) for i in (None, 1, 10, 11, 1234)], [*map(queued, (None, 1, 10, 11, 1234))]),
        ("core/number_text", "ruleSentence", [(rule_of(*one),) for one in RULES], SENTENCES),
        ("map/projection", "distanceM", PLACES, [float(distance_m(*one)) for one in PLACES]),
        ("map/projection", "heightE32", [(int(one),) for one in LATITUDES], heights(LATITUDES).tolist()),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)
def test_a_page_computes_what_the_server_does(module, name, calls, expected):
    numbers = all(isinstance(one, int | float) for one in expected)
    assert in_javascript(module, name, calls) == (pytest.approx(expected, rel=1e-9) if numbers else expected)
