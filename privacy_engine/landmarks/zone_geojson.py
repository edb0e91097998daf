"""Zones out of a GeoJSON file, as map editors write it."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import ValidationError

from privacy_engine.core.params import brief, explain
from privacy_engine.errors import ParameterError, ParameterErrors
from privacy_engine.landmarks.zones import Zones

_LABELS = ("label", "name", "title")
_RADII = ("radius_m", "radius")
_RULE = "a Polygon, a MultiPolygon, or a Point with a radius_m"


def zones_from_geojson(source: str | bytes | Mapping[str, Any]) -> Zones:
    """The polygons and circles of a FeatureCollection, a Feature or a geometry as zones, in order.

    A Point whose properties have a ``radius_m`` or ``radius`` (metres) is a circle; ``label``, ``name`` or ``title``
    is its label. Altitudes are left out.

    Raises
    ------
    ParameterError
        It is no GeoJSON, holds something else, or a shape is not a zone; the field names the place
        (``features.3.geometry``, ``zones.0.coordinates``).

    Examples
    --------
    >>> square = {"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [1, 1], [0, 0]]]}
    >>> zones_from_geojson({"type": "Feature", "geometry": square, "properties": {"name": "Home"}}).zones[0].label
    'Home'
    """
    document = _parsed(source) if isinstance(source, str | bytes) else source
    try:
        return Zones.model_validate({"zones": list(_zones(document, "geojson"))})
    except ValidationError as error:
        raise ParameterErrors(explain(error)) from None


def _parsed(text: str | bytes) -> Any:
    try:
        return json.loads(text.decode("utf-8-sig") if isinstance(text, bytes) else text.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        where = f" (line {error.lineno})" if isinstance(error, json.JSONDecodeError) else ""
        raise ParameterError(f"geojson must be JSON text{where}", field="geojson", rule="JSON text") from None


def _zones(node: Any, field: str) -> Iterator[dict[str, Any]]:
    kind = node.get("type") if isinstance(node, Mapping) else None
    if kind == "FeatureCollection":
        for i, feature in enumerate(_list(node, "features", field)):
            yield from _of_feature(feature, f"features.{i}")
    elif kind == "Feature":
        yield from _of_feature(node, field)
    else:
        yield from _of_geometry(node, {}, field)


def _of_feature(feature: Any, field: str) -> Iterator[dict[str, Any]]:
    if not isinstance(feature, Mapping) or feature.get("type") != "Feature":
        raise _refused(field, "a Feature", feature)
    properties = feature.get("properties")
    yield from _of_geometry(
        feature.get("geometry"), properties if isinstance(properties, Mapping) else {}, f"{field}.geometry"
    )


def _of_geometry(geometry: Any, properties: Mapping[str, Any], field: str) -> Iterator[dict[str, Any]]:
    kind = geometry.get("type") if isinstance(geometry, Mapping) else None
    if kind == "GeometryCollection":
        for i, member in enumerate(_list(geometry, "geometries", field)):
            if isinstance(member, Mapping) and member.get("type") == "GeometryCollection":
                raise _refused(f"{field}.geometries.{i}", _RULE, "GeometryCollection")
            yield from _of_geometry(member, properties, f"{field}.geometries.{i}")
        return
    label = next((text for name in _LABELS if isinstance(text := properties.get(name), str) and text), None)
    radius = next((properties[name] for name in _RADII if name in properties), None)
    zone: dict[str, Any] = {"label": label} if label else {}
    if kind in ("Polygon", "MultiPolygon"):
        yield zone | {"type": kind, "coordinates": _flat(geometry.get("coordinates"))}
    elif kind == "Point" and radius is not None:
        yield zone | {"type": "Circle", "center": _flat(geometry.get("coordinates")), "radius_m": radius}
    else:
        raise _refused(field, _RULE, kind)


def _flat(nested: Any, depth: int = 4) -> Any:
    """Positions without their altitude."""
    if not isinstance(nested, list) or not depth:
        return nested
    if nested and not isinstance(nested[0], list):
        return nested[:2]
    return [_flat(item, depth - 1) for item in nested]


def _list(node: Mapping[str, Any], name: str, field: str) -> list[Any]:
    value = node.get(name)
    if not isinstance(value, list):
        raise _refused(f"{field}.{name}", "a list", value)
    return value


def _refused(field: str, rule: str, value: Any) -> ParameterError:
    return ParameterError.must_be(field, rule, value, got=brief(value))
