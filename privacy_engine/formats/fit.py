"""FIT, the binary files of Garmin and others: the position and time of each record message, and nothing else.

Written here in a hundred lines, since the libraries for it decode everything, slowly, and let damage through as
errors of any type. Layout: https://developer.garmin.com/fit/protocol/
"""

import itertools
import struct
from dataclasses import dataclass, field

from privacy_engine.core.plurals import quantity
from privacy_engine.core.progress import ROWS, reported
from privacy_engine.data import Trajectory
from privacy_engine.errors import FormatError
from privacy_engine.formats.crs import SEMICIRCLE
from privacy_engine.formats.detect import Format, register
from privacy_engine.formats.options import ReadOptions
from privacy_engine.formats.report import Report
from privacy_engine.formats.rows import Rows
from privacy_engine.formats.series import build
from privacy_engine.formats.source import Source
from privacy_engine.formats.times_of_day import note_follows

_EPOCH_S = 631_065_600  # 1989-12-31 UTC, the beginning of FIT's seconds
_RECORD, _LAT, _LON, _TIMESTAMP = 20, 0, 1, 253
_NO_POSITION, _NO_TIME = 0x7FFFFFFF, 0xFFFFFFFF
_OLDEST_DATE_S = 0x10000000  # below it seconds count from when the device was switched on


class _Damage(Exception):
    """The next bytes are no message."""


@dataclass
class _Layout:
    """How the data messages of a local type are laid out: bytes, and offset of each field of four bytes."""

    message: int
    size: int
    order: str
    fields: dict[int, int]


@dataclass
class _State:
    rows: Rows = field(default_factory=Rows)
    layouts: dict[int, _Layout] = field(default_factory=dict)
    time: int | None = None
    records: int = 0
    located: int = 0
    follow: int = 0  # records without a whole time of their own


def read(source: Source, options: ReadOptions, report: Report) -> list[Trajectory]:
    """The timeline of a FIT file; of a damaged one as far as it can be read."""
    report.unit = "record"
    data = source.read()
    state = _State()
    at = 0
    try:
        while at < len(data):
            at = _file(data, at, state)
    except (_Damage, struct.error, IndexError, ValueError):
        if not state.records:
            raise FormatError("The FIT file is damaged: no record can be read.", code="bad_fit") from None
        report.note("cut_off", f"The file is damaged after record {state.records}; what came before was read.")
    if options.time != "#0":
        note_follows(state.follow, "record", report)
    if not state.located:
        what = f"holds {quantity(state.records, 'record')}, none with a position: it was recorded without GPS"
        message = f"The FIT file {what if state.records else 'holds no records: it is no track'}."
        raise FormatError(message, code="no_points")
    return build(state.rows.points(options), options, report)


def _file(data: bytes, start: int, state: _State) -> int:
    """Read a FIT file, of which several may follow each other; where it ends, with its checksum."""
    head = data[start]
    (size,) = struct.unpack_from("<I", data, start + 4)
    if head not in (12, 14) or data[start + 8 : start + 12] != b".FIT":
        raise _Damage
    state.layouts.clear()
    at = start + head
    end = at + size if size else len(data) - 2  # 0: the device never came to write the size
    for _ in reported(itertools.count(), ROWS):
        if at >= end:
            break
        at = _message(data, at, state)
    return at + 2


def _message(data: bytes, at: int, state: _State) -> int:
    """Read the message at ``at``; where the next begins."""
    header = data[at]
    if header & 0x80:  # a data message with five bits of its time
        local = header >> 5 & 0x03
        if state.time is not None:
            state.time += (header & 0x1F) - state.time & 0x1F
        return _values(data, at + 1, local, state)
    if header & 0x40:
        return _definition(data, at + 1, header, state)
    return _values(data, at + 1, header & 0x0F, state)


def _definition(data: bytes, at: int, header: int, state: _State) -> int:
    big = data[at + 1]
    if big > 1:
        raise _Damage
    order = ">" if big else "<"
    (message,) = struct.unpack_from(order + "H", data, at + 2)
    offset, fields = 0, {}
    count = data[at + 4]
    at += 5
    for _ in range(count):
        number, size, _kind = data[at : at + 3]
        if size == 4:
            fields[number] = offset
        offset += size
        at += 3
    if header & 0x20:
        for _ in range(data[at]):
            offset += data[at + 2]
            at += 3
        at += 1
    state.layouts[header & 0x0F] = _Layout(message, offset, order, fields)
    return at


def _values(data: bytes, at: int, local: int, state: _State) -> int:
    layout = state.layouts.get(local)
    if layout is None or at + layout.size > len(data):
        raise _Damage
    if _TIMESTAMP in layout.fields:
        (time,) = struct.unpack_from(layout.order + "I", data, at + layout.fields[_TIMESTAMP])
        state.time = None if time == _NO_TIME else time
    if layout.message == _RECORD:
        state.follow += _TIMESTAMP not in layout.fields
        state.records += 1
        lat, lon = (_degrees(data, at, layout, number) for number in (_LAT, _LON))
        state.located += lat is not None and lon is not None
        dated = state.time is not None and state.time >= _OLDEST_DATE_S
        state.rows.add(lon, lat, float((state.time or 0) + _EPOCH_S) if dated else None, state.records)
    return at + layout.size


def _degrees(data: bytes, at: int, layout: _Layout, number: int) -> float | None:
    if number not in layout.fields:
        return None
    (value,) = struct.unpack_from(layout.order + "i", data, at + layout.fields[number])
    return None if value == _NO_POSITION else value * SEMICIRCLE


def sniff(head: bytes) -> bool:
    """Whether the signature of FIT is in its place."""
    return head[8:12] == b".FIT"


FIT = register(
    Format(
        "fit",
        "FIT (Garmin)",
        ("fit",),
        sniff,
        read,
        rank=12,
        keeps="times",
        options=("time",),
        person="everything is one person's: a file is one device's",
        source="https://developer.garmin.com/fit/protocol/",
    )
)
