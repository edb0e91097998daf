"""Files of every readable format as lists of records, from which one may be left out or put in another's place.

A record is a row of a table, a fix, a feature, a placemark or a vertex of a line, never a header. The files are written
as careless people write them: other units, orders, zones, ranges and columns, in all records or in one.
"""

import datetime as dt
import json
import math
import random
from collections import namedtuple
from dataclasses import dataclass, field
from typing import NamedTuple

EPOCH = dt.datetime(1970, 1, 1)
SUMMER_S, AUTUMN_S = 1718445600, 1729992600  # 2024-06-15 10:00; 2024-10-27 01:30, before an hour that comes twice
STEP_S, LAT_STEP, LAT_START = 97, 0.013, 40.001
NO_UTF8 = "\udcff"
OTHER = 400
"""The number of the record that stands in for another."""


Record = namedtuple("Record", ("cells", "lats"))
"""What is written of a record, and by which latitudes its positions are known; None: by any."""


class File(NamedTuple):
    """The records of a file, one that may stand in another's place, and how they are written."""

    name: str
    kind: str
    records: list
    other: Record
    render: object
    options: dict = {}
    ordered: bool = False


GENERATORS = {}


def makes(name, kind="trajectory"):
    def registered(make):
        GENERATORS.setdefault((name, kind), []).append(make)
        return make

    return registered


Fix = namedtuple("Fix", ("number", "user", "lon", "lat", "time", "time_s", "known", "odd", "tail"))


DATES = {
    "iso": "%Y-%m-%dT%H:%M:%SZ",
    "offset": "%Y-%m-%dT%H:%M:%S+02:00",
    "naive": "%Y-%m-%d %H:%M:%S",
    "dmy": "%d/%m/%Y %H:%M:%S",
    "mdy": "%m/%d/%Y %H:%M:%S",
    "short": "%d.%m.%y %H:%M:%S",
    "digits": "%Y%m%d%H%M%S",
    "words": "%d %b %Y %H:%M:%S",
}
UNITS = {"s": 1, "ms": 1000, "us": 10**6}
ODD_NUMBERS = ("zero", "far", "e7", "beyond", "west", "early", "unit", "swapped", "overflow")
ODD_TEXTS = ("empty", "letters", "comma", "untimed", "undated", "order", "zoned", "degrees", "total")


