"""Series that the benchmarks share."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from privacy_engine.data import Trajectory


def wandering(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A walk that pauses: (lon, lat, time) with a fix every 5 s."""
    rng = np.random.default_rng(1)
    steps = rng.normal(0, 1e-4, (2, n)) * (np.sin(np.arange(n) / 500) > 0)
    return 116.4 + np.cumsum(steps[0]) % 1, 39.9 + np.cumsum(steps[1]) % 1, np.arange(n) * 5.0


def real(data: Path, events: int) -> dict[str, Trajectory]:
    """The first events of the real files that are there, by title; they are not part of the repository."""
    from privacy_engine.experiments.synthetic_series import first_events
    from privacy_engine.formats import read

    places, found = data / "trajectories", {}
    for title, pattern in (("Geolife, user 000", "plt/000_*.plt"), ("T-Drive, taxi 1", "tdrive/1.txt")):
        if paths := sorted(places.glob(pattern)):
            found[title] = first_events([one for path in paths for one in read(path).series], events)
    for path in places.glob("gz/geolife_sample.txt.gz"):
        found |= {f"Geolife, user {one.name}": first_events([one], events) for one in read(path).series}
    return found
