"""Positions that are not plain degrees: projected systems by their codes (pyproj) and degrees times ten million."""

import re
from dataclasses import replace
from typing import Any

import numpy as np

from privacy_engine.core.arrays import Floats, Mask
from privacy_engine.core.plurals import quantity
from privacy_engine.core.progress import advance, blocks
from privacy_engine.errors import ChoiceNeeded, FormatError
from privacy_engine.formats.option_choices import SYSTEMS, Choices
from privacy_engine.formats.options import ReadOptions
from privacy_engine.formats.report import Report

_CODE = re.compile(r"(?:EPSG|ESRI|OGC|IGNF):[A-Z0-9]{1,12}")
_NAMES = re.compile(
    r"(?:urn:ogc:def:crs:|https?://www\.opengis\.net/def/crs/)?(EPSG|OGC)[:/]+(?:[0-9.]*[:/])?(CRS84|[0-9]{1,6})H?/?",
    re.IGNORECASE,
)
_DEGREES = ("EPSG:4326", "OGC:CRS84")
MINUTES = "DDMM"
"""The system of degrees and minutes in a single number, as receivers write them."""
SEMICIRCLES = "SEMICIRCLES"
"""The system of Garmin's devices: whole numbers, of which 2**31 are 180 degrees."""
SEMICIRCLE = 180.0 / 2**31
_OF_GARMIN = re.compile(r"^position_(?:lat|long)\b|semicircle", re.IGNORECASE)
_UTM = "UTM"
AREAS = (
    ("EPSG:2056", "metres, Switzerland (LV95)", (2.48e6, 2.84e6, 1.07e6, 1.3e6)),
    ("EPSG:21781", "metres, Switzerland (LV03)", (4.8e5, 8.4e5, 7e4, 3e5)),
    ("EPSG:28992", "metres, Netherlands (RD New)", (0.0, 3e5, 2.8e5, 6.3e5)),
    ("EPSG:27700", "metres, Great Britain (National Grid)", (0.0, 7e5, 0.0, 1.3e6)),
    ("EPSG:2154", "metres, France (Lambert-93)", (1e5, 1.25e6, 6.0e6, 7.2e6)),
    (_UTM, "metres, a UTM zone", (1e5, 9e5, 0.0, 1e7)),
    ("EPSG:3035", "metres, Europe (LAEA)", (2.5e6, 7.4e6, 1.3e6, 5.5e6)),
    ("EPSG:3857", "metres, Web Mercator", (-2.01e7, 2.01e7, -2.01e7, 2.01e7)),
)
"""Projected systems in use for tables, each with the west, east, south and north of its area in its own units."""


def canonical(name: str) -> str:
    """One spelling of a system's name: ``EPSG:3857`` for ``urn:ogc:def:crs:EPSG::3857`` and ``3857``."""
    text = name.strip().upper()
    if text.isascii() and text.isdigit():
        text = f"EPSG:{text}"
    match = _NAMES.fullmatch(text)
    if match:
        text = f"{match[1]}:{match[2]}"
    return {"EPSG:900913": "EPSG:3857", "EPSG:4258": "EPSG:4326"}.get(text, text)


def to_degrees(lon: Floats, lat: Floats, system: str) -> tuple[Floats, Floats]:
    """Positions of the coordinate system ``system`` as longitude and latitude.

    Raises
    ------
    FormatError
        The system is neither E7 nor of a known code.
    """
    name = canonical(system)
    if name in _DEGREES:
        return lon, lat
    with np.errstate(all="ignore"):  # absurd positions become infinite, and are dropped as out of range
        return _converted(lon, lat, name)


def _converted(lon: Floats, lat: Floats, name: str) -> tuple[Floats, Floats]:
    if name == "E7":
        return lon / 1e7, lat / 1e7
    if name == SEMICIRCLES:
        return lon * SEMICIRCLE, lat * SEMICIRCLE
    if name == MINUTES:
        return _of_minutes(lon), _of_minutes(lat)
    from pyproj import Transformer
    from pyproj.exceptions import ProjError

    try:
        if not _CODE.fullmatch(name):  # a projection's text could name files
            raise ProjError("not a code")
        transformer = Transformer.from_crs(name, "OGC:CRS84", always_xy=True)
    except ProjError as error:
        raise FormatError(
            f"The coordinate system {name[:40]} is not known. Name one by its code, such as EPSG:4326 (degrees), "
            "EPSG:3857 (Web Mercator) or EPSG:326zz and EPSG:327zz (UTM zones), or convert the file to degrees.",
            code="unsupported_crs",
            field="crs",
            rule="code of a coordinate system",
            value=name[:100],
        ) from error
    degrees = _transformed(transformer, lon, lat, "FORWARD")
    if transformer.source_crs is None or not transformer.source_crs.is_projected:
        return degrees
    # far outside a projection PROJ answers with its rim: such a position does not lead back to where it came from
    back = _transformed(transformer, *degrees, "INVERSE")
    inside = np.isclose(back[0], lon, rtol=1e-6, atol=1.0) & np.isclose(back[1], lat, rtol=1e-6, atol=1.0)
    return np.where(inside, degrees[0], np.inf), np.where(inside, degrees[1], np.inf)


