"""What seed 003 claims of private recommendation: into papers.md, and tables in docs/results/data.

    python -m benchmarks.recommendation_claims [--runs 20] [--fewer 8] [--store DIR] [--data ../shared/data/checkins]

On 16 by 16 cells. Seeds are fixed, and blocks are stored as they come: an interrupted run continues. The intervals are
Nadeau and Bengio's corrected resampled t, 95 % [1]_: runs hold out other fifths of the same users, so that the plain
standard error of their mean would be too small for other users.

.. [1] Nadeau, Bengio. "Inference for the generalization error". Machine Learning 52, 2003.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from tempfile import gettempdir
from typing import Any, NamedTuple

import numpy as np
from scipy.special import stdtrit

from benchmarks.explorer_city import explorer_city
from benchmarks.recommendation_rates import RUNS, Place, Rate
from benchmarks.recommendation_runs import LEVELS, UNITS, label, spec_of
from benchmarks.recommendation_sets import BOXES, DATA, check_ins
from benchmarks.recommendation_tables import GRAVITY, MARKOV, NEAREST, table
from benchmarks.written import RESULTS, commit, save, write
from privacy_engine.core.arrays import Floats
from privacy_engine.data import CheckIns
from privacy_engine.experiments import ExperimentSpec, FolderStore, Store, blocks, dataset_digest, run_block

SIDE, TEST_SHARE = 16, 0.2
METRICS = ("hit-rate", "hit-rate-by-user")
HISTORIES, DENSITIES, SKEWS = (1, 2, 3), (0.03, 0.1, 0.3, 1.0), (0.0, 1.0, 2.0)
LITERATURE = ("Quadtree, seed", "Quadtree, wide", "kd-tree", "N-grams")
"""The mechanisms of seed 003."""
TREES, GRAMS = LITERATURE[:2], "N-grams"
KD = "kd-tree"
ORDERED = (*LITERATURE, MARKOV)
"""Mechanisms that read more than one last cell."""
SWEPT = (*ORDERED, NEAREST, GRAVITY)
YES, NO, OPEN = "yes", "no", "open"
BY_USER = ("protected", "mechanism", "metric", "rate", "half_interval", "above_nearest", "difference", "low", "high")
SWEPT_BY = ("study", "value", "protected", "mechanism", "hit_rate", "half_interval")


class Key(NamedTuple):
    """What was measured: ``value`` is ε, a history length, a density or a skew, by ``study``."""

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


def rate(values: Floats) -> list[str]:
    """The mean of all runs and half of its interval, with three decimals."""
    found = interval(values)
    return [f"{found.mean:.3f}", f"{found.high - found.mean:.3f}"]


def signed(value: float) -> str:
    return f"{value:+.3f}".replace("0.", ".")


def interval(values: Floats) -> Interval:
    """The corrected resampled t interval of the mean of runs that each hold out :data:`TEST_SHARE` of the users."""
    runs, mean = len(values), float(values.mean())
    variance = (1 / runs + TEST_SHARE / (1 - TEST_SHARE)) * values.var(ddof=1)
    half = float(stdtrit(runs - 1, 0.975) * np.sqrt(variance))
    return Interval(mean, mean - half, mean + half)


def beside(found: Found, key: Key, other: str = NEAREST, metric: str = METRICS[0]) -> Interval:
    """How much greater the hit rate is than that of ``other``, run by run on the same users."""
    return interval(found.of(key, metric) - found.of(key._replace(model=other), metric))


def specs(runs: int, fewer: int) -> Iterator[tuple[str, str, str, ExperimentSpec]]:
    """Study, set, the swept field and the spec; ``fewer`` runs of all but the first study."""
    yield "level", "Manhattan", "", studied("Manhattan", runs, {"release.mechanism.epsilon": list(LEVELS)})
    yield "density", "Manhattan", "density", studied("Manhattan", fewer, {"density": list(DENSITIES)}, SWEPT)
    for skew in SKEWS:
        yield "skew", f"City, skew {skew:g}", "", studied("City", fewer, {}, SWEPT)
    yield "history", "Manhattan", "history", studied("Manhattan", fewer, {"history": list(HISTORIES)}, ORDERED)


def studied(name: str, runs: int, swept: dict[str, list[Any]], models: Sequence[str] = ()) -> ExperimentSpec:
    """Mechanisms, all or those named, on one set at ε = 1, both units, over what is swept."""
    spec = spec_of(BOXES[name], SIDE, runs)
    titles = {label(cell.release.mechanism): cell.release.mechanism.name for cell in spec.cells()}
    described = spec.model_dump()
    grid = {
        "release": [
            one
            for one in described["grid"]["release"]
            if not models or any(titles[model] == one["mechanism"]["name"] for model in models)
        ],
        "release.mechanism.privacy_unit": list(UNITS),
    }
    return ExperimentSpec.parse(described | {"metrics": list(METRICS), "grid": grid | swept})


def measured(store: Store, runs: int, fewer: int, data: Path) -> Found:
    """All studies, stored blocks read."""
    values: dict[Key, Floats] = {}
    for study, name, field, spec in specs(runs, fewer):
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


def baseline(rates: dict[Place, Rate]) -> dict[Place, Interval]:
    """How far each mechanism is above the nearest cell, for every set, grid, unit and level.

    Of differences only the deviations of both parts are known, so that the intervals are as wide as if users of the
    two were others.
    """
    wide = np.sqrt(1 / RUNS + TEST_SHARE / (1 - TEST_SHARE)) * stdtrit(RUNS - 1, 0.975)
    found = {}
    for place, mine in rates.items():
        if place.model not in (NEAREST, MARKOV):
            other = rates[place._replace(model=NEAREST)]
            mean, half = mine.mean - other.mean, float(wide * np.hypot(mine.sd, other.sd))
            found[place] = Interval(mean, mean - half, mean + half)
    return found


def by_user(found: Found) -> Iterator[list[str]]:
    """Rows of :data:`BY_USER`: HR@10 per move and per user at ε = 1, and what it is above the nearest cell's."""
    for model, unit, metric in product(found.models(), UNITS, METRICS):
        key = Key("level", "Manhattan", unit, model, 1.0)
        above = beside(found, key, metric=metric) if model != NEAREST else None
        apart = [above.verdict, *(f"{one:.3f}" for one in above)] if above else [""] * 4
        yield [unit, model, metric, *rate(found.of(key, metric)), *apart]


