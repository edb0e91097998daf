"""Series that the benchmarks share."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from privacy_engine.data import Trajectory


def wandering(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A walk that pauses: (lon, lat, time) with a fix every 5 s."""
    rng = np.random.default_rng(1)
    steps = rng.normal(0, 1e-4, (2, n)) * (np.sin(np.arange(n) / 500) > 0)
    return 116.4 + np.cumsum(steps[0]) % 1, 39.9 + np.cumsum(steps[1]) % 1, np.arange(n) * 5.0


GEOLIFE = Path("geolife", "geolife-1.3.parquet")
READINGS = {"Geolife, user 174": "li08_def"}
"""How stays are read where not as "seed": with these the landmark paper's settings give its shares of landmarks."""


def geolife(data: Path, events: int, users: Sequence[int] = range(182)) -> dict[str, Trajectory]:
    """The first events of the users of Geolife 1.3 with as many, by title; without fixes that are out of range."""
    import pyarrow.parquet as pq

    found: dict[str, Trajectory] = {}
    columns, which = ["user", "time_s", "lon_e6", "lat_e6"], [("user", "in", list(users))]
    table = pq.read_table(data / GEOLIFE, columns=columns, filters=which)
    user, time_s, lon, lat = (table[name].to_numpy() for name in table.column_names)
    for one in np.unique(user):
        at = np.flatnonzero((user == one) & (np.abs(lat) <= 90_000_000) & (np.abs(lon) <= 180_000_000))
        at = at[np.argsort(time_s[at], kind="stable")][:events]
        if len(at) == events:
            found[f"Geolife, user {one:03}"] = Trajectory(lon[at] / 1e6, lat[at] / 1e6, time_s[at].astype(np.float64))
    return found


def real(data: Path, events: int) -> dict[str, Trajectory]:
    """The first events of the real files that are there, by title; they are not part of the repository."""
    from privacy_engine.experiments.synthetic_series import first_events
    from privacy_engine.formats import read

    places, found = data / "trajectories", {}
    files = [("Geolife, user 000", "plt/000_*.plt"), *((f"T-Drive, taxi {i}", f"tdrive/{i}.txt") for i in (1, 2))]
    for title, pattern in files:
        if paths := sorted(places.glob(pattern)):
            found[title] = first_events([one for path in paths for one in read(path).series], events)
    for path in places.glob("gz/geolife_sample.txt.gz"):
        found |= {f"Geolife, user {one.name}": first_events([one], events) for one in read(path).series}
    if (data / GEOLIFE).exists():
        found |= geolife(data, events, [int(title[-3:]) for title in READINGS])
    return found
