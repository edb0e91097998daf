"""Mean absolute error of every landmark mechanism at 0 to 100 % landmarks: docs/results/data/landmarks.csv.

    python benchmarks/results_landmark.py [repetitions] [--data ../shared/data]

1,000 events, ε = 1 per metre as in the paper. A generated taxi series (new for each repetition), and the first 1,000
events of Geolife users 000 and 174 and of T-Drive taxis 1 and 2 where the files are. Landmarks of a repetition are a
random share of the events. Seeds are fixed, so another run writes the same.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the engine is run from the checkout, not installed

from benchmarks.series import real
from benchmarks.written import RESULTS, ROOT, commit, metres, save, write
from privacy_engine import metrics
from privacy_engine.data import LandmarkSet, Trajectory
from privacy_engine.experiments.synthetic_series import TAXI_Q_M2, WALK_Q_M2, taxi
from privacy_engine.mechanisms.base.trajectory import TrajectoryMechanism
from privacy_engine.mechanisms.landmark import (
    Adaptive,
    EventLevel,
    Joint,
    OptimalSplit,
    Planned,
    Skip,
    Uniform,
    UserLevel,
)
from privacy_engine.postprocess import CausalFilter, OUSmoother, PostProcess, RandomWalkSmoother

N = 1000
SHARES = (0, 20, 40, 60, 80, 100)
HOW = {"epsilon": 1.0, "radius_m": 1.0}
PAPER = ("Uniform", "Skip", "Adaptive, literal", "Adaptive")
OURS = ("Optimal split", "Planned", "Joint", "Planned + OU", "Joint + OU")
COLUMNS = ("series", "step_variance_m2", "scheme", "share_percent", "mae_m", "gain", "largest_se_percent")
"""``gain`` is the least error of the paper's by ours, ``largest_se_percent`` of all means of the series."""


def rows(q: float) -> dict[str, tuple[TrajectoryMechanism, PostProcess | None]]:
    """Every scheme by name: a mechanism, and the step that follows it."""
    planned, joint = (how(**HOW, step_variance_m2=q) for how in (Planned, Joint))
    return {
        "Event level (protects less)": (EventLevel(**HOW), None),
        "User level (protects more)": (UserLevel(**HOW), None),
        "Uniform": (Uniform(**HOW), None),
        "Skip": (Skip(**HOW), None),
        "Adaptive, literal": (Adaptive(**HOW, reading="literal"), None),
        "Adaptive": (Adaptive(**HOW), None),
        "Adaptive, absorption": (Adaptive(**HOW, redistribution="absorption"), None),
        "Optimal split": (OptimalSplit(**HOW), None),
        "Planned": (planned, None),
        "Joint": (joint, None),
        "Uniform + OU": (Uniform(**HOW), OUSmoother()),
        "Optimal split + OU": (OptimalSplit(**HOW), OUSmoother()),
        "Planned + causal filter": (planned, CausalFilter(step_variance_m2=q)),
        "Planned + random walk": (planned, RandomWalkSmoother()),
        "Planned + OU": (planned, OUSmoother()),
        "Joint + OU": (joint, OUSmoother()),
    }


def measure(series_of: Callable[[np.random.Generator], Trajectory], q: float, repetitions: int) -> dict[str, list]:
    """Mean and standard error of the mean absolute error, by scheme and share."""
    schemes = rows(q)
    found: dict[str, list] = {name: [] for name in schemes}
    for share in SHARES:
        errors: dict[str, list[float]] = {name: [] for name in schemes}
        for repetition in range(repetitions):
            rng = np.random.default_rng([share, repetition])
            series = series_of(rng)
            n = len(series)
            marks = LandmarkSet.at(rng.permutation(n)[: round(n * share / 100)], n)
            for i, (name, (mechanism, step)) in enumerate(schemes.items()):
                release = mechanism.release(series, marks, rng=np.random.default_rng([share, repetition, i]))
                release = step.apply(release) if step else release
                errors[name].append(metrics.mean_absolute_error_m(series, release))
        for name, values in errors.items():
            found[name].append((np.mean(values), np.std(values) / np.sqrt(repetitions)))
    return found


def table(title: str, q: float, found: dict[str, list]) -> Iterator[list[str]]:
    """Rows of :data:`COLUMNS`."""
    best = [min(found[name][i][0] for name in PAPER) for i in range(len(SHARES))]
    worst = f"{max(100 * error / mean for values in found.values() for mean, error in values):.1f}"
    for name, values in found.items():
        for i, (mean, _) in enumerate(values):
            gain = f"{best[i] / mean:.2f}" if name in OURS else ""
            yield [title, f"{q:.0f}", name, f"{SHARES[i]}", metres(mean), gain, worst]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repetitions", nargs="?", type=int, default=20)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    options = parser.parse_args()
    at = commit()
    sets: list[tuple[str, Callable[[np.random.Generator], Trajectory], float]] = [("Generated taxis", taxi, TAXI_Q_M2)]
    files = real(options.data, N)
    for title in ("Geolife, user 000", "Geolife, user 174", "T-Drive, taxi 1", "T-Drive, taxi 2"):
        if series := files.get(title):
            q = WALK_Q_M2 if title.startswith("Geolife") else TAXI_Q_M2
            sets.append((f"{title} ({len(series):,} events)", lambda _, series=series: series, q))
    rows_of = []
    for title, series_of, q in sets:
        rows_of += table(title, q, measure(series_of, q, options.repetitions))
        print(title, flush=True)
    save("landmarks", COLUMNS, rows_of)
    write(RESULTS / "papers.md", f"Measured at commit {at}: {options.repetitions} repetitions.")


if __name__ == "__main__":
    main()
