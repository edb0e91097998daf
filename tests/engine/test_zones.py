"""Zones: membership by a plain reference, at the antimeridian and the poles, and what is refused."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privacy_engine.core import geo
from privacy_engine.data import Trajectory
from privacy_engine.errors import ParameterError, ParameterErrors
from privacy_engine.landmarks import Zones, landmark_methods, zones_from_geojson
from privacy_engine.landmarks.zones import MOST_CORNERS, MOST_ZONES
from tests.cases import each, refusal
from tests.engine.format_samples import feature
from tests.examples import examples

SQUARE = [[[0, 0], [2, 0], [2, 2], [0, 2], [0, 0]]]
HOLED = [*SQUARE, [[0.5, 0.5], [1.5, 0.5], [1.5, 1.5], [0.5, 1.5], [0.5, 0.5]]]


def zones(*shapes):
    return landmark_methods.parse({"name": "zones", "zones": list(shapes)}, field="method")


def poly(*rings):
    return {"type": "Polygon", "coordinates": list(rings)}


def multi(*parts):
    return {"type": "MultiPolygon", "coordinates": list(parts)}


def circle(lon, lat, radius_m):
    return {"type": "Circle", "center": [lon, lat], "radius_m": radius_m}


def marked(method, lon, lat):
    return list(method.mark([Trajectory(lon, lat)])[0].mask.tolist())


def plainly_inside(ring, x, y):
    inside = False
    for (x1, y1), (x2, y2) in zip(ring, [*ring[1:], ring[0]], strict=True):
        if (y1 > y) != (y2 > y) and x < (x2 - x1) * (y - y1) / (y2 - y1) + x1:
            inside = not inside
    return inside


@st.composite
def stars(draw):
    """A ring around 0, 0 with corners in order of their angle, so that it does not cross itself."""
    n = draw(st.integers(3, 12))
    radii = draw(st.lists(st.floats(1, 40), min_size=n, max_size=n))
    return [(r * math.cos(2 * math.pi * i / n), r * math.sin(2 * math.pi * i / n)) for i, r in enumerate(radii)]


POSITIONS = np.random.default_rng(3).uniform([-45, -45], [45, 45], (50, 2))


class TestPolygons:
    @given(ring=stars())
    def test_membership_is_that_of_the_plain_crossing_number(self, ring):
        expected = [plainly_inside(ring, x, y) for x, y in POSITIONS]
        assert marked(zones(poly(ring)), *POSITIONS.T) == expected
        assert marked(zones(poly([*ring, ring[0]][::-1])), *POSITIONS.T) == expected  # closed, the other way round

    @settings(max_examples=examples(100))
    @given(ring=stars(), whole=st.integers(-720, 720), turns=st.lists(st.integers(-1, 1), min_size=12, max_size=12))
    def test_a_shift_around_the_globe_changes_nothing(self, ring, whole, turns):
        """Corners may be written with any turns that keep them in range: beyond 180 or jumping back."""
        ring = [(round(x * 1024) / 1024, y) for x, y in ring]  # so that a shift is exact
        ring = list(dict.fromkeys(ring))
        here = np.round(POSITIONS * 1024) / 1024
        expected = marked(zones(poly(ring)), *here.T)
        shifted = []
        for (x, y), turn in zip(ring, turns, strict=False):
            lon = float(geo.wrap_lon(x + whole))
            shifted.append((lon + 360 * turn if abs(lon + 360 * turn) <= 540 else lon, y))
        assert marked(zones(poly(shifted)), geo.wrap_lon(here[:, 0] + whole), here[:, 1]) == expected

    @each(
        "ring",
        [
            [[170, -1], [190, -1], [190, 1], [170, 1]],
            [[170, -1], [-170, -1], [-170, 1], [170, 1]],
            [[-190, -1], [-170, -1], [-170, 1], [-190, 1]],
            [[530, -1], [-170, -1], [190, 1], [-190, 1], [530, -1]],
        ],
    )
    def test_a_ring_across_the_antimeridian_however_it_is_written(self, ring):
        lon = [169.9, 170, 179.9, 180, -180, -179.9, -170, -169.9, 0]
        assert marked(zones(poly(ring)), lon, np.zeros(9)) == [False] + [True] * 6 + [False] * 2

    def test_the_border_belongs_to_it_and_a_hole_does_not(self):
        lon, lat = [0, 2, 1, 1, 0.5, 0.7, 1.9], [0, 1, 2, 1, 1, 0.7, 1]
        assert marked(zones(poly(*HOLED)), lon, lat) == [True, True, True, False, True, False, True]

    def test_a_hole_may_be_written_another_turn_away(self):
        west = [[x + 360, y] for x, y in HOLED[1]]
        assert marked(zones(poly(SQUARE[0], west)), [1, 0.2], [1, 1]) == [False, True]

    def test_a_band_around_the_globe(self):
        ring = [[x, 10] for x in (-180, -60, 60, 180)] + [[x, 20] for x in (180, 60, -60, -180)]
        assert marked(zones(poly(ring)), [-180, 180, 0, 0], [15, 15, 20, 21]) == [True, True, True, False]

    def test_a_pole_has_every_longitude(self):
        method = zones(poly([[0, 80], [100, 80], [100, 90], [0, 90]]))
        assert marked(method, [50, -50, -50], [90, 90, 85]) == [True, True, False]

    def test_parts_of_a_multipolygon_and_several_zones_join(self):
        away = [[[10, 10], [11, 10], [11, 11]]]
        method = zones(multi(HOLED, away), poly([[5, 5], [6, 5], [6, 6]]))
        assert marked(method, [1, 0.1, 10.5, 5.5, 20], [1, 1, 10.2, 5.2, 20]) == [False, True, True, True, False]


class TestCircles:
    @given(st.floats(-180, 180), st.floats(-90, 90), st.floats(1e-3, 2e7), st.integers(0, 2**32 - 1))
    def test_membership_is_the_great_circle_distance(self, lon, lat, radius_m, seed):
        rng = np.random.default_rng(seed)
        near = geo.destination(lon, lat, radius_m * rng.uniform(0.9, 1.1, 30), rng.uniform(0, 2 * np.pi, 30))
        far = rng.uniform(-180, 180, 30), rng.uniform(-90, 90, 30)
        x, y = np.concatenate([near[0], far[0], [lon]]), np.concatenate([near[1], far[1], [lat]])
        expected = geo.distance_m(lon, lat, x, y) <= radius_m
        assert marked(zones(circle(lon, lat, radius_m)), x, y) == expected.tolist()

    def test_a_centre_beyond_180_is_the_same_place(self):
        for lon in (190, -170, 550 - 360):
            assert marked(zones(circle(lon, 0, 1000)), [-170, -169.9], [0, 0]) == [True, False]


class TestTheMethod:
    def test_each_series_has_its_own_marks(self):
        series = [Trajectory([1, 5], [1, 5]), Trajectory([], []), Trajectory([1], [1])]
        found = zones(poly(*SQUARE)).mark(series)
        assert [one.mask.tolist() for one in found] == [[True, False], [], [True]]

    def test_no_zones_mark_nothing(self):
        assert marked(zones(), [1], [1]) == [False]
        assert list(zones().mark([])) == []

    def test_the_description_survives_json_as_it_was_written(self):
        description = {"name": "zones", "zones": [poly(*HOLED) | {"label": "Home"}, multi(SQUARE), circle(1, 2, 3)]}
        method = landmark_methods.parse(description)
        assert json.loads(json.dumps(method.model_dump())) == description
        assert landmark_methods.parse(method) == method == landmark_methods.parse(method.model_dump())

    def test_needs_nothing_but_positions(self):
        assert Zones.needs() == []
        assert [field["name"] for field in Zones.fields()] == ["zones"]


NAN = float("nan")
DEEP = []
for _ in range(900):
    DEEP = [DEEP]
REFUSED = {
    "crossing": (poly([[0, 0], [2, 1], [2, 0], [0, 2]]), "coordinates", "do not cross"),
    "on a line": (poly([[0, 0], [1, 1], [2, 2]]), "coordinates", "must enclose an area"),
    "whole world in four corners": (poly([[-180, -9], [180, -9], [180, 9], [-180, 9]]), "coordinates", "enclose"),
    "hole outside": (poly(SQUARE[0], [[5, 5], [6, 5], [6, 6]]), "coordinates", "the holes inside the first"),
    "round a pole": (poly([[-180, 80], [-60, 80], [60, 80], [180, 80]]), "coordinates", "must not go round a pole"),
    "part that crosses": (multi(SQUARE, [[[0, 0], [2, 1], [2, 0], [0, 2]]]), "coordinates", "do not cross"),
    "two corners": (poly([[0, 0], [1, 1]]), "coordinates.0", "at least 3"),
    "no rings": (poly(), "coordinates", "at least 1"),
    "nan": (poly([[0, 0], [NAN, 1], [1, 0]]), "coordinates.0.1.0", "must be a finite number"),
    "truth": (poly([[0, 0], [True, 1], [1, 0]]), "coordinates.0.1.0", "must be a number"),
    "huge": (poly([[0, 0], [10**400, 1], [1, 0]]), "coordinates.0.1.0", "must be"),
    "off the globe": (poly([[0, 0], [1, 90.1], [1, 0]]), "coordinates.0.1.1", "must be at most 90"),
    "too far round": (poly([[0, 0], [541, 1], [1, 0]]), "coordinates.0.1.0", "must be at most 540"),
    "one number": (poly([[0, 0], [1], [1, 0]]), "coordinates.0.1.1", "is required"),
    "three numbers": (poly([[0, 0], [1, 2, 3], [1, 0]]), "coordinates.0.1", "at most 2"),
    "text for rings": ({"type": "Polygon", "coordinates": "x"}, "coordinates", "must be a list"),
    "deep": ({"type": "Polygon", "coordinates": DEEP}, "coordinates.0.0.0", "must be a number"),
    "deep type": ({"type": DEEP, "coordinates": SQUARE}, "type", "must be one of Polygon, MultiPolygon, Circle"),
    "unknown type": ({"type": "LineString", "coordinates": []}, "type", "must be one of"),
    "no type": ({"coordinates": SQUARE}, "type", "is required"),
    "radius of a polygon": (poly(*SQUARE) | {"radius_m": 1}, "radius_m", "is not a parameter here"),
    "radius zero": (circle(0, 0, 0), "radius_m", "must be greater than 0"),
    "radius of the globe": (circle(0, 0, 2.1e7), "radius_m", "must be at most 2e+07"),
    "centre": (circle(0, -91, 1), "center.1", "must be at least -90"),
    "label with nul": (circle(0, 0, 1) | {"label": "a\0"}, "label", "must be text on one line"),
    "label of half a pair": (circle(0, 0, 1) | {"label": "\ud800"}, "label", "must be"),
    "long label": (circle(0, 0, 1) | {"label": "x" * 201}, "label", "at most 200 characters"),
}


class TestRefused:
    @each("why", REFUSED)
    def test_by_field_rule_and_value(self, why):
        shape, field, rule = REFUSED[why]
        refused = refusal(ParameterErrors, zones, poly(*SQUARE), shape)
        error = refused.errors[0]
        assert len(refused.errors) <= 2
        assert error.field == f"method.zones.1.{field}"
        assert rule in error.rule
        assert error.message.startswith(f"{error.field} {error.rule}")
        assert len(error.message) < 400
        json.dumps(error.as_dict(), allow_nan=False)

    @each(
        ("value", "field", "rule"),
        [
            *((value, "method.zones", "must be a list") for value in (3, "x")),
            *(([value], "method.zones.0", "must be an object") for value in (3, None, DEEP)),
            ([circle(0, 0, 1)] * (MOST_ZONES + 1), "method.zones", f"must be at most {MOST_ZONES} zones"),
            (
                [poly([[0, i / 1e6] for i in range(MOST_CORNERS // 2 + 1)])] * 2,
                "method.zones",
                f"must have at most {MOST_CORNERS:,} corners together",
            ),
        ],
    )
    def test_lists_that_are_none_or_too_long(self, value, field, rule):
        refused = refusal(ParameterErrors, landmark_methods.parse, {"name": "zones", "zones": value}, field="method")
        assert (refused.errors[0].field, refused.errors[0].rule) == (field, rule)

    def test_a_hundred_thousand_wrong_corners_are_one_error(self):
        assert len(refusal(ParameterErrors, zones, poly([["x", "y"]] * 90_000)).errors) <= 2


class TestGeojson:
    def test_features_with_labels_altitudes_and_circles(self):
        features = [
            {"type": "Feature", "properties": {"name": "Home"}, "geometry": poly([[*p, 7] for p in SQUARE[0]])},
            {"type": "Feature", "properties": None, "geometry": multi(SQUARE)},
            feature("Point", [1, 2, 3], radius=250, label="Work"),
            feature("", []) | {"geometry": {"type": "GeometryCollection", "geometries": [poly(*SQUARE)]}},
        ]
        document = {"type": "FeatureCollection", "features": features}
        home, work = poly(*SQUARE) | {"label": "Home"}, circle(1, 2, 250) | {"label": "Work"}
        expected, text = zones(home, multi(SQUARE), work, poly(*SQUARE)), json.dumps(document)
        for source in (document, text, "\ufeff" + text, ("\ufeff" + text).encode()):
            assert zones_from_geojson(source) == expected

    def test_a_bare_geometry(self):
        assert zones_from_geojson(poly(*SQUARE)) == zones(poly(*SQUARE))

    @each(
        ("source", "field"),
        [
            *((text, "geojson") for text in ("", "[" * 100_000, b"\xff\xfe", "9" * 5000, "null", [])),
            ({"type": "FeatureCollection"}, "geojson.features"),
            ({"type": "FeatureCollection", "features": [3]}, "features.0"),
            ({"type": "Feature", "geometry": None}, "geojson.geometry"),
            ({"type": "Feature", "geometry": {"type": "Point", "coordinates": [0, 0]}}, "geojson.geometry"),
            ({"type": "LineString", "coordinates": [[0, 0], [1, 1]]}, "geojson"),
            ({"type": "Polygon"}, "zones.0.coordinates"),
            ({"type": "Polygon", "coordinates": [[["a", "b"], [NAN, 0], [1, 1]]]}, "zones.0.coordinates.0.0.0"),
            ({"type": "GeometryCollection", "geometries": [{"type": "GeometryCollection"}]}, "geojson.geometries.0"),
        ],
    )
    def test_what_is_none_is_refused_by_its_place(self, source, field):
        refused = refusal(ParameterError, zones_from_geojson, source)
        assert refused.field == field
        assert refused.rule


@each(("rings", "corners"), [(1, 5001), (5, 4500)])
def test_rings_that_would_take_long_to_check_are_refused_before(rings, corners):
    angle = np.linspace(0, 2 * np.pi, corners, endpoint=False)
    ring = np.column_stack([np.cos(angle), np.sin(angle)]).round(9).tolist()
    zones = [poly(ring)] * rings
    with pytest.raises(ParameterErrors, match=r"at most (5,000|20,000)"):
        landmark_methods.parse({"name": "zones", "zones": zones}, field="method")
