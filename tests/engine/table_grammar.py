"""A known trajectory written as a table in random dialects: separators, quotes, orders, languages, dates, zones.

What is read must be what was written, or a question, or a refusal; silently different is the failure.
"""

import csv
import datetime as dt
import io
import zoneinfo
from typing import NamedTuple

from hypothesis import strategies as st

from privacy_engine.errors import ChoiceNeeded, FormatError
from privacy_engine.formats import read

LANGUAGES = {
    "English": ("latitude", "longitude", "timestamp", "date", "time", "user_id"),
    "short": ("lat", "lon", "t", "date", "time", "id"),
    "German": ("Breitengrad", "Längengrad", "Zeitstempel", "Datum", "Uhrzeit", "Person"),
    "Spanish": ("latitud", "longitud", "fecha_hora", "fecha", "hora", "usuario"),
    "French": ("latitude", "longitude", "horodate", "date", "heure", "utilisateur"),
    "Italian": ("latitudine", "longitudine", "data_ora", "data", "ora", "utente"),
    "Polish": ("szerokość", "długość", "data_czas", "data", "czas", "osoba"),
    "Russian": ("широта", "долгота", "время", "дата", "время", "имя"),
    "Chinese": ("纬度", "经度", "时间", "日期", "时间", "用户"),
    "camel": ("gpsLatitude", "gpsLongitude", "fixTime", "fixDate", "fixTime", "deviceId"),
}
ZONES = ("Europe/Berlin", "America/New_York", "Asia/Tokyo", "UTC")
EXTRA = {"speed": "3.5", "note": "on foot", "battery": "81", "altitude": "112.0", "accuracy": "5", "city": "X"}


LATER_S = 30 * 86_400


def later(t, i):
    return instant_of(t + LATER_S).strftime("%Y-%m-%dT%H:%M:%SZ")


OTHERS = {
    "server": {"server_time": later},
    "created": {"created_at": later},
    "end": {"end_time": later},
    "home": {"home_lat": lambda t, i: "12.5", "home_lon": lambda t, i: "7.25"},
    "projected": {"x": lambda t, i: str(392_000 + i), "y": lambda t, i: str(5_820_000 + i)},
    "birthday": {"birthday": lambda t, i: "1990-02-01"},
    "row": {"row": lambda t, i: str(i)},
    "duration": {"duration": lambda t, i: f"00:{i % 60:02d}:10"},
}
"""Columns that resemble times and positions and are neither."""


class Written(NamedTuple):
    """A table as bytes, what it holds as {(time_s, lon, lat)}, and the options that settle what it leaves open."""

    data: bytes
    events: list
    settled: dict


def instant_of(time_s):
    return dt.datetime.fromtimestamp(time_s, dt.UTC)


def one_column(form, zone):
    """A column of times: how a header calls it beside its name, and a cell of an instant."""

    def local(time_s):
        return instant_of(time_s).astimezone(zoneinfo.ZoneInfo(zone))

    forms = {
        "iso Z": ("", lambda t: instant_of(t).strftime("%Y-%m-%dT%H:%M:%SZ")),
        "iso offset": ("", lambda t: local(t).isoformat()),
        "naive": ("", lambda t: instant_of(t).strftime("%Y-%m-%d %H:%M:%S")),
        "slashes": ("", lambda t: instant_of(t).strftime("%Y/%m/%d %H:%M:%S")),
        "unpadded": ("", lambda t: "{0.year}-{0.month}-{0.day} {0.hour}:{0.minute}:{0.second}".format(instant_of(t))),
        "dmy": ("", lambda t: instant_of(t).strftime("%d/%m/%Y %H:%M:%S")),
        "mdy": ("", lambda t: instant_of(t).strftime("%m/%d/%Y %H:%M:%S")),
        "am pm": ("", lambda t: instant_of(t).strftime("%Y-%m-%d %I:%M:%S %p")),
        "month": ("", lambda t: instant_of(t).strftime("%d %b %Y %H:%M:%S")),
        "epoch": ("", lambda t: str(t)),
        "epoch ms": ("", lambda t: str(t * 1000)),
        "compact": ("", lambda t: instant_of(t).strftime("%Y%m%d%H%M%S")),
        "zone in cells": ("", lambda t: f"{local(t):%Y-%m-%d %H:%M:%S} {zone}"),
        "zone in header": (f" ({zone})", lambda t: local(t).strftime("%Y-%m-%d %H:%M:%S")),
        "offset in header": (" (UTC+5:30)", lambda t: instant_of(t + 19_800).strftime("%Y-%m-%d %H:%M:%S")),
        "utc": ("_utc", lambda t: instant_of(t).strftime("%Y-%m-%d %H:%M:%S")),
        "local": ("_local", lambda t: local(t).strftime("%Y-%m-%d %H:%M:%S")),
    }
    return forms[form]


DATES = {"iso": "%Y-%m-%d", "dmy": "%d.%m.%Y", "mdy": "%m/%d/%Y", "digits": "%Y%m%d", "midnight": "%Y-%m-%d 00:00:00"}
CLOCKS = {"usual": "%H:%M:%S", "am pm": "%I:%M:%S %p", "digits": "%H%M%S"}
ONE = ("iso Z", "iso offset", "naive", "slashes", "unpadded", "dmy", "mdy", "am pm", "month", "epoch", "epoch ms")
ONE += ("compact", "zone in cells", "zone in header", "offset in header", "utc", "local")


