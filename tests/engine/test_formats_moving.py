"""MF-JSON as MovingPandas and MobilityDB write it, and what the standard allows beside."""

import json

import numpy as np
import pytest

from privacy_engine.errors import FormatError
from privacy_engine.formats import read
from tests.cases import each, refusal
from tests.engine.format_samples import seconds, shows
from tests.engine.frame_sample import FIX
from tests.later import geopandas, movingpandas
from tests.later import pandas as pd

INSTANTS = ["2024-06-15T12:00:00Z", "2024-06-15T12:01:00Z", "2024-06-15T12:02:00Z"]
POSITIONS = [[13.4, 52.5], [13.5, 52.6, 30.0], [13.6, 52.7]]
POINT = {"type": "MovingPoint", "datetimes": INSTANTS, "coordinates": POSITIONS}
FEATURE = {"type": "Feature", "properties": {"name": "run"}, "temporalGeometry": POINT}
LON = [13.4, 13.5, 13.6]
TIMES = [FIX, FIX + 60, FIX + 120]


def found(document, **facts):
    return shows(json.dumps(document).encode(), "x.json", format="mfjson", **facts)


def together(*features, **members):
    return {"type": "FeatureCollection", "features": list(features), **members}


def named(name):
    return {"type": "Name", "properties": {"name": name}}


def frame():
    table = pd.DataFrame(
        {"traj_id": [1, 1, 2], "t": pd.to_datetime([one[:-1] for one in INSTANTS]), "speed": [1, 2, 3]}
    )
    points = geopandas.points_from_xy([13.4, 13.5, 13.6], [52.5, 52.6, 52.7], crs="EPSG:4326")
    return geopandas.GeoDataFrame(table, geometry=points)


@pytest.mark.filterwarnings("ignore")  # MovingPandas' own
class TestWriters:
    @pytest.mark.parametrize("encoder", ["text", "iso", "milliseconds"])
    def test_collections_that_movingpandas_writes_and_reads(self, encoder, tmp_path):
        encoders = {"iso": lambda t: t.isoformat() + "Z", "milliseconds": lambda t: int(t.timestamp() * 1000)}
        document = movingpandas.io.gdf_to_mf_json(
            frame(), "traj_id", "t", temporal_columns=["speed"], interpolation="Linear",
            crs=named("urn:ogc:def:crs:OGC:1.3:CRS84"), trs=named("urn:ogc:data:time:iso8601"),
            datetime_encoder=encoders.get(encoder), datetime_to_str=encoder == "text",
        )  # fmt: skip
        zone = {"time_zone": "UTC"} if encoder == "text" else {}
        reading = found(document, given=zone, people=[("1", ""), ("2", "")], seconds=TIMES)
        assert len(reading.series[0]) == 2
        if encoder == "milliseconds":  # which MovingPandas takes for nanoseconds
            return
        one = movingpandas.read_mf_dict(document["features"][0], traj_id_property="traj_id")
        assert one.df.geometry.x.tolist() == reading.series[0].lon.tolist()
        assert [at.timestamp() for at in one.df.index.tz_localize("UTC")] == seconds(reading.series[0])

    def test_the_trajectory_of_the_standard_that_movingpandas_reads(self, shared):
        path = shared / "data/trajectories/geojson/201901.en-trajectory.json"
        expected = movingpandas.read_mf_json(str(path))
        reading = read(path)
        assert (reading.report.format, len(reading)) == ("geojson", 19)
        assert reading.series[0].lon.tolist() == expected.df.geometry.x.tolist()
        assert np.array_equal(seconds(reading.series[0]), expected.df.index.as_unit("s").astype("int64"))

    def test_points_and_sequences_of_mobilitydb(self):
        alone = {"type": "MovingPoint", "crs": named("EPSG:4326"), "interpolation": "Linear"}
        sequences = [
            {"coordinates": POSITIONS[:2], "datetimes": ["2024-06-15T12:00:00+00", "2024-06-15T14:01:00+02:00"]},
            {"coordinates": POSITIONS[2:], "datetimes": INSTANTS[2:], "lower_inc": True, "upper_inc": True},
        ]
        found(alone | {"sequences": sequences}, names=["1"], lon=LON, seconds=TIMES)
        discrete = {**POINT, "type": "MovingGeomPoint", "interpolations": ["Discrete"]}
        found(discrete, names=["1"], lon=LON, seconds=TIMES)


