"""Which events two uploads share, by sets and a comparison of every pair: what the engine is checked against."""

import math
from collections import Counter

from privacy_engine.core.geo import EARTH_RADIUS_M

Event = tuple
QUARTER_MS = 900_000


def events_of(series):
    found = set()
    for one in series:
        for lon, lat, time_s in zip(one.lon.tolist(), one.lat.tolist(), one.time_s.tolist(), strict=True):
            east = round(lon * 1e7)
            found.add((1_800_000_000 if east == -1_800_000_000 else east, round(lat * 1e7), round(time_s * 1000)))
    return found


def width(row):
    """Steps from one column of cells to the next in a row, whose rows are numbered from the south pole."""
    end = max(abs(row * 5000 - 900_000_000), abs((row + 1) * 5000 - 900_000_000)) * 1e-7
    steps = 5000
    while steps < 640_000 and math.radians(steps * 1e-7) * EARTH_RADIUS_M * math.cos(math.radians(end)) < 50:
        steps *= 2
    return steps


def cell(event):
    east, north, ms = event
    return (east + 1_800_000_000) % 3_600_000_000, (north + 900_000_000) // 5000, ms // 60_000


def neighbours(one, other):
    if abs(one[2] - other[2]) >= 120_000 or abs(one[1] - other[1]) >= 10_000:
        return False
    (east, row, minute), (east_2, row_2, minute_2) = cell(one), cell(other)
    if abs(row - row_2) > 1 or abs(minute - minute_2) > 1:
        return False
    wide = max(width(row), width(row_2))
    apart = abs(east // wide - east_2 // wide)
    return min(apart, 3_600_000_000 // wide - apart) <= 1


def shared(one, other):
    found = {"same": (one & other, one & other)}
    for way, look in (("zone", _shifted), ("moved", _moved)):
        left = [side - set().union(*(pair[i] for pair in found.values())) for i, side in enumerate((one, other))]
        pair = look(*left)
        if _most(pair, left):
            found[way] = pair
    return {way: pair for way, pair in found.items() if pair[0]}


def _most(pair, left):
    n = min(map(len, left))
    return n > 0 and any(2 * len(part) >= n for part, all_ in zip(pair, left, strict=True) if len(all_) == n)


def _shifted(one, other):
    phases = {(east, north, ms % QUARTER_MS) for east, north, ms in other}
    held = {event for event in one if (event[0], event[1], event[2] % QUARTER_MS) in phases}
    own = {(east, north, ms % QUARTER_MS) for east, north, ms in held}
    holding = {event for event in other if (event[0], event[1], event[2] % QUARTER_MS) in own}
    if not _most((held, holding), (one, other)):
        return set(), set()
    by_place = {}
    for east, north, ms in other:
        by_place.setdefault((east, north), []).append(ms)
    shifts = ((event, ms, ms - event[2]) for event in held for ms in by_place[event[:2]])
    pairs = [(event, (*event[:2], ms), by) for event, ms, by in shifts if by and by % QUARTER_MS == 0]
    pairs = [pair for pair in pairs if abs(pair[2]) <= 26 * 3_600_000]
    explained = Counter(shift for *_, shift in pairs)
    chosen = [pair for pair in pairs if explained[pair[2]] >= max(0.05 * len(held), 1)]
    return {pair[0] for pair in chosen}, {pair[1] for pair in chosen}


def _moved(one, other):
    pairs = [(event, its) for event in one for its in other if neighbours(event, its)]
    return {pair[0] for pair in pairs}, {pair[1] for pair in pairs}


def classes(events, held):
    return Counter(frozenset(upload for upload, its in held.items() if event in its) for event in events)
