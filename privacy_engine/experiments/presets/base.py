"""What the presets share: frozen descriptions, like mechanisms, that make a spec and have data to run it on.

Presets of count streams and check-ins try every mechanism that is registered for the kind, unless they name some.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from privacy_engine.core.component import Component
from privacy_engine.core.params import EventCount, Repetitions, Seed
from privacy_engine.data import Trajectory
from privacy_engine.experiments.inputs import Given
from privacy_engine.experiments.selection import GeneratedSeries, SeriesSelection
from privacy_engine.experiments.spec import ExperimentSpec
from privacy_engine.mechanisms.base.mechanism import Mechanism, mechanisms
from privacy_engine.registry import Registry

presets: Registry[Preset] = Registry("preset")

SHARES = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
DISTRIBUTIONS = ["left-skewed", "symmetric", "right-skewed", "bimodal", "uniform"]
PER_METRE = {"epsilon": 1.0, "radius_m": 1.0}
"""The paper's ε = 1 per metre."""


class Preset(Component):
    """Base of every preset. It generates data where none are given."""

    metrics: ClassVar[tuple[Any, ...]]

    repetitions: Repetitions = 100
    seed: Seed = 1

    def spec(self, given: Given | None = None) -> ExperimentSpec:
        """The experiment, on the dataset that ``given`` is about or without it on generated data."""
        raise NotImplementedError


class ReleasePreset(Preset):
    """Base of the presets of count streams and check-ins: mechanisms of the kind over the values of a parameter.

    They are those of :meth:`variants`, by default all of the kind.

    Parameters that are not swept are those of :meth:`parameters`, or the example in their description.
    """

    def parameters(self, given: Given | None) -> dict[str, Any]:
        """What mechanisms are given of their parameters, by name."""
        raise NotImplementedError

    def variants(self, given: Given | None) -> list[dict[str, Any]]:
        """The mechanisms by name, with parameters of their own."""
        return [{"name": cls.registered_name()} for cls in mechanisms.of(self.kind)]

    def measured(self, given: Given | None) -> list[Any]:
        """What is measured."""
        return [*self.metrics]

    def grid(self, given: Given | None = None) -> dict[str, list[Any]]:
        """What is swept."""
        raise NotImplementedError

    def base(self) -> dict[str, Any]:
        """What all cells have in common, beside the data."""
        return {}

    def generated(self) -> list[dict[str, Any]]:
        """The data that cells generate."""
        raise NotImplementedError

    def spec(self, given: Given | None = None) -> ExperimentSpec:
        known = self.parameters(given)
        tried = self.variants(given)
        releases = [{"mechanism": with_examples(mechanisms[variant["name"]], known) | variant} for variant in tried]
        data = self.generated() if given is None else []
        several = {"data": data} if len(data) > 1 else {}
        return ExperimentSpec.parse(
            {
                "kind": self.kind,
                "base": self.base() | ({"data": data[0]} if len(data) == 1 else {}),
                "grid": {"release": releases, **self.grid(given), **several},
                "repetitions": self.repetitions,
                "seed": self.seed,
                "metrics": self.measured(given),
            }
        )


def with_examples(cls: type[Mechanism], known: dict[str, Any]) -> dict[str, Any]:
    """A mechanism with the ``known`` parameters that it takes, and examples of others that it requires."""
    described = {"name": cls.registered_name()}
    for field in cls.fields():
        if field["name"] in known:
            described[field["name"]] = known[field["name"]]
        elif field["required"]:
            choices = [choice["value"] for choice in field["choices"]]
            described[field["name"]] = choices[0] if choices else field["example"]
    return described


class SeriesPreset(Preset):
    """Base of the presets of trajectories. It generates a series where none is given.

    Levels are per metre as in the papers, and on a dataset within its radius: ε = 1 per metre moves points by 2 m,
    where no plan differs from another.
    """

    events: EventCount = 100

    def selection(self) -> SeriesSelection:
        """What it is tried on: the series as they are, or without any generated series of ``events`` events."""
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

    def spec(self, given: Given | None = None) -> ExperimentSpec:
        base, grid = self.base(), self.grid()
        if given and given.radius_m:
            for release in (*grid.get("release", ()), *filter(None, [base.get("release")])):
                release["mechanism"]["radius_m"] = given.radius_m
        return ExperimentSpec.parse(
            {
                "base": base,
                "grid": grid,
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