@dataclass
class Style:
    rng: random.Random
    texts: bool = True
    times: tuple = (*DATES, *UNITS, "days", "none")
    units: tuple = ("degrees", "degrees", "degrees", "e7", "comma", "swapped", "metres")
    odd: tuple = (*ODD_NUMBERS, *ODD_TEXTS)
    foreign: bool = False  # letters beyond ASCII, of which some are no UTF-8
    options: dict = field(default_factory=dict)

    def __post_init__(self):
        rng = self.rng
        self.foreign = self.foreign and rng.random() < 0.25
        self.count = rng.choice((2, 3, 3, 4, 5, 6, 8, 12)) if rng.random() < 0.96 else rng.randint(58, 75)
        self.range = rng.choice(("signed", "east", "greenwich", "slips", "home"))
        self.unit = rng.choice(self.units)
        self.time = rng.choice(self.times)
        self.people = rng.choice(("one", "two", "three", "runs"))
        self.often = rng.choice((0.0, 0.1, 0.3, 0.5))
        self.twins = rng.random() < 0.2
        self.days = rng.choice((0, 1, 5))
        self.start_s = SUMMER_S
        if self.time in ("naive", "dmy", "mdy", "words", "short", "digits") and rng.random() < 0.3:
            self.options["time_zone"] = "Europe/Berlin"
            self.start_s = rng.choice((SUMMER_S, AUTUMN_S))
        if self.unit == "metres":
            self.options["crs"] = "EPSG:3857"

    def fix(self, number):
        rng = self.rng
        odd = rng.choice(self.odd) if rng.random() < self.often else ""
        lon, lat = self._lon(), LAT_START + number * LAT_STEP
        steps = number // 2 if self.twins else number
        seconds = float(self.start_s + steps * STEP_S + self.days * 86400 * rng.randint(0, 12))
        user = {"one": "a", "two": "ab"[number % 2], "three": rng.choice("abc"), "runs": "abcdefgh"[number // 4 % 8]}
        known = lat
        style = self.time
        if odd == "zero":
            lon, lat, known = 0.0, 0.0, 0.0
        elif odd == "far":
            lon = rng.choice((400.0, -181.0, 360.5))
        elif odd == "beyond":
            lon = rng.uniform(181, 359)
        elif odd == "west":
            lon = rng.choice((-0.05, -0.00005, -179.0))
        elif odd == "early":
            seconds -= rng.choice((10**5, 40 * 10**6))
        elif odd == "zoned":
            style = rng.choice(("iso", "naive"))
        elif odd == "order":
            style, seconds = rng.choice(("dmy", "mdy")), seconds + 86400 * rng.randint(0, 12)
        elif odd == "unit" and style in UNITS:
            style = rng.choice(tuple(UNITS))
        time = self.written(seconds, style)
        x, y = self._place(lon, lat, odd)
        if odd == "empty":
            x, y = rng.choice(((None, y), (x, None), (None, None)))
        elif odd == "letters":
            x = rng.choice(("abc", "n/a", "nan", "-"))
        elif odd in ("untimed", "undated"):
            time = None if odd == "untimed" else "soon"
        elif odd == "total":
            x, y, time, known = lon * 3, lat * 3, None, None
        if odd == "total":
            user = dict.fromkeys(user, "Total")
        tail = rng.choice(("é", "é", "é", NO_UTF8)) if self.foreign else ""
        name = user[self.people] + tail
        return Fix(number, name, x, y, time, seconds, None if odd == "e7" else known, odd, tail)

    def _lon(self):
        rng = self.rng
        if self.range == "signed":
            return rng.uniform(-179, 179)
        if self.range == "east":
            return rng.uniform(0, 359.99)
        if self.range == "greenwich":
            return rng.choice((359.9, 359.95, 0.1, 0.05, 0.00005, -0.00005)) + rng.uniform(0, 1e-5)
        if self.range == "slips":
            return rng.uniform(181, 359) if rng.random() < 0.1 else rng.uniform(-179, 179)
        return rng.uniform(13, 14)

    def _place(self, lon, lat, odd):
        """A position in the unit of the file, or of an odd record."""
        unit = self.unit
        if odd == "e7":
            unit = "degrees" if unit == "e7" else "e7"
        if odd == "comma" and self.texts:
            unit = "degrees" if unit == "comma" else "comma"
        if (odd == "swapped") != (unit == "swapped"):
            lon, lat = lat, lon
        if unit == "e7":
            x, y = round(lon * 1e7), round(lat * 1e7)
            return (x + (2**32 if x < 0 else 0), y) if odd == "overflow" else (x, y)
        if unit == "metres":
            north = math.log(math.tan(math.pi / 4 + math.radians(max(-89.0, min(89.0, lat))) / 2))  # by Mercator
            return lon * 111319.49079327358, north * 6378137.0
        x, y = round(lon, 7), round(lat, 7)
        if odd == "degrees":
            return f"{abs(x):.5f}° {'W' if x < 0 else 'E'}", y
        return (f"{x}".replace(".", ","), f"{y}".replace(".", ",")) if unit == "comma" else (x, y)

    def written(self, seconds, style):
        if style in UNITS:
            return int(seconds) * UNITS[style]
        if style == "days":
            return round(seconds / 86400 + 25569, 8)
        if style == "none":
            return None
        return (EPOCH + dt.timedelta(seconds=seconds)).strftime(DATES[style])


def encoded(text):
    return text.encode("utf-8", "surrogateescape")


def json_of(value):
    """A value as JSON, as :func:`encoded` writes it."""
    return encoded(json.dumps(value, ensure_ascii=False))


def text(value):
    return "" if value is None else str(value)


def records(style, cells):
    found = [Record(cells(one), (one.known,)) for one in map(style.fix, range(style.count))]
    other = style.fix(OTHER)
    return found, Record(cells(other), (other.known,))
