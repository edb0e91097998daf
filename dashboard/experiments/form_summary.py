"""The folds of the experiment form in a line each, and what presets take."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from dashboard.experiments.run_parameters import MECHANISM, RADIUS, REGISTRIES, Values, names_of, parameters
from dashboard.experiments.run_parameters import values_by_path as by_path_of
from dashboard.experiments.services import plan
from privacy_engine.experiments import ExperimentSpec, presets

STEPS = "release.postprocess"
PARTS = 4
"""Parameters that the line of the sweep names; of others their number."""
TITLES = 6
"""Mechanisms and measures that a line names."""


@cache
def preset_seconds(name: str) -> float:
    """Return about how long a preset takes on a single core, on the data that it generates."""
    return plan(dataset=None, preset=presets.parse({"name": name}), spec=None).seconds


def summary_of(spec: ExperimentSpec, data: str) -> dict[str, str]:
    """Return ``data``, ``mechanisms``, ``sweep`` and ``measures`` as lines; ``data`` is its line already."""
    described = spec.model_dump()
    values = parameters(described)
    return {
        "data": data,
        "mechanisms": _mechanisms(described),
        "sweep": _sweep(described, values),
        "measures": _measures(spec, values),
    }


def _mechanisms(described: Mapping[str, Any]) -> str:
    by_path = by_path_of(described)
    titles = [str(REGISTRIES[MECHANISM].shown(name).title) for name in names_of(by_path, MECHANISM)]
    steps = [str(REGISTRIES[STEPS].shown(name).title) for name in names_of(by_path, STEPS)]
    text = _listed(titles) or "None: landmarks alone are measured"
    return f"{text} · {_listed(steps)}" if steps else text


def _sweep(described: Mapping[str, Any], values: Mapping[str, Values]) -> str:
    """The parameters in the form's section, those with several values first."""
    left = ("repetitions", "seed", MECHANISM, STEPS, RADIUS)
    swept = {path for name in described["grid"] for path in name.split(",")}
    places = [place for place in values if place not in left and not place.startswith(("data", STEPS))]
    places.sort(key=lambda place: place not in swept)
    parts = [f"{values[place].title} {values[place].text}" for place in places[:PARTS]]
    more = len(places) - PARTS
    return " · ".join([*parts, *([f"{more} more"] if more > 0 else [])])


def _measures(spec: ExperimentSpec, values: Mapping[str, Values]) -> str:
    titles = _listed([metric.full_title for metric in spec.metrics])
    return f"{titles} · {values['repetitions'].text} repetitions · seed {values['seed'].text}"


def _listed(titles: list[str]) -> str:
    more = len(titles) - TITLES
    return ", ".join([*titles[:TITLES], *([f"{more} more"] if more > 0 else [])])