def _of_minutes(values: Floats) -> Floats:
    """5230.5034, which is 52 degrees and 30.5034 minutes, as degrees."""
    degrees, minutes = np.divmod(np.abs(values), 100.0)
    return np.asarray(np.copysign(np.where(minutes < 60, degrees + minutes / 60, np.inf), values))


def _transformed(transformer: Any, x: Floats, y: Floats, direction: str) -> tuple[Floats, Floats]:
    """Both coordinates transformed; PROJ takes about a microsecond for each position."""
    moved = np.empty(x.shape), np.empty(x.shape)
    for some in blocks(len(x), 1 << 18):
        moved[0][some], moved[1][some] = transformer.transform(x[some], y[some], direction=direction)
    return moved


def of_description(text: str) -> str:
    """The code of a system that a file describes as well-known text; the text itself where none fits."""
    from pyproj import CRS
    from pyproj.exceptions import ProjError

    if _CODE.fullmatch(canonical(text)):
        return text
    try:
        authority = CRS.from_wkt(text[:20_000]).to_authority(min_confidence=70)
    except ProjError:
        return text
    return ":".join(authority) if authority else text


def in_system(system: str, options: ReadOptions) -> ReadOptions:
    """The options with the coordinate system that a file states, unless it is degrees or the owner named another."""
    degrees = (*_DEGREES, "NONE:-1", "NONE:0")
    return options if options.crs or not system or canonical(system) in degrees else replace(options, crs=system)


def placed(
    lon: Floats, lat: Floats, options: ReadOptions, report: Report, *, labelled: bool = False, e7: bool = False
) -> tuple[Floats, Floats]:
    """Positions as degrees in the order longitude, latitude: as the options state, or as the values show.

    ``labelled`` means that the order comes from a table's header, where people err, and not from a format; ``e7`` that
    they were whole numbers of ten millionths of a degree.

    What was decided is written to ``report``.

    Raises
    ------
    ChoiceNeeded
        The values cannot be degrees as labelled: the order, or the coordinate system, must be named.
    """
    if options.crs is not None:
        lon, lat = to_degrees(lon, lat, options.crs)
    advance()
    known = np.isfinite(lon) & np.isfinite(lat)
    if not known.any():
        return lon, lat
    system = options.crs or ("E7" if e7 else _system_of(lon[known], lat[known], report))
    if not e7 and options.crs is None:
        lon, lat = to_degrees(lon, lat, system)
    advance()
    e7 = e7 or system == "E7"
    report.decide("crs", system)
    report.decide("swap", options.swap or "no")
    if e7:
        lon, lat = _unwrapped(lon, lat, options, report)
    else:
        report.decide("lon_range", options.lon_range or "360")
    if options.swap == "yes":
        lon, lat = lat, lon
    elif options.swap is None:
        _require_order(lon[known], lat[known], report, labelled)
    advance()
    return eastward(lon, known, options, report), lat


def _unwrapped(lon: Floats, lat: Floats, options: ReadOptions, report: Report) -> tuple[Floats, Floats]:
    """Degrees of E7 numbers that were stored without their sign in 32 bits, as old Takeout files do, with it."""
    axes = []
    for degrees, most in ((lon, 180), (lat, 90)):
        with np.errstate(invalid="ignore"):
            signed = np.round(degrees * 1e7 - 2.0**32) / 1e7
            over = (degrees > most) & (signed >= -most) & (signed < 0)
        if most == 180 and options.lon_range == "360":
            over &= degrees > 360
        axes.append(np.where(over, signed, degrees))
        note_overflow(int(over.sum()), "longitude" if most == 180 else "latitude", f"{most} degrees", report)
    return axes[0], axes[1]


def note_overflow(count: int, what: str, most: str, report: Report) -> None:
    """Record how many E7 numbers were above the most there is, as negative ones are that overflowed 32 bits."""
    if count:
        why = "a negative E7 number that overflowed 32 bits. 2³² was subtracted."
        report.note("e7_overflow", f"{quantity(count, what)} above {most}: {why}", count=count)


