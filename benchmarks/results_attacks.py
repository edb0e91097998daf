"""How near an adversary comes to landmarks, by mechanism; writes the tables of attacks.md and papers.md.

    python benchmarks/results_attacks.py [repetitions]

The generated samples, 40 % of the events at random are landmarks, ε = 1 within r. Seeds are fixed, so another run
prints the same.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the engine is run from the checkout, not installed

from benchmarks.written import write
from privacy_engine import metrics, noise
from privacy_engine.attacks import Localisation
from privacy_engine.data import LandmarkSet, Trajectory
from privacy_engine.landmarks.samples import samples
from privacy_engine.mechanisms.base.mechanism import mechanisms
from privacy_engine.mechanisms.base.trajectory import TrajectoryMechanism
from privacy_engine.mechanisms.landmark import Skip, UserLevel

ROOT = Path(__file__).resolve().parents[1]
SHARE = 0.4
CELLS = 48
TAXI_Q = 900_000.0  # the generator's 5 m/s for five minutes, four fifths of the time, in two axes: 1500² / 2 · 0.8
WALK_Q = 23.0  # the generator's 1.35 m/s for five seconds in two axes: 6.75² / 2
WINDOW = 10


def variants(radius_m: float, q: float) -> list[TrajectoryMechanism]:
    """Every registered mechanism."""
    own = {"window": WINDOW, "step_variance_m2": q}
    return [
        cls(epsilon=1.0, radius_m=radius_m, **{name: own[name] for name in own if name in cls.model_fields})
        for cls in mechanisms.of("trajectory")
    ]


def measure(series: Trajectory, mechanism: TrajectoryMechanism, q: float, repetitions: int) -> list[str]:
    """Cells of a row: mean errors at landmarks (m) of the release, attack and chance, the factor and its extremes."""
    found = []
    for seed in range(repetitions):
        mask = np.zeros(len(series), dtype=bool)
        mask[np.random.default_rng(seed).permutation(len(series))[: round(SHARE * len(series))]] = True
        release = mechanism.release(series, LandmarkSet(mask), rng=noise.seeded(seed))
        shared = mechanism.drawn_together(mask, release.fresh)
        attack = Localisation(step_variance_m2=q, cells=CELLS).run(series, release, shared=shared)
        shown = metrics.error_m(series, release)[mask[release.event]].mean()
        found.append([shown, attack.error_m[mask].mean(), attack.chance_m[mask].mean(), attack.gain(mask)])
    means, gains = np.mean(found, axis=0), np.array(found)[:, 3]
    return [*(f"{one:,.0f}" for one in means[:3]), f"{means[3]:.2f}", f"{gains.min():.2f} to {gains.max():.2f}"]


def table(found: dict[str, list[str]]) -> str:
    """One row a mechanism, by title."""
    lines = [
        "| 40 % landmarks | release, m | attack, m | chance, m | factor | least to most |",
        "|---|---|---|---|---|---|",
    ]
    for title, cells in found.items():
        lines.append(f"| {f'**{title}**' if title == Skip.title else title} | {' | '.join(cells)} |")
    return "\n".join(lines)


def headlines(found: dict[str, dict[str, list[str]]]) -> str:
    """Factors over chance, with their extremes, of Skip and of user level."""
    lines = [f"| factor at landmarks, 40 % | {' | '.join(found)} |", "|---" * (len(found) + 1) + "|"]
    for title in (Skip.title, UserLevel.title):
        factors = (f"{rows[title][3]} ({rows[title][4]})" for rows in found.values())
        lines.append(f"| {title} | {' | '.join(factors)} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repetitions", nargs="?", type=int, default=10)
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "results" / "attacks.md")
    parser.add_argument("--results", type=Path, default=ROOT / "docs" / "results" / "papers.md")
    options = parser.parse_args()
    walk, taxi, _ = (sample.series for sample in samples())
    parts, found = [], {}
    for title, series, q, radius_m in (
        ("Taxi day", taxi, TAXI_Q, 200.0),
        ("Taxi day", taxi, TAXI_Q, 20.0),
        ("Walk across Paris, every fourth fix", walk.moved(walk.lon[::4], walk.lat[::4], np.arange(len(walk)) % 4 == 0),
         4 * WALK_Q, 20.0),
    ):  # fmt: skip
        heading = f"## {title}: {len(series):,} events, r = {radius_m:g} m, q = {q:,.0f} m²"
        rows = {one.title: measure(series, one, q, options.repetitions) for one in variants(radius_m, q)}
        found[f"{title}, r = {radius_m:g} m"] = rows
        parts.append(f"{heading}\n\n{table(rows)}")
        print(parts[-1], flush=True)
    write(options.out, f"{options.repetitions} repetitions.\n\n" + "\n\n".join(parts))
    write(options.results, headlines(found), "attacks")


if __name__ == "__main__":
    main()
