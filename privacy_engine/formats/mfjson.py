"""MF-JSON, the OGC's moving features: MovingPoint and collections of it, as MovingPandas and MobilityDB write them.

Positions are read at their instants; what lies between them (interpolation) is not, and other temporal geometries are
left out. Lines with a list of datetimes (MF-JSON Trajectory) are read as GeoJSON, which they are.
"""

import re
from typing import Any

from privacy_engine.core.progress import ROWS, reported
from privacy_engine.data import Trajectory
from privacy_engine.errors import FormatError
from privacy_engine.formats.detect import Format, register
from privacy_engine.formats.geojson import read_features
from privacy_engine.formats.jsontools import begins_like_json, parsed
from privacy_engine.formats.moving_points import TYPES, in_system, is_moving, parts
from privacy_engine.formats.options import TIMED, ReadOptions
from privacy_engine.formats.report import Report
from privacy_engine.formats.source import Source
from privacy_engine.formats.xmltools import plain_head

NUMBER = "track_id"
"""What the place of a feature in the file is called among its properties."""
_MARK = re.compile(rb'"temporalGeometry"\s*:|"type"\s*:\s*"(?:' + "|".join(TYPES).encode() + rb')"')


def read(source: Source, options: ReadOptions, report: Report) -> list[Trajectory]:
    """The series of an MF-JSON document: one for each feature that has an identifier, else for each feature."""
    report.unit = "feature"
    document = parsed(source.read(), options, report)
    features = [_identified(feature, i) for i, feature in enumerate(reported(_features(document), ROWS), start=1)]
    if count := sum(is_moving(feature) and set(feature["properties"]) == {NUMBER} for feature in features):
        message = "Features without an identifier and properties are called by their place in the file."
        report.note("numbered_series", message, level="info", count=count)
    return read_features(features, range(1, len(features) + 1), in_system(document, features, options), report)


def _features(document: Any) -> list[Any]:
    """The features of a collection or a list, or the document as one; a geometry alone as one for each of its parts."""
    if isinstance(document, dict) and isinstance(document.get("features"), list):
        return list(document["features"])
    features = []
    for feature in document if isinstance(document, list) else [document]:
        if is_moving(feature):
            features.append(feature)
        elif isinstance(feature, dict) and feature.get("type") in TYPES:
            features += [{"type": "Feature", "temporalGeometry": part} for part in parts(feature)]
    if not features:
        message = "This JSON is no MF-JSON: no feature has a temporalGeometry, and it is no MovingPoint."
        raise FormatError(message, code="not_geojson", rule="a feature with a temporalGeometry")
    return features


def _identified(feature: Any, number: int) -> Any:
    """The feature with its identifier among its properties, where those have none: else its number."""
    if not is_moving(feature):
        return feature
    properties = feature.get("properties")
    properties = properties if isinstance(properties, dict) else {}
    own = feature.get("id")
    if isinstance(own, (str, int)):
        return feature | {"properties": {"id": own} | properties}
    return feature | {"properties": properties or {NUMBER: number}}


def sniff(head: bytes) -> bool:
    """Whether the text begins like JSON and soon names a temporalGeometry or a type of moving point."""
    head = plain_head(head)
    return begins_like_json(head) and _MARK.search(head) is not None


MFJSON = register(
    Format(
        "mfjson",
        "MF-JSON (moving features)",
        ("mfjson", "json", "geojson"),
        sniff,
        read,
        rank=16,
        keeps="times, series, landmarks, coordinate system",
        options=("encoding", "id", "landmark", "fourth", "ends", *TIMED),
        columns=("id", "person", "landmark"),
        person="a property of the features, as a column of a CSV table; else the id of each if they overlap in time",
        source="https://docs.ogc.org/is/19-045r3/19-045r3.html",
    )
)
