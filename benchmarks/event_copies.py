"""Which changed copies of an upload its hashes of events recognise: python -m benchmarks.event_copies

Writes the tables of docs/results/ledger.md. Every number is of a fixed seed, so tests/test_claims_results.py finds a
page that is not of this code. The share is that of the smaller upload's events, of the changed copy at hand against the
original as stored.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.stream_tables import table
from benchmarks.written import write
from privacy_engine.data import CheckIns, CountStream, Trajectory
from privacy_engine.data.event_hashes import EventHashes, Keys, event_hashes, shared

PAGE = Path(__file__).resolve().parents[1] / "docs" / "results" / "ledger.md"
KEYS = Keys(*(bytes(range(first, first + 16)) for first in range(4)))
METRE = 1 / 111_195
"""Degrees of latitude."""
ALL, NONE = 0.999, 0.001
"""Shares of events from which, or up to which, a copy is found, or not found."""


@dataclass(frozen=True)
class Fixes:
    """Positions and times, in the order of time; ``time_s`` is None where they were left out."""

    lon: np.ndarray
    lat: np.ndarray
    time_s: np.ndarray

    def __getitem__(self, chosen: Any) -> Fixes:
        return Fixes(self.lon[chosen], self.lat[chosen], self.time_s[chosen])

    def at(self, lon: np.ndarray, lat: np.ndarray) -> Fixes:
        return Fixes(lon, lat, self.time_s)

    def when(self, time_s: np.ndarray) -> Fixes:
        return Fixes(self.lon, self.lat, time_s)

    def and_(self, other: Fixes) -> Fixes:
        return Fixes(*(np.concatenate(pair) for pair in zip(self._all(), other._all(), strict=True)))

    def _all(self) -> tuple[np.ndarray, ...]:
        return self.lon, self.lat, self.time_s

    @property
    def data(self) -> list[Trajectory]:
        order = np.argsort(self.time_s, kind="stable")
        return [Trajectory(self.lon[order], self.lat[order], self.time_s[order])]


def drive(n: int, step_s: float, seed: int) -> Fixes:
    """A fix every ``step_s`` of someone who drives or is somewhere: 3 m of noise, positions of seven decimals."""
    rng = np.random.default_rng(seed)
    driving = np.repeat(rng.random(n // 30 + 1) < 0.5, 30)[:n]
    heading = np.cumsum(rng.normal(0, 0.3, n))
    metres = driving * rng.uniform(3, 20, n) * min(step_s, 60)
    east = np.cumsum(metres * np.cos(heading)) % 40_000 + rng.normal(0, 3, n)
    north = np.cumsum(metres * np.sin(heading)) % 40_000 + rng.normal(0, 3, n)
    time_s = 1.7e9 + np.cumsum(np.round(rng.normal(step_s, step_s / 20, n), 3))
    return Fixes((8 + east * METRE / 0.7).round(7), (45 + north * METRE).round(7), time_s)


def visits(n: int, seed: int) -> Fixes:
    """Check-ins at 500 places, some of which are visited much more often than others."""
    places = np.random.default_rng(0)
    rng = np.random.default_rng(seed)
    lon, lat = 8 + places.random(500) * 0.3, 45 + places.random(500) * 0.3
    at = np.minimum(rng.zipf(1.4, n) - 1, 499)
    return Fixes(lon[at].round(7), lat[at].round(7), 1.7e9 + np.cumsum(np.round(rng.exponential(3600, n))))


ORIGINALS: Mapping[str, tuple[Fixes, Fixes]] = {
    "a fix every 10 s": (drive(20_000, 10, 1), drive(20_000, 10, 2)),
    "a fix every 5 min": (drive(20_000, 300, 1), drive(20_000, 300, 2)),
    "check-ins": (visits(20_000, 1), visits(20_000, 2)),
}
"""Of each sort an upload, and one of another person."""

Change = Callable[[Fixes, Fixes], Fixes]


def rounded(digits: int) -> Change:
    return lambda one, _: one.at(one.lon.round(digits), one.lat.round(digits))


def cut_off(digits: int) -> Change:
    times = 10**digits
    return lambda one, _: one.at(np.floor(one.lon * times) / times, np.floor(one.lat * times) / times)


def to(seconds: float) -> Change:
    return lambda one, _: one.when(np.round(one.time_s / seconds) * seconds)


def down_to(seconds: float) -> Change:
    return lambda one, _: one.when(one.time_s // seconds * seconds)


def later(seconds: float) -> Change:
    return lambda one, _: one.when(one.time_s + seconds)


def summer(one: Fixes, _: Fixes) -> Fixes:
    return one.when(one.time_s + np.where(np.arange(len(one.lon)) < len(one.lon) // 2, 3600, 7200))


def moved(metres: float) -> Change:
    return lambda one, _: one.at(one.lon + metres * METRE / np.cos(np.radians(one.lat)), one.lat + metres * METRE)


def noisy(metres: float) -> Change:
    def change(one: Fixes, _: Fixes) -> Fixes:
        east, north = np.random.default_rng(0).normal(0, metres * METRE, (2, len(one.lon)))
        return one.at(one.lon + east / np.cos(np.radians(one.lat)), one.lat + north)

    return change


def mixed(share: float, change: Change) -> Change:
    """``share`` of the copy is changed, the rest is another person's."""

    def change_part(one: Fixes, stranger: Fixes) -> Fixes:
        n = int(share * len(one.lon))
        return change(one[:n], stranger).and_(stranger[n:])

    return change_part


