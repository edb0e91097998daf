"""How near an adversary comes to landmarks, by mechanism: docs/results/data/attacks.csv.

    python benchmarks/results_attacks.py [repetitions]

The generated samples, 40 % of the events at random are landmarks, ε = 1 within r. Seeds are fixed, so another run
writes the same.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the engine is run from the checkout, not installed

from benchmarks.written import save
from privacy_engine import metrics, noise
from privacy_engine.attacks import Localisation
from privacy_engine.data import LandmarkSet, Trajectory
from privacy_engine.landmarks.samples import samples
from privacy_engine.mechanisms.base.mechanism import mechanisms
from privacy_engine.mechanisms.base.trajectory import TrajectoryMechanism

SHARE = 0.4
CELLS = 48
TAXI_Q = 900_000.0  # the generator's 5 m/s for five minutes, four fifths of the time, in two axes: 1500² / 2 · 0.8
WALK_Q = 23.0  # the generator's 1.35 m/s for five seconds in two axes: 6.75² / 2
WINDOW = 10
COLUMNS = (
    "series", "events", "radius_m", "step_variance_m2", "mechanism",
    "release_m", "attack_m", "chance_m", "factor", "least", "most", "repetitions",
)  # fmt: skip
"""Mean errors at landmarks, chance by attack and its extremes over repetitions."""


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
    return [*(f"{one:.0f}" for one in means[:3]), *(f"{one:.2f}" for one in (means[3], gains.min(), gains.max()))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repetitions", nargs="?", type=int, default=10)
    options = parser.parse_args()
    walk, taxi, _ = (sample.series for sample in samples())
    rows: list[list[object]] = []
    for title, series, q, radius_m in (
        ("Taxi day", taxi, TAXI_Q, 200.0),
        ("Taxi day", taxi, TAXI_Q, 20.0),
        ("Walk across Paris, every fourth fix", walk.moved(walk.lon[::4], walk.lat[::4], np.arange(len(walk)) % 4 == 0),
         4 * WALK_Q, 20.0),
    ):  # fmt: skip
        for one in variants(radius_m, q):
            rows.append(
                [
                    title,
                    len(series),
                    f"{radius_m:.0f}",
                    f"{q:.0f}",
                    one.title,
                    *measure(series, one, q, options.repetitions),
                ]
            )
        print(title, flush=True)
    save("attacks", COLUMNS, ([*row, options.repetitions] for row in rows))


if __name__ == "__main__":
    main()
