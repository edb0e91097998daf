"""Runs of every check-in mechanism on one set and grid, and what they measured, by mechanism, unit and level."""

from __future__ import annotations

from typing import Any, NamedTuple

from privacy_engine.core.arrays import Floats
from privacy_engine.data import CheckIns
from privacy_engine.experiments import ExperimentSpec, Store, blocks, dataset_digest, run_block
from privacy_engine.experiments.presets.base import with_examples
from privacy_engine.mechanisms.base.mechanism import mechanisms

LEVELS = (0.1, 0.5, 1.0, 2.0)
UNITS = ("user", "record")
METRICS = ("hit-rate", "reciprocal-rank", "range-share-error")
REFERENCES = ("checkin-popularity", "checkin-nearest", "checkin-markov")
"""The baselines: with the same guarantee, public, and without a guarantee."""
SEED = 1


class Line(NamedTuple):
    """What a row of a table is about."""

    set: str
    side: int
    unit: str
    model: str


def models() -> list[str]:
    """The names of what is compared, baselines first."""
    known = [cls.registered_name() for cls in mechanisms.of(CheckIns.kind) if not cls.needs_venues]
    return [*(one for one in REFERENCES if one in known), *(one for one in known if one not in REFERENCES)]


def variants(name: str) -> list[dict[str, Any]]:
    """The descriptions of one mechanism that are compared."""
    if name == "checkin-quadtree":
        return [{"name": name, "preset": preset} for preset in ("seed", "wide")]
    return [{"name": name}]


def label(mechanism: Any) -> str:
    """What a table calls a mechanism."""
    preset = getattr(mechanism, "preset", None)
    return mechanism.title if preset is None else f"{mechanism.title}, {preset}"


def spec_of(box: tuple[float, float, float, float], side: int, runs: int) -> ExperimentSpec:
    """Every mechanism on one grid, for each unit and level."""
    known = dict(zip(("west", "south", "east", "north"), box, strict=True)) | {"epsilon": 1.0, "side": side}
    tried = [one for name in models() for one in variants(name)]
    releases = [{"mechanism": with_examples(mechanisms[one["name"]], known) | one} for one in tried]
    grid = {
        "release": releases,
        "release.mechanism.privacy_unit": list(UNITS),
        "release.mechanism.epsilon": list(LEVELS),
    }
    described = {"base": {}, "grid": grid, "repetitions": runs, "seed": SEED, "metrics": list(METRICS)}
    return ExperimentSpec.parse({"kind": CheckIns.kind} | described)


class Runs:
    """Values by line and level, (metrics, runs)."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.found: dict[tuple[Line, float], Floats] = {}

    def run(self, name: str, side: int, spec: ExperimentSpec, data: CheckIns) -> None:
        """Run a spec on a set, or read what is stored."""
        digest = dataset_digest(data, CheckIns.kind)
        for block in blocks(spec, [len(data)], spec.repetitions):
            values = self.store.get(block.key(digest))
            if values is None:
                values = run_block(block, data)
                self.store.put(block.key(digest), values)
            mechanism = block.cell.release.mechanism
            line = Line(name, side, mechanism.privacy_unit, label(mechanism))
            self.found[line, float(mechanism.epsilon)] = values[1:]

    def lines(self, name: str, side: int, unit: str) -> list[Line]:
        """The lines of one table, in the order of the mechanisms."""
        return list(dict.fromkeys(one for one, _ in self.found if one[:3] == (name, side, unit)))

    def of(self, line: Line, epsilon: float, metric: str = "hit-rate") -> Floats:
        """The values of all runs, (runs,)."""
        return self.found[line, epsilon][METRICS.index(metric)]

    def sets(self) -> list[str]:
        """Names of the measured sets."""
        return list(dict.fromkeys(line.set for line, _ in self.found))

    def sides(self, name: str) -> list[int]:
        """The measured grids of a set."""
        return sorted({line.side for line, _ in self.found if line.set == name})
