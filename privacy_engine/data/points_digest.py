"""The digest of what a release publishes: the same for every format it is exported to, and computable from each."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

import numpy as np

from privacy_engine.core.arrays import PIECE, Floats, Ints, parts_of
from privacy_engine.core.progress import blocks, reported
from privacy_engine.data.mapped_series import leaving, piecewise
from privacy_engine.data.trajectories import Trajectories, in_blocks
from privacy_engine.data.types import Trajectory

CELLS_PER_DEGREE = 10_000_000
NO_TIME = np.iinfo(np.int64).min
_SURROGATES = re.compile("[\ud800-\udfff]")
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class SeriesOnGrid(NamedTuple):
    """One series as whole numbers.

    ``lon`` and ``lat`` (n,) are multiples of 1e-7 degrees, ``time_ms`` (n,) milliseconds since 1970-01-01 UTC,
    :data:`NO_TIME` where there is none. ``person`` names its person.
    """

    name: str
    lon: Ints
    lat: Ints
    time_ms: Ints
    person: str = ""


def on_grid(series: Trajectories) -> Iterator[SeriesOnGrid]:
    """Series as they are exported: rounded to the grid and to milliseconds."""
    lon, lat = (_units(axis, CELLS_PER_DEGREE) for axis in (series.lon, series.lat))
    time_ms = np.full(len(lon), NO_TIME) if series.time_s is None else _units(series.time_s, 1e3)
    columns = (parts_of(column, series.starts) for column in (lon, lat, time_ms))
    for name, person, *parts in zip(series.names, series.persons, *columns, strict=True):
        east, north, instants = parts
        yield SeriesOnGrid(plain_name(name), east, north, instants, plain_name(person))


def _units(values: Floats, per: float) -> Ints:
    return piecewise(lambda some: np.round(some * per), values, dtype=np.int64)


def plain_name(name: str) -> str:
    """``name`` as every format can hold it: without control characters, lone surrogates as question marks.

    >>> plain_name("a\\x07b\\ud800")
    'ab?'
    """
    return _NOT_IN_XML.sub("", _SURROGATES.sub("?", name))


def points_digest(series: Iterable[SeriesOnGrid]) -> str:
    """SHA-256 of series in their order: names, positions and times, and people where there are several.

    Series without events count for nothing and neighbours of one name and person as one, since not every format can
    distinguish them. The digest detects damage or other data. It is no signature: whoever forges a file can compute it
    too.

    >>> part = SeriesOnGrid("a", np.array([85000000]), np.array([473000000]), np.array([NO_TIME]))
    >>> points_digest([part, part]) == points_digest([part])
    False
    """
    of_one, of_several = hashlib.sha256(b"cairn points 1\n"), hashlib.sha256(b"cairn points 1\n")
    people = set[str]()  # whether there are several is known at the end, and the series are seen once
    held = (part for part in series if len(part.lon))
    for (name, person), parts in groupby(reported(held), key=lambda part: (part.name, part.person)):
        group = list(parts)
        people.add(person)
        columns = [getattr(group[0], column) for column in ("lon", "lat", "time_ms")]
        if len(group) > 1:
            columns = [np.concatenate([getattr(run, column) for run in group]) for column in ("lon", "lat", "time_ms")]
        for digest, key in ((of_one, [name]), (of_several, [name, person])):
            if digest is of_one and len(people) > 1:
                continue
            digest.update(json.dumps([*key, len(columns[0])]).encode() + b"\n")
            for some in columns if len(columns[0]) <= PIECE else _pieces(columns):
                digest.update(np.ascontiguousarray(some, dtype="<i8").data)
    return (of_several if len(people) > 1 else of_one).hexdigest()


def _pieces(columns: Iterable[Ints]) -> Iterator[Ints]:
    for column in columns:
        yield from (column[some] for some in leaving([column], blocks(len(column))))


def trajectories_digest(series: Iterable[Trajectory]) -> str:
    """:func:`points_digest` of series that are going to be exported."""
    return blocks_digest(in_blocks(series))


def blocks_digest(blocks: Iterable[Trajectories]) -> str:
    """:func:`trajectories_digest` of the series of all blocks."""
    return points_digest(part for some in blocks for part in on_grid(some))
