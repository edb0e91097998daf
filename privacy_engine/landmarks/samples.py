"""Generated samples: a dense walk, a sparse taxi day, the eight-event day in Paris. Synthetic movements."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property

import numpy as np

from privacy_engine.core import geo
from privacy_engine.core.arrays import Floats
from privacy_engine.data import Trajectory
from privacy_engine.landmarks import LandmarkMethod, Manual, StayPoints


@dataclass(frozen=True)
class Sample:
    """A generated series with the landmark set that suits it."""

    title: str
    note: str
    generate: Callable[[], Trajectory]
    landmarks: LandmarkMethod
    name: str

    @cached_property
    def series(self) -> Trajectory:
        """The same for every call; generated when it is first requested."""
        return self.generate()


def _walk(
    rng: np.random.Generator, stops: list[tuple[float, float, float]], speed_mps: float, step_s: float, jitter_m: float
) -> tuple[Floats, Floats, Floats]:
    """Events every ``step_s`` seconds along ``stops`` (lon, lat, minutes stayed), with a bend and GPS jitter."""
    lon: list[Floats] = []
    lat: list[Floats] = []
    for here, there in zip(stops, [*stops[1:], None], strict=True):
        stay = max(int(here[2] * 60 / step_s), 1)
        lon.append(np.full(stay, here[0]))
        lat.append(np.full(stay, here[1]))
        if there is not None:
            metres = float(geo.distance_m(here[0], here[1], there[0], there[1]))
            part = np.linspace(0, 1, max(int(metres / speed_mps / step_s), 2), endpoint=False)[1:]
            bend = 0.12 * np.sin(np.pi * part) * rng.choice([-1, 1])
            lon.append(here[0] + (there[0] - here[0]) * part - (there[1] - here[1]) * bend)
            lat.append(here[1] + (there[1] - here[1]) * part + (there[0] - here[0]) * bend)
    x, y = np.concatenate(lon), np.concatenate(lat)
    drift = np.cumsum(rng.normal(0, jitter_m / 4, (2, x.size)), axis=1)
    drift -= np.linspace(0, 1, x.size) * drift[:, -1:]
    noise = np.clip(drift, -jitter_m * 3, jitter_m * 3) + rng.normal(0, jitter_m / 3, (2, x.size))
    x += noise[0] / (111_320 * np.cos(np.radians(y)))
    y += noise[1] / 111_320
    return x, y, np.arange(x.size, dtype=np.float64) * step_s


def _at(year: int, month: int, day: int, hour: int, minute: int = 0) -> float:
    return datetime(year, month, day, hour, minute, tzinfo=UTC).timestamp()


def _dense_walk() -> Trajectory:
    rng = np.random.default_rng(20081023)
    stops = [
        (2.3412, 48.8462, 35.0),
        (2.3522, 48.8530, 3.0),
        (2.3601, 48.8566, 40.0),
        (2.3488, 48.8606, 0.5),
        (2.3376, 48.8606, 45.0),
        (2.3271, 48.8638, 1.0),
        (2.3330, 48.8539, 32.0),
        (2.3412, 48.8462, 31.0),
    ]
    lon, lat, time_s = _walk(rng, stops, speed_mps=1.35, step_s=5.0, jitter_m=6.0)
    return Trajectory(lon.round(6), lat.round(6), _at(2024, 5, 14, 7) + time_s, name="walk")


def _taxi_day() -> Trajectory:
    """Fares round a grid of streets: to a rank nearby, first along a street, then along the crossing street."""
    rng = np.random.default_rng(366)
    n, speed_mps, step_s = 260, 5.0, 300.0
    east, north = np.meshgrid(116.34 + 0.024 * np.arange(6), 39.87 + 0.018 * np.arange(6))
    ranks = np.column_stack([east.ravel(), north.ravel()])
    events: list[tuple[float, float, float]] = []
    clock, here, before = 0.0, ranks[14], ranks[14]
    while len(events) < n:
        metres = geo.distance_m(here[0], here[1], ranks[:, 0], ranks[:, 1])
        near = ranks[(metres > 1000) & (metres < 6500) & (np.abs(ranks - before).sum(axis=1) > 1e-9)]
        there = near[rng.integers(len(near))]
        corner = np.array([there[0], here[1]] if rng.random() < 0.5 else [here[0], there[1]])
        for a, b in ((here, corner), (corner, there)):
            steps = round(float(geo.distance_m(a[0], a[1], b[0], b[1])) / speed_mps / step_s)
            for part in np.arange(1, steps + 1) / max(steps, 1):
                clock += step_s
                events.append((*(a + (b - a) * part + rng.normal(0, 3e-4, 2)), clock))
        for _ in range(int(rng.choice([0, 2, 9], p=[0.75, 0.1, 0.15]))):  # waits at a rank
            clock += step_s
            events.append((*(there + rng.normal(0, 1e-4, 2)), clock))
        before, here = here, there
    lon, lat, time_s = np.array(events[:n]).T
    return Trajectory(lon.round(5), lat.round(5), _at(2024, 2, 2, 0) + time_s, name="taxi")


def _paris_day() -> Trajectory:
    places = [
        (2.3166, 48.8703, 7, 30),  # home, by the Élysée
        (2.3255, 48.8664, 8, 20),
        (2.3376, 48.8606, 9, 0),  # work, at the Louvre
        (2.3488, 48.8645, 16, 40),
        (2.3659, 48.8712, 17, 0),  # dining, Canal Saint-Martin
        (2.3531, 48.8722, 19, 10),
        (2.3329, 48.8719, 19, 35),
        (2.3166, 48.8703, 20, 0),  # home again
    ]
    lon, lat, hour, minute = np.array(places).T
    return Trajectory(lon, lat, _at(2024, 6, 3, 0) + 3600 * hour + 60 * minute, name="Bob")


def samples() -> list[Sample]:
    """The three samples, always the same."""
    return [
        Sample(
            "Walk across Paris",
            "A fix every 5 s: dense, like Geolife.",
            _dense_walk,
            StayPoints(distance_m=100.0, duration_s=1800.0),
            "walk",
        ),
        Sample(
            "Taxi day, Beijing",
            "A fix every 5 min: sparse, like T-Drive.",
            _taxi_day,
            StayPoints(distance_m=300.0, duration_s=1800.0),
            "taxi",
        ),
        Sample(
            "A day in Paris (the paper's example)",
            "Eight events; home, work, Canal Saint-Martin and home again are landmarks.",
            _paris_day,
            Manual(events=[0, 2, 4, 7]),
            "paris",
        ),
    ]