def _system_of(x: Floats, y: Floats, report: Report) -> str:
    """The system of positions where no option states it: degrees unless most are beyond them, in either order.

    Raises
    ------
    ChoiceNeeded
        They may be of projected systems.
    FormatError
        They are of none that is known here.
    """
    sizes = np.abs(x), np.abs(y)
    if max(size.max() for size in sizes) <= 360:
        return _DEGREES[0]
    off = min(((size > 360) | (other > 90)).sum() for size, other in (sizes, sizes[::-1]))
    if off * 2 <= len(x):
        return _DEGREES[0]
    whole = bool((x == np.floor(x)).all() and (y == np.floor(y)).all())
    largest = _largest_e7(x, 1.8e9), _largest_e7(y, 9e8)
    semicircles = whole and sizes[0].max() <= 2**31 and sizes[1].max() <= 2**30
    if semicircles and report.layout is not None and any(map(_OF_GARMIN.search, report.layout.names)):
        message = (
            "Positions are whole numbers in columns called as Garmin's: semicircles, of which 2³¹ are 180 degrees."
        )
        report.guess("units", SEMICIRCLES, message, "crs")
        return SEMICIRCLES
    if whole and largest[0] <= 1.8e9 and max(largest) > 2.1e7 and largest[1] <= 9e8:
        message = "Positions are whole numbers of ten millionths of a degree and were divided by 10,000,000."
        report.guess("units", "E7", message, "crs")
        return "E7"
    message = f"The positions are too large for degrees (such as {x[0]:g}, {y[0]:g})."
    choices = _plausible(x, y)
    if choices:
        message = f"{message} Specify which coordinate system they are in."
        raise ChoiceNeeded(message, parameter="crs", choices=choices, default=choices[0][0])
    message = f"{message} No usual system fits: name it with the reading option crs, or convert them to degrees."
    raise FormatError(message, code="unsupported_crs", field="crs", rule="code of a coordinate system")


def _largest_e7(values: Floats, most: float) -> float:
    """The largest size of E7 numbers, of which those that overflowed 32 bits are taken with their sign."""
    return float(np.abs(np.where((values > most) & (values >= 2.0**32 - most), values - 2.0**32, values)).max())


def _plausible(x: Floats, y: Floats) -> Choices:
    """The systems in whose area the values lie, the smallest area first."""
    middle = float(np.median(x)), float(np.median(y))
    fitting = [
        (code, title)
        for code, title, (west, east, south, north) in AREAS
        if west <= middle[0] <= east and south <= middle[1] <= north
    ]
    at = next((i for i, (code, _) in enumerate(fitting) if code == _UTM), None)
    if at is not None:
        halves = (("north", 32600), ("south", 32700))
        zones = [(f"EPSG:{start + i}", f"metres, UTM zone {i} {half}") for half, start in halves for i in range(1, 61)]
        fitting[at : at + 1] = zones
    if np.abs(x).max() <= 18_000 and np.abs(y).max() <= 9000 and (np.abs(np.r_[x, y]) % 100 < 60).all():
        fitting.insert(0, (MINUTES, dict(SYSTEMS)[MINUTES]))
    return tuple(fitting)


def _require_order(x: Floats, y: Floats, report: Report, labelled: bool) -> None:
    impossible = (np.abs(y) > 90) & (np.abs(y) <= 180)
    if impossible.sum() * 2 > len(y) and (np.abs(x[impossible]) <= 90).all():
        raise ChoiceNeeded(
            f"The latitudes are above 90 (such as {y[impossible][0]:g}). Did longitude and latitude change places?",
            parameter="swap",
            choices=(
                ("yes", "Swap longitude and latitude"),
                ("no", f"Leave them: {int(impossible.sum())} of {len(y)} rows are then out of range"),
            ),
            default="yes",
        )
    if labelled and (np.abs(x) <= 90).all() and (np.abs(y) <= 90).all():
        report.guess("order", "as labelled", "Both orders of longitude and latitude are possible.", "swap")


def eastward(lon: Floats, known: Mask, options: ReadOptions, report: Report) -> Floats:
    """Longitudes as -180 to 180: those above 180, up to 360, count degrees to the east, unless the options state other.

    Each is judged alone, whatever the others are. Those that are ``known`` are counted in the report.
    """
    if options.lon_range == "180":
        return lon
    with np.errstate(invalid="ignore"):
        beyond = (lon > 180) & (lon <= 360)
    report_eastward(int((beyond & known).sum()), report)
    return np.where(beyond, lon - 360, lon) if beyond.any() else lon


def report_eastward(count: int, report: Report) -> None:
    """Record how many longitudes were taken as degrees to the east."""
    if count:
        message = (
            f"{quantity(count, 'longitude')} above 180 degrees, taken as degrees to the east: 360 was subtracted. "
            "Set the range of longitudes (lon_range) to 180 to leave such rows out."
        )
        report.note("eastward", message, level="info", count=count)