def means(seconds: float) -> Change:
    """One fix for each interval in which there are some: their mean, at its middle."""

    def change(one: Fixes, _: Fixes) -> Fixes:
        which, index = np.unique(one.time_s // seconds, return_inverse=True)
        lon, lat = (np.bincount(index, column) / np.bincount(index) for column in (one.lon, one.lat))
        return Fixes(lon, lat, (which + 0.5) * seconds)

    return change


def interpolated(seconds: float) -> Change:
    def change(one: Fixes, _: Fixes) -> Fixes:
        times = np.arange(one.time_s[0], one.time_s[-1], seconds)[: 2 * len(one.lon)]
        return Fixes(np.interp(times, one.time_s, one.lon), np.interp(times, one.time_s, one.lat), times)

    return change


def after(first: Change, then: Change) -> Change:
    return lambda one, stranger: then(first(one, stranger), stranger)


SHUFFLED = np.random.default_rng(0).permutation(20_000)
FIXES: Mapping[str, Change] = {
    "the same events in another order, format or division into series": lambda one, _: one[SHUFFLED],
    "a part of the events, down to a single one": lambda one, _: one[7_000:7_001],
    "every second event": lambda one, _: one[::2],
    "a third of the events, with two thirds of another person's": mixed(1 / 3, lambda one, _: one),
    "times in another time zone": later(-5.75 * 3600),
    "times of the zones furthest apart, 26 hours": later(26 * 3600),
    "local times that change to summer time": summer,
    "more than half of the events in another time zone": mixed(0.55, later(3600)),
    "positions rounded to 5 decimals": rounded(5),
    "positions rounded to 4 decimals": rounded(4),
    "positions rounded to 3 decimals": rounded(3),
    "positions cut off after 4 decimals": cut_off(4),
    "times rounded to the second": to(1),
    "times rounded to the minute": to(60),
    "times cut off to the minute": down_to(60),
    "positions rounded to 3 decimals and times cut off to the minute": after(rounded(3), down_to(60)),
    "positions moved by 50 m to the north and to the east": moved(50),
    "positions with noise of 10 m (standard deviation to the north and to the east)": noisy(10),
    "times up to a minute later": later(60),
    "more than half of the events, with positions rounded to 3 decimals": mixed(0.55, rounded(3)),
    "positions cut off after 3 decimals": cut_off(3),
    "positions rounded to 2 decimals": rounded(2),
    "positions moved by 200 m, as another geodetic datum does": moved(200),
    "positions with noise of 30 m (standard deviation to the north and to the east)": noisy(30),
    "positions with noise of 100 m": noisy(100),
    "longitude and latitude exchanged": lambda one, _: one.at(one.lat, one.lon),
    "times rounded to 5 minutes": to(300),
    "times rounded to the hour": to(3600),
    "times 5 minutes later": later(300),
    "times a week later": later(7 * 86_400),
    "another time zone and positions rounded to 3 decimals": after(later(3600), rounded(3)),
    "another time zone and times cut off to the minute": after(later(3600), down_to(60)),
    "means of 5 minutes": means(300),
    "means of 30 minutes": means(1800),
    "positions interpolated at other times": interpolated(60),
    "less than half of the events in another time zone": mixed(0.45, later(3600)),
    "less than half of the events, with positions rounded to 3 decimals": mixed(0.45, rounded(3)),
}
"""How a copy of fixes or check-ins with positions was changed; the events of another person are added to some."""

COPIED = {
    "a third of the events, with two thirds of another person's": 1 / 3,
    "more than half of the events in another time zone": 0.55,
    "more than half of the events, with positions rounded to 3 decimals": 0.55,
}
"""The share of a copy's events that are the original's, where that is not all."""


def without_times() -> Mapping[str, tuple[Any, Any]]:
    """Kind and data of an original and its copy, by what was changed where there are no positions or no times."""
    one = ORIGINALS["a fix every 10 s"][0]
    untimed = [Trajectory(one.lon, one.lat)]
    seen = ORIGINALS["check-ins"][0]
    place = np.unique(seen.lon, return_inverse=True)[1]
    names = [f"place {i}" for i in range(place.max() + 1)]

    def at_places(time_s: np.ndarray, called: Sequence[str] = names) -> tuple[str, CheckIns]:
        return "checkins", CheckIns(np.zeros(len(place), int), ["a"], time_s, place=place, places=called)

    counts = np.random.default_rng(0).poisson(3.0, (500, 20)).astype(float)

    def counted(
        values: np.ndarray, shift_s: float = 0, step_s: float = 3600, prefix: str = ""
    ) -> tuple[str, CountStream]:
        times = 1.7e9 + shift_s + np.arange(len(values)) * step_s
        labels = [f"{time:.0f}" for time in times]
        return "stream", CountStream(values, [f"{prefix}{i}" for i in range(20)], labels, times)

    places, stream = at_places(seen.time_s), counted(counts)
    return {
        "positions without times: a part": (("trajectory", untimed), ("trajectory", [untimed[0].first(100)])),
        "check-ins without positions, in another time zone": (places, at_places(seen.time_s + 3600)),
        "counts: some timestamps": (stream, counted(counts[:100])),
        "times left out of one of two uploads": (("trajectory", one.data), ("trajectory", untimed)),
        "positions without times, rounded to 5 decimals": (
            ("trajectory", untimed),
            ("trajectory", [Trajectory(one.lon.round(5), one.lat.round(5))]),
        ),
        "check-ins without positions, times cut off to the minute": (places, at_places(seen.time_s // 60 * 60)),
        "check-ins without positions, places named in another way": (
            places,
            at_places(seen.time_s, [name.upper() for name in names]),
        ),
        "check-ins with positions, and with places alone": (("trajectory", seen.data), places),
        "counts: in another time zone": (stream, counted(counts, shift_s=1800)),
        "counts: sums of two timestamps": (stream, counted(counts[::2] + counts[1::2], step_s=7200)),
        "counts: every count changed": (stream, counted(counts + 1)),
        "counts: streams named in another way": (stream, counted(counts, prefix="n")),
        "counts, and the events that they are of": (stream, ("trajectory", one.data)),
    }


def stored_of(original: tuple[str, Any]) -> EventHashes:
    """What is stored of an upload."""
    return EventHashes.from_bytes(event_hashes(*original, KEYS).to_bytes())


def found(stored: EventHashes, copy: tuple[str, Any]) -> tuple[float, str]:
    """The share of the smaller one's events that are found, and how."""
    result = shared(event_hashes(*copy, KEYS), stored)
    return (0.0, "") if result is None else (result.share, ", ".join(result.ways))


def verdict(shares: Iterable[float]) -> str:
    """Of a change, by the shares found of what could be: "found", "in part" or "not found"."""
    given = list(shares)
    if min(given) >= ALL:
        return "found"
    return "not found" if max(given) <= NONE else "in part"


def measured() -> tuple[list[list[str]], list[list[str]]]:
    """The rows of both tables: what was changed, shares and how they were found, the verdict."""
    fixes, stored = [], [stored_of(("trajectory", one.data)) for one, _ in ORIGINALS.values()]
    for name, change in FIXES.items():
        results = [
            found(of, ("trajectory", change(*both).data)) for of, both in zip(stored, ORIGINALS.values(), strict=True)
        ]
        decided = verdict(share / COPIED.get(name, 1.0) for share, _ in results)
        fixes.append([name, *(_shown(*result) for result in results), decided])
    rest = []
    for name, (original, copy) in without_times().items():
        result = found(stored_of(original), copy)
        rest.append([name, _shown(*result), verdict([result[0]])])
    return fixes, rest


def _shown(share: float, how: str) -> str:
    return f"{100 * share:.3g} % {how}" if share else "–"


def tables(fixes: list[list[str]], rest: list[list[str]]) -> str:
    """The rows as docs/explanation/ledger.md has them."""
    return f"{table(['copy', *ORIGINALS, 'result'], fixes)}\n\n{table(['copy', 'share', 'result'], rest)}"


def main() -> None:
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    write(PAGE, tables(*measured()))


if __name__ == "__main__":
    main()
