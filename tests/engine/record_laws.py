"""What reading a file again must leave as it was, if one of its records is left out, changed or moved."""

from collections import Counter, namedtuple

from privacy_engine.data import CheckIns, CountStream
from privacy_engine.errors import ChoiceNeeded, EngineError, FormatError
from privacy_engine.formats import KINDS
from tests.engine.format_samples import read_bytes

FOLLOWS, NUMBERED, FOLD = "times_follow", "numbered_series", "dst_fold"
JOINED = {"joined_ends", "one_instant"}
"""Codes of the notes that name what still depends on other records."""


class Refused(Exception):
    """A file that cannot be read, whatever its owner chooses."""


First = namedtuple("First", ("reading", "options", "kinds", "data"))
"""The first reading of a file, the options for every later one, and what was read."""


def first_reading(file, rng):
    """Read a file as its owner does, who answers what is requested."""
    data, options = file.render(file.records), dict(file.options)
    several = file.kind != "trajectory" and rng.random() < 0.3
    for _ in range(6):
        try:
            reading = read_bytes(data, file.name, kinds=KINDS if several else (file.kind,), **options)
        except ChoiceNeeded as choice:
            if choice.parameter in options:
                break
            chosen = choice.default if rng.random() < 0.7 else None
            options[choice.parameter] = chosen or rng.choice(choice.choices)[0]
        except EngineError:
            break
        else:
            decided = reading.report.as_dict()["decided"]
            return First(reading, {**options, **decided}, (reading.kind,), data)
    raise Refused


def again(file, found, first):
    """The reading of other records with the decided options; None for a file that cannot be read at all."""
    try:
        data = first.data if found is file.records else file.render(found)
        return read_bytes(data, file.name, kinds=first.kinds, **first.options)
    except ChoiceNeeded as choice:
        raise AssertionError(f"{choice.parameter} was not decided: {choice.message}") from choice
    except FormatError:
        return None


def codes(*readings):
    return {note["code"] for one in readings if one is not None for note in one.report.notes}


def rows_of(reading, named=()):
    """The rows of a reading as what a release is made of; without what the notes ``named`` name."""
    if reading is None:
        return []
    other = reading.other
    if isinstance(other, CountStream):
        times = list(other.labels) if other.time_s is None else _folded(other.time_s.tolist(), named)
        numbered = other.time_s is None and times == [str(i + 1) for i in range(len(times))]
        return [
            ("" if numbered else time, name, count)
            for time, counts in zip(times, other.counts.tolist(), strict=True)
            for name, count in zip(other.names, counts, strict=True)
            if count
        ]
    if isinstance(other, CheckIns):
        columns = [[other.users[i] for i in other.user], _folded(other.time_s.tolist(), named)]
        columns += [] if other.place is None else [[other.places[i] for i in other.place]]
        columns += [] if other.lon is None or other.lat is None else [other.lon.tolist(), other.lat.tolist()]
        return list(zip(*columns, strict=True))
    found = []
    for one in reading.series:
        times = [None] * len(one) if one.time_s is None or FOLLOWS in named else one.time_s.tolist()
        times = times if None in times else _folded(times, named)
        marks = [False] * len(one) if one.marked is None else one.marked.tolist()
        name = ("", "") if NUMBERED in named else (one.name, one.person)
        lon, lat = ([round(x, 9) + 0.0 for x in axis.tolist()] for axis in (one.lon, one.lat))
        found += [(*name, time, *rest) for time, *rest in zip(times, lon, lat, marks, strict=True)]
    return found


def _folded(times, named):
    """Instants of which the hour is not known, if the file has times of an hour that came twice."""
    return [time % 3600 for time in times] if FOLD in named else times


def unknown(file, first):
    """Whether records are not known by their latitudes, since their owner chose another unit than they are in."""
    if first.options.get("crs") == "EPSG:3857" != file.options.get("crs"):
        return True
    lats = {lat for one in file.records for lat in one.lats}
    rows = rows_of(first.reading)
    return 2 * sum(_is_of(row, lats) for row in rows) < len(rows)


def check(before, after, old, new=()):
    """Every row is as it was but those of one record, known by ``old``, and of one in its place, known by ``new``."""
    named = codes(before, after)
    rows = rows_of(before, named), rows_of(after, named)
    if before.kind == "stream":
        _check_counts(*rows, len(new))
    else:
        _check(*rows, old, new, named)


def _check(before, after, old, new, named):
    gone, come = (list((Counter(a) - Counter(b)).elements()) for a, b in ((before, after), (after, before)))
    own = [row for row in gone if _is_of(row, old)] + [row for row in come if _is_of(row, new)]
    joined = {row[:3] for row in own} if JOINED & named else set()
    for rows, lats, what in ((gone, old, "lost"), (come, new, "new")):
        others = [row for row in rows if not _is_of(row, lats) and row[:3] not in joined]
        if FOLLOWS in named:  # sentences of one time are one fix
            others = others if len(others) > 2 * len(lats) + 2 else []
        assert not others, f"{what} of other records: {others[:4]}"
        assert len(rows) <= len(lats) + len(joined) or FOLLOWS in named, f"more {what} than the record has: {rows[:4]}"
    once = {row for row, count in (Counter(before) + Counter(after)).items() if count == 2 and row in before}
    if FOLLOWS not in named:  # series follow each other in the order in which they begin in the file
        orders = (sorted((row for row in rows if row in once), key=_series) for rows in (before, after))
        assert next(orders) == next(orders), "another order"


def _series(row):
    return str(row[0]), str(row[1]) if isinstance(row[1], str) else ""


def _check_counts(before, after, more):
    changed = {row[:2] for a, b in ((before, after), (after, before)) for row in (Counter(a) - Counter(b)).elements()}
    times = {time for time, _ in changed}
    assert len(times) <= 1 + more, f"counts of other timestamps: {sorted(map(str, changed))[:6]}"


def _is_of(row, lats):
    numbers = [value for value in row if isinstance(value, float)]
    if len(row) == 6 and abs(row[3]) < 1 and abs(row[4]) < 1:  # written in another unit than the owner chose
        return True
    return any(lat is None or any(abs(lat - value) < 3e-4 for value in numbers) for lat in lats)
