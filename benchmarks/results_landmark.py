"""Mean absolute error of every landmark mechanism at 0 to 100 % landmarks; writes docs/results/papers.md.

    python benchmarks/results_landmark.py [repetitions] [--data ../shared/data]

1,000 events, ε = 1 per metre as in the paper. A generated taxi series (new for each repetition), and the first 1,000
events of Geolife users 000 and 174 and of T-Drive taxis 1 and 2 where the files are. Landmarks of a repetition are a
random share of the events. What is printed was measured in this run; seeds are fixed, so another run prints the same.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the engine is run from the checkout, not installed

from benchmarks.series import real
from benchmarks.written import commit, metres, write
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

ROOT = Path(__file__).resolve().parents[1]
N = 1000
SHARES = (0, 20, 40, 60, 80, 100)
HOW = {"epsilon": 1.0, "radius_m": 1.0}
PAPER = ("Uniform", "Skip", "Adaptive, literal", "Adaptive")


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


def table(found: dict[str, list]) -> str:
    """The measured numbers and how many times better ours are than the best of the paper's."""
    lines = ["| MAE, m | " + " | ".join(f"{share} %" for share in SHARES) + " |", "|---" * (len(SHARES) + 1) + "|"]
    for name, values in found.items():
        lines.append(f"| {name} | " + " | ".join(metres(mean) for mean, _ in values) + " |")
    best = [min(found[name][i][0] for name in PAPER) for i in range(len(SHARES))]
    for name in ("Optimal split", "Planned", "Joint", "Planned + OU", "Joint + OU"):
        ratios = (f"{best[i] / found[name][i][0]:.2f}×" for i in range(len(SHARES)))
        lines.append(f"| *best of the paper's / {name}* | " + " | ".join(ratios) + " |")
    worst = max(error / mean for values in found.values() for mean, error in values)
    return "\n".join(lines) + f"\n\nLargest standard error of a mean: {100 * worst:.1f} %.\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repetitions", nargs="?", type=int, default=20)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "results" / "papers.md")
    options = parser.parse_args()
    at = commit()
    sets: list[tuple[str, Callable[[np.random.Generator], Trajectory], float]] = [("Generated taxis", taxi, TAXI_Q_M2)]
    files = real(options.data, N)
    for title in ("Geolife, user 000", "Geolife, user 174", "T-Drive, taxi 1", "T-Drive, taxi 2"):
        if series := files.get(title):
            q = WALK_Q_M2 if title.startswith("Geolife") else TAXI_Q_M2
            sets.append((f"{title} ({len(series):,} events)", lambda _, series=series: series, q))
    parts = []
    for title, series_of, q in sets:
        result = table(measure(series_of, q, options.repetitions))
        parts.append(f"## {title}\n\nq = {q:,.0f} m².\n\n{result}")
        print(parts[-1], flush=True)
    write(options.out, f"Measured at commit {at}: {options.repetitions} repetitions.\n\n" + "\n".join(parts))


if __name__ == "__main__":
    main()