@st.composite
def time_columns(draw, names):
    """Columns of times as {name: cell of an instant}, and the options that settle them."""
    _, _, time, date, clock, _ = names
    kind = draw(st.sampled_from(["one", "one", "two", "parts"]))
    if kind == "one":
        zone, form = draw(st.sampled_from(ZONES)), draw(st.sampled_from(ONE))
        suffix, cell = one_column(form, zone)
        settled = {"date_order": form} if form in ("dmy", "mdy") else {"time_zone": zone} if form == "local" else {}
        return {time + suffix: cell}, settled
    if kind == "parts":
        units = ("year", "month", "day", "hour", "minute", "second")
        return {unit: (lambda t, unit=unit: str(getattr(instant_of(t), unit))) for unit in units}, {}
    of_date, of_clock = draw(st.sampled_from(sorted(DATES))), draw(st.sampled_from(sorted(CLOCKS)))
    if date == clock:
        clock += "2"
    settled = {"date_order": of_date} if of_date in ("dmy", "mdy") else {}
    return {
        date: lambda t: instant_of(t).strftime(DATES[of_date]),
        clock: lambda t: instant_of(t).strftime(CLOCKS[of_clock]),
    }, settled


@st.composite
def tables(draw):
    """A :class:`Written` table of 3 to 40 events."""
    n = draw(st.integers(3, 40))
    start = draw(st.integers(1_200_000_000, 1_750_000_000))
    step = draw(st.sampled_from([1, 7, 60, 3601, 40_000, 90_061]))
    times = [start + i * step for i in range(n)]
    south, west = draw(st.sampled_from([1, -1])), draw(st.sampled_from([1, -1]))
    lat = [south * (30 + draw(st.integers(0, 20_000)) / 1000 + i / 10_000) for i in range(n)]
    lon = [west * (100 + draw(st.integers(0, 20_000)) / 1000 + i / 10_000) for i in range(n)]
    names = LANGUAGES[draw(st.sampled_from(sorted(LANGUAGES)))]
    timed, settled = draw(time_columns(names))
    decimal = draw(st.sampled_from([".", ".", ","]))
    columns = {
        names[0]: [f"{value:.4f}".replace(".", decimal) for value in lat],
        names[1]: [f"{value:.4f}".replace(".", decimal) for value in lon],
        **{name: [cell(t) for t in times] for name, cell in timed.items()},
    }
    if draw(st.booleans()):
        columns[names[5]] = [draw(st.sampled_from(["a", "b"])) for _ in range(n)]
    for extra in draw(st.lists(st.sampled_from(sorted(OTHERS)), max_size=2, unique=True)):
        if not any(name.casefold() in (one.casefold() for one in columns) for name in OTHERS[extra]):
            columns |= {name: [cell(t, i) for i, t in enumerate(times)] for name, cell in OTHERS[extra].items()}
    for extra in draw(st.lists(st.sampled_from(sorted(EXTRA)), max_size=3, unique=True)):
        columns[extra] = [EXTRA[extra].replace(".", decimal)] * n
    order = draw(st.permutations(sorted(columns)))
    separator = draw(st.sampled_from([",", ";", "\t", "|"]))
    rows = [list(cells) for cells in zip(*(columns[name] for name in order), strict=True)]
    header = list(order)
    first = draw(st.sampled_from(["", "", "", "row names", "index"]))
    if first:
        rows = [[str(i + 1), *row] for i, row in enumerate(rows)]
        header = header if first == "row names" else ["", *header]
    title = draw(st.sampled_from(["", "", "", "# exported by a logger\n", "My walk\n\n"]))
    text = io.StringIO()
    text.write(title)
    quoting = draw(st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]))
    end = draw(st.sampled_from(["\n", "\r\n"]))
    writer = csv.writer(text, delimiter=separator, quoting=quoting, lineterminator=end)
    writer.writerows([header, *rows])
    encoding = draw(st.sampled_from(["utf-8", "utf-8", "utf-8-sig", "utf-16", "latin-1"]))
    if not all(ord(char) < 256 for char in text.getvalue()):
        encoding = "utf-8"
    events = sorted(zip(times, [round(one, 4) for one in lon], [round(one, 4) for one in lat], strict=True))
    return Written(text.getvalue().encode(encoding), events, settled)


def outcome_of(written):
    """``read``, ``requested`` or ``refused``, a question answered as it was written; AssertionError where wrong."""
    given, requested = {}, False
    for _ in range(4):
        try:
            found = read(io.BytesIO(written.data), name="x.csv", **given)
        except ChoiceNeeded as choice:
            if choice.parameter not in written.settled:
                return "requested"
            given[choice.parameter], requested = written.settled[choice.parameter], True
            continue
        except FormatError:
            return "refused"
        seen = sorted(
            (float(t), round(float(lon), 4), round(float(lat), 4))
            for one in found.series
            for t, lon, lat in zip(
                one.time_s if one.time_s is not None else [0] * len(one), one.lon, one.lat, strict=True
            )
        )
        assert seen == [(float(t), lon, lat) for t, lon, lat in written.events], (found.report.decided, seen[:2])
        return "requested" if requested else "read"
    return "requested"