class TestForms:
    def test_features_with_identifiers_properties_and_neither(self):
        bare = {key: value for key, value in FEATURE.items() if key != "properties"}
        people = [("ship", "ship"), ("7", "7")]  # they move at the same time
        found(together(bare | {"id": "ship"}, bare | {"id": 7}), people=people)
        found(together(bare, bare), names=["1", "2"])
        found(FEATURE, names=["run"])

    def test_a_collection_is_joined_in_a_feature_and_apart_alone(self):
        rest = {**POINT, "datetimes": INSTANTS[1:], "coordinates": POSITIONS[1:]}
        prisms = [
            {**POINT, "datetimes": INSTANTS[:1], "coordinates": POSITIONS[:1]},
            {"type": "MovingGeometryCollection", "prisms": [rest]},
        ]
        collection = {"type": "MovingGeometryCollection", "prisms": prisms}
        found(FEATURE | {"temporalGeometry": collection}, names=["run"], lon=LON, seconds=TIMES)
        found(collection, series=[("1", 1), ("2", 2)], lon=LON, seconds=TIMES)
        found({"type": "TemporalGeometrySequence", "geometrySequence": prisms}, names=["1", "2"])

    def test_instants_as_numbers(self):
        for unit in (1, 1000, 1_000_000):
            found({**POINT, "datetimes": [at * unit for at in TIMES]}, seconds=TIMES)

    def test_other_geometries(self):
        static = FEATURE | {"geometry": {"type": "LineString", "coordinates": [[0, 0], [1, 1]]}}
        found(static, lon=LON)
        found(together(static, notes="x" * 70_000), lon=LON)
        other = FEATURE | {"temporalGeometry": {"type": "MovingPolygon", "datetimes": [], "coordinates": []}}
        found(together(FEATURE, other), rows={"unsupported_geometry": [2]}, dropped={"unsupported_geometry": 1})

    @each(
        "system",
        [
            named("urn:ogc:def:crs:EPSG::3857"),
            {"type": "Link", "properties": {"href": "http://www.opengis.net/def/crs/EPSG/0/3857"}},
            "EPSG:3857",
        ],
    )
    def test_a_coordinate_system_wherever_it_is_named(self, system):
        point, own = {**POINT, "coordinates": [[1491681.18, 6891041.72]] * 3}, {"crs": system}
        for document in (
            together(FEATURE | {"temporalGeometry": point | own}),
            together(FEATURE | {"temporalGeometry": point} | own),
            together(FEATURE | {"temporalGeometry": point}, **own),
        ):
            assert found(document).series[0].lon == pytest.approx([13.4] * 3, abs=1e-6)

    @each("name", ["urn:ogc:def:crs:OGC:1.3:CRS84", "http://www.opengis.net/def/crs/OGC/1.3/CRS84", "OGC:CRS84h"])
    def test_degrees_under_all_their_names(self, name):
        found(FEATURE | {"crs": named(name)}, lon=LON)


class TestRefusals:
    @each(
        ("change", "rule", "value"),
        [
            ({"datetimes": INSTANTS[:2]}, "must hold as many values as coordinates (3)", 2),
            ({"datetimes": None}, "must be a list", None),
            ({"datetimes": "2024"}, "must be a list", "2024"),
            ({"coordinates": {}}, "must be a list", {}),
        ],
    )
    def test_lists_that_do_not_fit(self, change, rule, value):
        [field] = change
        error = refusal(FormatError, found, together(FEATURE, FEATURE | {"temporalGeometry": POINT | change}))
        assert f"temporalGeometry.{field} of feature 2 must" in error.message
        stated = (error.code, error.field, error.rule, error.value, error.row)
        assert stated == ("bad_moving_point", field, rule, value, 2)

    @each(
        ("member", "field", "value"),
        [
            ({"crs": named("EPSG:999999")}, "crs", "EPSG:999999"),
            ({"crs": {"type": "Name", "properties": {}}}, "crs", "{'type': 'Name', 'properties': {}}"),
            ({"trs": named("geological ages")}, "trs", "geological ages"),
        ],
    )
    def test_reference_systems_that_are_not_known(self, member, field, value):
        error = refusal(FormatError, found, FEATURE | member)
        assert (error.code, error.field, error.value) == ("unsupported_crs", field, value)
        assert error.rule

    def test_two_systems_in_one_document(self):
        two = [FEATURE | {"crs": named(system)} for system in ("EPSG:3857", "EPSG:25833")]
        error = refusal(FormatError, found, together(*two))
        assert ("must be in one" in error.message, error.field) == (True, "crs")
        assert error.value == "EPSG:3857, EPSG:25833"

    def test_collections_in_collections_end(self):
        deep: object = POINT
        for _ in range(300):
            deep = {"type": "MovingGeometryCollection", "prisms": [deep]}
        assert refusal(FormatError, found, FEATURE | {"temporalGeometry": deep}).code == "no_points"
