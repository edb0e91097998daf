"""The temporal geometry of a moving feature (OGC 19-045r3): positions and as many instants, in any number of parts."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from privacy_engine.core.progress import ROWS, reported
from privacy_engine.errors import FormatError, shown
from privacy_engine.formats import crs
from privacy_engine.formats.options import ReadOptions

POINTS = ("MovingPoint", "MovingGeomPoint", "MovingGeogPoint")  # the last two are MobilityDB's
_PARTS = {"MovingGeometryCollection": "prisms", "TemporalGeometrySequence": "geometrySequence"}
TYPES = (*POINTS, *_PARTS)
_DEGREES = ("EPSG:4326", "OGC:CRS84")
_TIME_SYSTEM = re.compile(r"iso[-_ ]?8601|gregorian|unix|posix|utc", re.IGNORECASE)
_DEEPEST = 4
Line = tuple[list[Any], list[Any]]


def is_moving(feature: Any) -> bool:
    """Whether an object of JSON is a feature with a temporal geometry."""
    return isinstance(feature, dict) and isinstance(feature.get("temporalGeometry"), dict)


def parts(geometry: Any, deep: int = 1) -> list[Any]:
    """The geometries of a collection, or the geometry itself."""
    key = _PARTS.get(str(geometry.get("type"))) if isinstance(geometry, dict) else None
    inner = None if key is None else geometry.get(key)
    if not isinstance(inner, list) or deep > _DEEPEST:
        return [geometry]
    return [part for child in inner for part in parts(child, deep + 1)]


def lines(feature: Mapping[str, Any], number: int) -> Iterator[Line | None]:
    """The positions and the instants of each part of a feature's geometry; None for a part that is no moving point.

    Raises
    ------
    FormatError
        A list is missing, or there are not as many instants as positions.
    """
    for geometry in parts(feature["temporalGeometry"]):
        if not isinstance(geometry, dict) or geometry.get("type") not in POINTS:
            yield None
            continue
        sequences = geometry.get("sequences")  # MobilityDB's
        for sequence in sequences if isinstance(sequences, list) else [geometry]:
            yield _line(sequence if isinstance(sequence, dict) else {}, number)


def _line(geometry: Mapping[str, Any], number: int) -> Line:
    positions, instants = geometry.get("coordinates"), geometry.get("datetimes")
    for name, values in (("coordinates", positions), ("datetimes", instants)):
        if not isinstance(values, list):
            raise _bad(number, name, "must be a list", values)
    assert isinstance(positions, list)
    assert isinstance(instants, list)
    if len(positions) != len(instants):
        rule = f"must hold as many values as coordinates ({len(positions)})"
        raise _bad(number, "datetimes", rule, len(instants))
    return positions, instants


def _bad(number: int, field: str, rule: str, value: Any) -> FormatError:
    got = "none" if value is None else repr(shown(value))[:60]
    message = f"temporalGeometry.{field} of feature {number} {rule}, got {got}."
    return FormatError(message, code="bad_moving_point", row=number, field=field, rule=rule, value=value)


def in_system(document: Any, features: Sequence[Any], options: ReadOptions) -> ReadOptions:
    """The options with the coordinate system that the document, its features or their geometries name.

    Raises
    ------
    FormatError
        They name several systems, or a system without a name; or times that are not of the Gregorian calendar.
    """
    systems: dict[str, None] = {}
    for feature in reported((document, *features), ROWS):
        if isinstance(feature, dict):
            geometries = parts(feature["temporalGeometry"]) if is_moving(feature) else []
            for holder in (feature, *(part for part in geometries if isinstance(part, dict))):
                _check_time_system(holder.get("trs"))
                if holder.get("crs") is not None:
                    systems[crs.canonical(_name(holder["crs"], "crs"))] = None
    if options.crs is not None or set(systems) <= set(_DEGREES):
        return options
    if len(systems) > 1:
        names = ", ".join(systems)[:200]
        message = f"The features are in several coordinate systems ({names}); they must be in one."
        rule = "one coordinate system"
        raise FormatError(message, code="unsupported_crs", field="crs", rule=rule, value=names)
    return replace(options, crs=next(iter(systems)))


def _name(system: Any, field: str) -> str:
    """The name of a reference system: its name or its link."""
    properties = system.get("properties") if isinstance(system, dict) else None
    inner = properties if isinstance(properties, dict) else system if isinstance(system, dict) else {"name": system}
    name = inner.get("name", inner.get("href"))
    if name is None and isinstance(inner.get("code"), int):  # GeoJSON before 2008
        name = f"EPSG:{inner['code']}"
    if isinstance(name, str) and name:
        return name
    rule = "an object with properties.name or properties.href"
    message = f"{field} must be {rule}, got {shown(system)!r:.60}."
    raise FormatError(message, code="unsupported_crs", field=field, rule=rule, value=shown(system))


def _check_time_system(system: Any) -> None:
    if system is None or _TIME_SYSTEM.search(name := _name(system, "trs")):
        return
    rule = "instants by ISO 8601 or numbers since 1970"
    message = f"The temporal reference system {name[:80]!r} is not known; it must be of {rule}."
    raise FormatError(message, code="unsupported_crs", field="trs", rule=rule, value=name[:200])
