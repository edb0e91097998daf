"""What seed 003 claims of private recommendation, and whether a mechanism beats the public baseline; into docs/results.md.

    python benchmarks/recommendation_claims.py [--runs 20] [--store DIR] [--data ../shared/data/checkins]

On 16 by 16 cells. Seeds are fixed, and blocks are stored as they come: an interrupted run continues. The intervals are
Nadeau and Bengio's corrected resampled t, 95 % [1]_: runs hold out other fifths of the same users, so that the plain
standard error of their mean would be too small for other users.

.. [1] Nadeau, Bengio. "Inference for the generalization error". Machine Learning 52, 2003.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import gettempdir
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the engine is run from the checkout, not installed

from benchmarks.explorer_city import explorer_city
from benchmarks.recommendation_runs import LEVELS, UNITS, label, spec_of
from benchmarks.recommendation_sets import BOXES, DATA, ROOT, check_ins
from benchmarks.recommendation_tables import MARKOV, NEAREST, PUBLIC, table
from benchmarks.written import commit, write
from privacy_engine.data import CheckIns, Floats
from privacy_engine.experiments import ExperimentSpec, FolderStore, Store, blocks, dataset_digest, run_block

SIDE, TEST_SHARE = 16, 0.2
METRICS = ("hit-rate", "hit-rate-by-user")
HISTORIES, DENSITIES, SKEWS = (1, 2, 3), (0.03, 0.1, 0.3, 1.0), (0.0, 1.0, 2.0)
LITERATURE = ("Quadtree, seed", "Quadtree, wide", "kd-tree", "N-grams")
"""The mechanisms of seed 003."""
TREES, GRAMS = LITERATURE[:2], "N-grams"
KD = "kd-tree"
YES, NO, OPEN = "yes", "no", "open"


class Key(NamedTuple):
    """What was measured: ``value`` is ε, a history length, a density or a skew, as ``study`` says."""

    study: str
    set: str
    unit: str
    model: str
    value: float


class Found:
    """Hit rates of all runs as shares by key, (metrics, runs)."""

    def __init__(self, values: dict[Key, Floats]) -> None:
        self.values = values

    def of(self, key: Key, metric: str = METRICS[0]) -> Floats:
        """The values of one metric, (runs,)."""
        return self.values[key][METRICS.index(metric)]

    def models(self) -> list[str]:
        """Every measured mechanism, in the order of the tables."""
        return list(dict.fromkeys(key.model for key in self.values))

    def sets(self, study: str) -> list[str]:
        """The sets of a study."""
        return list(dict.fromkeys(key.set for key in self.values if key.study == study))


class Interval(NamedTuple):
    """A mean with its bounds at 95 %."""

    mean: float
    low: float
    high: float

    @property
    def verdict(self) -> str:
        """Whether it is above zero, below, or not separable from it."""
        return YES if self.low > 0 else NO if self.high < 0 else OPEN

    def __str__(self) -> str:
        return f"{signed(self.mean)} ({signed(self.low)} to {signed(self.high)})"


def signed(value: float) -> str:
    return f"{value:+.3f}".replace("0.", ".")


def interval(values: Floats) -> Interval:
    """The corrected resampled t interval of the mean of runs that each hold out :data:`TEST_SHARE` of the users."""
    runs, mean = len(values), float(values.mean())
    variance = (1 / runs + TEST_SHARE / (1 - TEST_SHARE)) * values.var(ddof=1)
    half = float(stats.t.ppf(0.975, runs - 1) * np.sqrt(variance))
    return Interval(mean, mean - half, mean + half)


def beside(found: Found, key: Key, other: str = NEAREST, metric: str = METRICS[0]) -> Interval:
    """How much greater the hit rate is than that of ``other``, run by run on the same users."""
    return interval(found.of(key, metric) - found.of(key._replace(model=other), metric))


def specs(runs: int) -> Iterator[tuple[str, str, str, ExperimentSpec]]:
    """Study, set, the swept field and the spec, those first that the verdicts need most."""
    histories = {"history": list(HISTORIES)}
    yield "level", "Manhattan", "", studied("Manhattan", runs, {"release.mechanism.epsilon": list(LEVELS)})
    yield "history", "Manhattan", "history", studied("Manhattan", runs, histories)
    yield "density", "Manhattan", "density", studied("Manhattan", runs, {"density": list(DENSITIES)})
    for skew in SKEWS:
        yield "skew", f"City, skew {skew:g}", "", studied("City", runs, {})
    for name in ("Brooklyn", "City"):
        yield "level", name, "", studied(name, runs, {"release.mechanism.epsilon": list(LEVELS)})
        yield "history", name, "history", studied(name, runs, histories)


def studied(name: str, runs: int, swept: dict[str, list[Any]]) -> ExperimentSpec:
    """Every mechanism on one set at ε = 1, both units, over what is swept."""
    described = spec_of(BOXES[name], SIDE, runs).model_dump()
    del described["grid"]["release.mechanism.epsilon"]
    return ExperimentSpec.parse(described | {"metrics": list(METRICS), "grid": described["grid"] | swept})


def measured(store: Store, runs: int, data: Path) -> Found:
    """All studies, stored blocks read."""
    values: dict[Key, Floats] = {}
    for study, name, field, spec in specs(runs):
        skew = float(name.split()[-1]) if study == "skew" else None
        checkins = check_ins(name, data) if skew is None else explorer_city(skew=skew)
        for key, one in ran(store, study, name, field, spec, checkins):
            values[key._replace(value=skew) if skew is not None else key] = one
        print(study, name, flush=True)
    return Found(values)


def ran(
    store: Store, study: str, name: str, field: str, spec: ExperimentSpec, checkins: CheckIns
) -> Iterator[tuple[Key, Floats]]:
    """The values of every cell of one spec."""
    digest = dataset_digest(checkins, CheckIns.kind)
    for block in blocks(spec, [len(checkins)], spec.repetitions):
        values = store.get(block.key(digest))
        if values is None:
            values = run_block(block, checkins)
            store.put(block.key(digest), values)
        mechanism = block.cell.release.mechanism
        value = float(getattr(block.cell, field) if field else mechanism.epsilon)
        yield Key(study, name, mechanism.privacy_unit, label(mechanism), value), values[1:] / 100


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--store", type=Path, default=Path(gettempdir(), "recommendation_claims"))
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "results.md")
    options = parser.parse_args()
    at = commit()
    found = measured(FolderStore(options.store), options.runs, options.data)
    write(options.out, report(found, at, options.runs), "recommendation-claims")


if __name__ == "__main__":
    main()
