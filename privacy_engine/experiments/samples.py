"""Generated samples of counts and of check-ins, as tables. Synthetic: nothing in them was recorded."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from privacy_engine.core.instants import instant
from privacy_engine.data import CheckIns, CountStream
from privacy_engine.experiments.generated import CityCheckIns, PoissonStream

DISTRICTS = ("Station", "Old town", "University", "Market", "Harbour", "Gardens")
WEEKS = 2
STARTS_S = datetime(2024, 5, 6, tzinfo=UTC).timestamp()
"""A Monday."""


@dataclass(frozen=True)
class TableSample:
    """A generated table: its title, the kind of its data and what generates its rows, the header first."""

    title: str
    kind: str
    file_name: str
    rows: Callable[[], Iterable[Sequence[Any]]]


def _visits() -> Iterable[Sequence[Any]]:
    hours = 7 * 24 * WEEKS
    stream = PoissonStream(timestamps=hours, dimensions=len(DISTRICTS), mean=60.0, seed=20240506).data()
    yield "time", *DISTRICTS
    for hour, counts in enumerate(stream.counts.astype(int).tolist()):
        yield instant(STARTS_S + 3600 * hour), *counts


def _city() -> Iterable[Sequence[Any]]:
    checkins = CityCheckIns(users=300, per_user=20, seed=20240506).data()
    assert checkins.place is not None
    assert checkins.lon is not None
    assert checkins.lat is not None
    yield "user_id", "time", "place_id", "lat", "lon"
    columns = (checkins.user, checkins.time_s, checkins.place, checkins.lat.round(6), checkins.lon.round(6))
    for user, time_s, place, lat, lon in zip(*(column.tolist() for column in columns), strict=True):
        yield checkins.users[user], instant(STARTS_S + time_s), checkins.places[place], lat, lon


def table_samples() -> list[TableSample]:
    """A sample of counts and of check-ins, always the same.

    >>> [(sample.kind, list(next(iter(sample.rows())))[:3]) for sample in table_samples()]
    [('stream', ['time', 'Station', 'Old town']), ('checkins', ['user_id', 'time', 'place_id'])]
    """
    return [
        TableSample("Visits to six districts by hour", CountStream.kind, "visits.csv", _visits),
        TableSample("Check-ins of a city", CheckIns.kind, "check-ins.csv", _city),
    ]
