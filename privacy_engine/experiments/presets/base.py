"""What the presets share: frozen descriptions, like mechanisms, that make a spec and have data to run it on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from privacy_engine.component import Component
from privacy_engine.data import Trajectory
from privacy_engine.experiments.selection import GeneratedSeries, SeriesSelection
from privacy_engine.experiments.spec import ExperimentSpec
from privacy_engine.params import EventCount, Repetitions, Seed
from privacy_engine.registry import Registry

presets: Registry[Preset] = Registry("preset")

SHARES = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
DISTRIBUTIONS = ["left-skewed", "symmetric", "right-skewed", "bimodal", "uniform"]
PER_METRE = {"epsilon": 1.0, "radius_m": 1.0}
"""The paper's ε = 1 per metre."""


class Preset(Component):
    """Base of every preset. It generates a series where none is given; one that is given is used as it is."""

    metrics: ClassVar[tuple[str, ...]]

    repetitions: Repetitions = 100
    seed: Seed = 1
    events: EventCount = 100

    def selection(self) -> SeriesSelection:
        """What it is tried on: the series as they are, or without any a generated one of ``events`` events."""
        return SeriesSelection(generated=GeneratedSeries(like="taxi", events=self.events, seed=self.seed))

    def data(self, series: Sequence[Trajectory] = ()) -> list[Trajectory]:
        """What it runs on, of the ``series`` of a dataset or without any."""
        return self.selection().of(series)

    def base(self) -> dict[str, Any]:
        """What all cells have in common: new landmarks in every repetition."""
        return {"landmarks": random_landmarks(), "redraw": True}

    def grid(self) -> dict[str, list[Any]]:
        """What is swept."""
        raise NotImplementedError

    def spec(self) -> ExperimentSpec:
        """The experiment."""
        return ExperimentSpec.parse(
            {
                "base": self.base(),
                "grid": self.grid(),
                "repetitions": self.repetitions,
                "seed": self.seed,
                "metrics": self.metrics,
                "series": self.selection().model_dump(),
            }
        )


def random_landmarks(share: float = 0.2) -> dict[str, Any]:
    """A random share of the events."""
    return {"name": "synthetic", "share": share, "distribution": "uniform", "seed": 0}


def scheme(name: str, *then: dict[str, Any], **parameters: Any) -> dict[str, Any]:
    """A release by the landmark mechanism ``name`` at ε = 1 per metre, with the steps after it."""
    return {"mechanism": {"name": f"landmark-{name}", **PER_METRE, **parameters}, "postprocess": list(then)}