def claims(found: Found) -> str:
    """A line for each claim of the seed: in how many cases it holds, fails or is open, and the figures."""
    makers = (_quality, _budget, _history, _short, _density, _skew)
    return table(
        ["claim of seed 003", "protected", "holds", "figures"], [row for make in makers for row in make(found)]
    )


def _line(claim: str, unit: str, cases: dict[str, Interval]) -> list[str]:
    """The verdicts counted, with every case."""
    counted = [(name, sum(one.verdict == name for one in cases.values())) for name in (YES, NO, OPEN)]
    held = ", ".join(f"{text} {count}" for text, count in counted if count)
    return [claim, unit, f"{held} of {len(cases)}", "; ".join(f"{name} {one}" for name, one in cases.items())]


def _quality(found: Found) -> Iterator[list[str]]:
    for unit in UNITS:
        cases = {model: beside(found, Key("level", "Manhattan", unit, model, 1.0)) for model in LITERATURE}
        yield _line(
            "Careful sanitisation gives good recommendations: better than the public nearest cell, ε = 1", unit, cases
        )


def _budget(found: Found) -> Iterator[list[str]]:
    for unit in UNITS:
        cases = {model: change(found, Key("level", "Manhattan", unit, model, 2.0), 0.1) for model in LITERATURE}
        yield _line("Accuracy grows with the budget: ε = 2 less ε = 0.1", unit, cases)


def _history(found: Found) -> Iterator[list[str]]:
    for unit in UNITS:
        cases = {
            f"{model}, m = {m}": change(found, Key("history", "Manhattan", unit, model, m), 1)
            for model, m in product(ORDERED, HISTORIES[1:])
            if unit == UNITS[0] or model != MARKOV
        }
        yield _line("Several last places give better recommendations than the last one: m less m = 1", unit, cases)


def _short(found: Found) -> Iterator[list[str]]:
    for unit in UNITS:
        cases = {
            f"{tree}, m = {m}": beside(found, Key("history", "Manhattan", unit, tree, m), GRAMS)
            for tree, m in product(TREES, HISTORIES)
        }
        short = {name: one for name, one in cases.items() if name.endswith("1")}
        yield _line("Products of places do well for short histories: quadtree less n-grams", unit, short)
        longer = {name: Interval(-one.mean, -one.high, -one.low) for name, one in cases.items() if name not in short}
        yield _line("… and n-grams suit longer ones better: n-grams less quadtree", unit, longer)


def _density(found: Found) -> Iterator[list[str]]:
    for unit in UNITS:
        cases = {
            model: change(found, Key("density", "Manhattan", unit, model, 1.0), DENSITIES[0]) for model in LITERATURE
        }
        yield _line("Density matters: models of all users less those of 3 %", unit, cases)


def _skew(found: Found) -> Iterator[list[str]]:
    for unit in UNITS:
        keys = {skew: Key("skew", f"City, skew {skew:g}", unit, KD, skew) for skew in SKEWS}
        cases = {
            f"{tree}, skew {skew:g}": beside(found, key, tree) for tree, (skew, key) in product(TREES, keys.items())
        }
        yield _line("Skew matters: the kd-tree, which follows the data, less the quadtree", unit, cases)
        nearest = {
            f"{model}, skew {skew:g}": beside(found, key._replace(model=model))
            for model, (skew, key) in product(LITERATURE, keys.items())
        }
        yield _line("… each beside the nearest cell", unit, nearest)


def change(found: Found, key: Key, value: float) -> Interval:
    """How much greater the hit rate at ``key`` is than that at another ``value``, run by run on the same users."""
    return interval(found.of(key) - found.of(key._replace(value=value)))


def swept(found: Found) -> Iterator[list[str]]:
    """Rows of :data:`SWEPT_BY`: hit rates by history length, density and skew at ε = 1."""
    for key in found.values:
        if key.study != "level":
            yield [key.study, f"{key.value:g}", key.unit, key.model, *rate(found.of(key))]


def report(found: Found, at: str) -> str:
    """What was measured, and the claims."""
    many, few = (len(next(v for k, v in found.values.items() if k.study == study)[0]) for study in ("level", "density"))
    return (
        f"Measured at commit {at} by `python -m benchmarks.recommendation_claims`: {many} runs, {few} of history "
        "length, density and skew; 95 % intervals in parentheses. A verdict is yes or no where the interval "
        f"excludes zero, and open where not.\n\n### Claims of seed 003, {SIDE} × {SIDE} cells\n\n{claims(found)}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--fewer", type=int, default=8, help="runs of history length, density and skew")
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--store", type=Path, default=Path(gettempdir(), "recommendation_claims"))
    options = parser.parse_args()
    at = commit()
    found = measured(FolderStore(options.store), options.runs, options.fewer, options.data)
    write(RESULTS / "papers.md", report(found, at), "recommendation-claims")
    save("recommendation-by-user", BY_USER, by_user(found))
    save("recommendation-sweeps", SWEPT_BY, swept(found))


if __name__ == "__main__":
    main()
