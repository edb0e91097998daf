"""Curves on the cards of presets: what each gives on the data that it generates (scripts/make_preset_curves.py)."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from dashboard.experiments.run_results import measured
from privacy_engine import experiments
from privacy_engine.experiments import presets

FILE = Path(__file__).with_name("preset_curves.json")
REPETITIONS = 5


@cache
def preset_curves() -> dict[str, list[dict[str, Any]]]:
    """Curves as those of a run, by the name of the preset."""
    curves: dict[str, list[dict[str, Any]]] = json.loads(FILE.read_text("utf-8"))
    return curves


def curves_of(name: str) -> list[dict[str, Any]]:
    """Compute the curves of a preset; values have three digits."""
    spec = presets.parse({"name": name, "repetitions": REPETITIONS}).spec()
    curves: list[dict[str, Any]] = measured(spec, experiments.run(spec, None))[0]["curves"]
    return [curve | {"y": [value and float(f"{value:.3g}") for value in curve["y"]]} for curve in curves]
