"""Zones: polygons and circles drawn on the map; what happens in any of them is a landmark."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import (
    AfterValidator,
    FailFast,
    Field,
    PlainSerializer,
    PlainValidator,
    SerializerFunctionWrapHandler,
    ValidationError,
    field_validator,
    model_serializer,
)

from privacy_engine.core.arrays import Floats, Mask, concatenated
from privacy_engine.core.params import Frozen, Param, broken
from privacy_engine.core.progress import reported
from privacy_engine.data import LandmarkSet, Trajectory
from privacy_engine.data.trajectories import in_pieces, lengths_of
from privacy_engine.errors import ParameterError
from privacy_engine.landmarks import polygon_rings
from privacy_engine.landmarks.methods import LandmarkMethod, landmark_methods, split

MOST_ZONES = 500
MOST_CORNERS, LONGEST_RING = 20_000, 5_000
"""Whether a ring crosses itself takes a second to compute for 5,000 corners of the worst shape, and grows squared."""
ZONES = Param(
    label="Zones",
    help="Polygons and circles on the map. A polygon's edges go the short way round; a circle's radius is in metres.",
)


def _plain(text: str) -> str:
    if any(ord(char) < 32 or 127 <= ord(char) < 160 or 0xD800 <= ord(char) < 0xE000 for char in text):
        raise broken("must be text on one line")
    return text


Lon = Annotated[float, Field(ge=-540, le=540)]  # a map that was dragged round the world counts on
Lat = Annotated[float, Field(ge=-90, le=90)]
Position = Annotated[tuple[Lon, Lat], Field(strict=False)]  # a list in JSON
Ring = Annotated[list[Position], Field(min_length=3, max_length=LONGEST_RING), FailFast()]
Rings = Annotated[list[Ring], Field(min_length=1), FailFast()]
Label = Annotated[str, Field(max_length=200), AfterValidator(_plain)]


class Zone(Frozen):
    """Base of the shapes. ``label`` is the owner's name for the place."""

    label: Label | None = None

    @model_serializer(mode="wrap")
    def _without_empty(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        content: dict[str, Any] = dump(self)
        return {name: value for name, value in content.items() if value is not None}

    def holds(self, lon: Floats, lat: Floats) -> Mask:
        """Which positions (n,) in degrees lie inside or on the border, (n,)."""
        raise NotImplementedError


class Polygon(Zone):
    """GeoJSON's: rings of [longitude, latitude]; the first is the outline, the others are holes in it."""

    type: Literal["Polygon"]
    coordinates: Rings

    @field_validator("coordinates")
    @classmethod
    def _drawn(cls, value: Any) -> Any:
        return _checked(value, [value])

    def holds(self, lon: Floats, lat: Floats) -> Mask:
        return polygon_rings.in_polygon(polygon_rings.polygon(self.coordinates), lon, lat)


class MultiPolygon(Zone):
    """Several polygons under one label."""

    type: Literal["MultiPolygon"]
    coordinates: Annotated[list[Rings], Field(min_length=1), FailFast()]

    @field_validator("coordinates")
    @classmethod
    def _drawn(cls, value: Any) -> Any:
        return _checked(value, value)

    def holds(self, lon: Floats, lat: Floats) -> Mask:
        inside = np.zeros(len(lon), dtype=np.bool_)
        for polygon in self.coordinates:
            inside |= polygon_rings.in_polygon(polygon_rings.polygon(polygon), lon, lat)
        return inside


class Circle(Zone):
    """Everything within ``radius_m`` of ``center`` along the great circle."""

    type: Literal["Circle"]
    center: Position
    radius_m: Annotated[float, Field(gt=0, le=2e7)]

    def holds(self, lon: Floats, lat: Floats) -> Mask:
        return polygon_rings.in_circle(self.center, self.radius_m, lon, lat)


SHAPES: dict[str, type[Zone]] = {"Polygon": Polygon, "MultiPolygon": MultiPolygon, "Circle": Circle}


def _checked(value: Any, polygons: Sequence[polygon_rings.Rings]) -> Any:
    try:
        for polygon in polygons:
            polygon_rings.polygon(polygon)
    except ParameterError as error:
        raise broken(error.rule) from None
    return value


def _shape(value: Any) -> Zone:
    """The zone by its ``type``. A union of pydantic's would put the type into the field's name."""
    if isinstance(value, Zone):
        return value
    if not isinstance(value, Mapping):
        raise broken("must be an object")
    kind = value.get("type")
    cls = SHAPES.get(kind) if isinstance(kind, str) else None
    if cls is None:
        error = broken(f"must be one of {', '.join(SHAPES)}") if "type" in value else "missing"
        raise ValidationError.from_exception_data("Zone", [{"type": error, "loc": ("type",), "input": kind}])
    return cls.model_validate(dict(value))


OneZone = Annotated[
    Polygon | MultiPolygon | Circle,
    PlainValidator(_shape, json_schema_input_type=Polygon | MultiPolygon | Circle),
    PlainSerializer(lambda zone: zone.model_dump(mode="json"), return_type=dict[str, Any]),
]


@landmark_methods.register
class Zones(LandmarkMethod):
    """Events inside any of the zones, or on its border.

    A polygon is what its corners enclose in longitude and latitude, as the map draws it; one that spans the
    antimeridian may count on beyond 180 degrees or jump to -180. A circle goes by great-circle distance.
    """

    title: ClassVar[str] = "Zones"
    summary: ClassVar[str] = "Events inside the areas you draw."
    found: ClassVar[str] = "found in positions by zones"
    own_mark: ClassVar[str] = "the zones were chosen without looking at the positions"

    name: Literal["zones"] = "zones"
    zones: Annotated[list[OneZone], ZONES]

    @field_validator("zones", mode="before")
    @classmethod
    def _few_enough(cls, value: Any) -> Any:
        if isinstance(value, list):
            if len(value) > MOST_ZONES:
                raise broken(f"must be at most {MOST_ZONES} zones")
            if sum(_corners(_coordinates(zone)) for zone in value) > MOST_CORNERS:
                raise broken(f"must have at most {MOST_CORNERS:,} corners together")
        return value

    def _mark(self, series: Sequence[Trajectory]) -> Sequence[LandmarkSet]:
        return split(concatenated([self._holds(piece) for piece in in_pieces(series)], np.bool_), lengths_of(series))

    def _holds(self, events: Trajectory) -> Mask:
        inside = np.zeros(len(events), dtype=np.bool_)
        for zone in reported(self.zones):
            inside |= zone.holds(events.lon, events.lat)
        return inside

    def describe(self) -> str:
        return "1 zone" if len(self.zones) == 1 else f"{len(self.zones):,} zones"


def _coordinates(zone: Any) -> Any:
    return zone.get("coordinates") if isinstance(zone, Mapping) else getattr(zone, "coordinates", None)


def _corners(nested: Any, depth: int = 4) -> int:
    """How many positions lie in lists of lists, counted before anything looks at them."""
    if not isinstance(nested, list) or not depth:
        return 1
    return sum(_corners(item, depth - 1) for item in nested) if any(isinstance(item, list) for item in nested) else 1
