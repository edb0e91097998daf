"""The measured hit rates, read back, and as the module from which the release form warns."""

from __future__ import annotations

from itertools import product
from typing import Any, NamedTuple

from benchmarks.recommendation_runs import LEVELS, UNITS, label, models, variants
from benchmarks.recommendation_sets import BOXES, ROOT
from benchmarks.written import saved
from privacy_engine.experiments.presets.base import with_examples
from privacy_engine.mechanisms.base.mechanism import mechanisms

MODULE = ROOT / "privacy_engine" / "mechanisms" / "checkins" / "measured_rates.py"
RUNS = 40


class Place(NamedTuple):
    """Where a rate was measured."""

    set: str
    side: int
    unit: str
    epsilon: float
    model: str


class Rate(NamedTuple):
    """Mean and standard deviation over :data:`RUNS` runs."""

    mean: float
    sd: float


def hit_rates() -> dict[Place, Rate]:
    """Every HR@10 of docs/results/data/recommendation.csv."""
    return {
        Place(row["set"], int(row["side"]), row["protected"], float(row["epsilon"]), row["mechanism"]): Rate(
            float(row["hit_rate"]), float(row["hit_rate_sd"])
        )
        for row in saved("recommendation")
    }


def module(rates: dict[Place, Rate]) -> str:
    """The source of :data:`MODULE`: thousandths by set, cells per side, name and preset."""
    lines = []
    for key, described in {
        (name, str(one.get("preset", ""))): one for name in models() for one in variants(name)
    }.items():
        title = label(mechanisms.parse(with_examples(mechanisms[key[0]], _box()) | described))
        for name, side in dict.fromkeys((place.set, place.side) for place in rates):
            cells = [rates[Place(name, side, unit, epsilon, title)].mean for unit, epsilon in product(UNITS, LEVELS)]
            values = ", ".join(f"{round(1000 * one)}" for one in cells)
            lines.append(f'    ("{name}", {side}, "{key[0]}", "{key[1]}"): ({values}),')
    columns = "".join(f'    ("{unit}", {epsilon}),\n' for unit, epsilon in product(UNITS, LEVELS))
    return (
        '"""HR@10 of models of check-ins in thousandths, means of 40 runs: those of docs/results.\n\n'
        'Written with its table by benchmarks/results_recommendation.py.\n"""\n\n'
        f"COLUMNS = (\n{columns})\n"
        '"""What is protected, and ε."""\n\n'
        f"RATES = {{\n{chr(10).join(lines)}\n}}\n"
        '"""By set, cells per side, and name and preset of the mechanism."""\n'
    )


def _box() -> dict[str, Any]:
    west, south, east, north = BOXES["Manhattan"]
    return {"epsilon": 1.0, "side": 16, "west": west, "south": south, "east": east, "north": north}
