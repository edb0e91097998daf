"""MF-JSON as MovingPandas and MobilityDB write it, and what the standard allows beside."""

import json

import numpy as np
import pytest

from privacy_engine.errors import FormatError
from privacy_engine.formats import read
from tests.cases import each, refusal
from tests.engine.format_samples import read_bytes, seconds
from tests.engine.frame_sample import FIX
from tests.later import geopandas, movingpandas
from tests.later import pandas as pd

INSTANTS = ["2024-06-15T12:00:00Z", "2024-06-15T12:01:00Z", "2024-06-15T12:02:00Z"]
POSITIONS = [[13.4, 52.5], [13.5, 52.6, 30.0], [13.6, 52.7]]
POINT = {"type": "MovingPoint", "datetimes": INSTANTS, "coordinates": POSITIONS}
FEATURE = {"type": "Feature", "properties": {"name": "run"}, "temporalGeometry": POINT}


def found(document, **values):
    reading = read_bytes(json.dumps(document).encode(), "x.json", **values)
    assert reading.report.format == "mfjson"
    return [(one.name, one.lon.tolist(), seconds(one)) for one in reading.series]


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
            crs={"type": "Name", "properties": {"name": "urn:ogc:def:crs:OGC:1.3:CRS84"}},
            trs={"type": "Name", "properties": {"name": "urn:ogc:data:time:iso8601"}},
            datetime_encoder=encoders.get(encoder), datetime_to_str=encoder == "text",
        )  # fmt: skip
        path = tmp_path / "x.mfjson"
        path.write_text(json.dumps(document))
        zone = {"time_zone": "UTC"} if encoder == "text" else {}
        reading = read(path, **zone)
        assert [(one.name, one.person) for one in reading.series] == [("1", ""), ("2", "")]
        assert [seconds(one) for one in reading.series] == [[FIX, FIX + 60], [FIX + 120]]
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
        alone = {"type": "MovingPoint", "crs": {"type": "Name", "properties": {"name": "EPSG:4326"}}}
        sequences = [
            {"coordinates": POSITIONS[:2], "datetimes": ["2024-06-15T12:00:00+00", "2024-06-15T14:01:00+02:00"]},
            {"coordinates": POSITIONS[2:], "datetimes": INSTANTS[2:], "lower_inc": True, "upper_inc": True},
        ]
        one = [("1", [13.4, 13.5, 13.6], [FIX, FIX + 60, FIX + 120])]
        assert found(alone | {"sequences": sequences, "interpolation": "Linear"}) == one
        assert found({**POINT, "type": "MovingGeomPoint", "interpolations": ["Discrete"]}) == one


class TestForms:
    def test_features_with_identifiers_properties_and_neither(self):
        bare = {key: value for key, value in FEATURE.items() if key != "properties"}
        features = [bare | {"id": "ship"}, bare | {"id": 7}]
        assert [name for name, _, _ in found({"type": "FeatureCollection", "features": features})] == ["ship", "7"]
        people = {one.person for one in read_bytes(json.dumps(features).encode(), "x.json").series}
        assert people == {"ship", "7"}  # they move at the same time
        assert [name for name, _, _ in found({"type": "FeatureCollection", "features": [bare, bare]})] == ["1", "2"]
        assert found(FEATURE)[0][0] == "run"

    def test_a_collection_is_joined_in_a_feature_and_apart_alone(self):
        rest = {**POINT, "datetimes": INSTANTS[1:], "coordinates": POSITIONS[1:]}
        prisms = [
            {**POINT, "datetimes": INSTANTS[:1], "coordinates": POSITIONS[:1]},
            {"type": "MovingGeometryCollection", "prisms": [rest]},
        ]
        collection = {"type": "MovingGeometryCollection", "prisms": prisms}
        assert found(FEATURE | {"temporalGeometry": collection}) == [
            ("run", [13.4, 13.5, 13.6], [FIX, FIX + 60, FIX + 120])
        ]
        assert found(collection) == [("1", [13.4], [FIX]), ("2", [13.5, 13.6], [FIX + 60, FIX + 120])]
        sequence = {"type": "TemporalGeometrySequence", "geometrySequence": prisms}
        assert len(found(sequence)) == 2

    @each("unit", [1, 1000, 1_000_000])
    def test_instants_as_numbers(self, unit):
        numbers = [(FIX + 60 * i) * unit for i in range(3)]
        assert found({**POINT, "datetimes": numbers})[0][2] == [FIX, FIX + 60, FIX + 120]

    def test_a_static_geometry_beside_it_is_not_read(self):
        static = {"type": "LineString", "coordinates": [[0, 0], [1, 1]]}
        assert found(FEATURE | {"geometry": static})[0][1] == [13.4, 13.5, 13.6]
        late = {"type": "FeatureCollection", "notes": "x" * 70_000, "features": [FEATURE | {"geometry": static}]}
        assert read_bytes(json.dumps(late).encode()).series[0].lon.tolist() == [13.4, 13.5, 13.6]

    def test_other_moving_geometries_are_left_out_by_number(self):
        other = FEATURE | {"temporalGeometry": {"type": "MovingPolygon", "datetimes": [], "coordinates": []}}
        report = read_bytes(json.dumps({"type": "FeatureCollection", "features": [FEATURE, other]}).encode()).report
        assert (report.dropped, report.drops["unsupported_geometry"].rows) == ({"unsupported_geometry": 1}, [2])

    @each(
        "system",
        [
            {"type": "Name", "properties": {"name": "urn:ogc:def:crs:EPSG::3857"}},
            {"type": "Link", "properties": {"href": "http://www.opengis.net/def/crs/EPSG/0/3857"}},
            "EPSG:3857",
        ],
    )
    @each("place", ["document", "feature", "geometry"])
    def test_a_coordinate_system_wherever_it_is_named(self, system, place):
        own = {"crs": system}
        point = {**POINT, "coordinates": [[1491681.18, 6891041.72]] * 3} | (own if place == "geometry" else {})
        feature = FEATURE | {"temporalGeometry": point} | (own if place == "feature" else {})
        document = {"type": "FeatureCollection", "features": [feature]} | (own if place == "document" else {})
        assert found(document)[0][1] == pytest.approx([13.4] * 3, abs=1e-6)

    @each("name", ["urn:ogc:def:crs:OGC:1.3:CRS84", "http://www.opengis.net/def/crs/OGC/1.3/CRS84", "OGC:CRS84h"])
    def test_degrees_under_all_their_names(self, name):
        crs = {"type": "Name", "properties": {"name": name}}
        assert found(FEATURE | {"crs": crs})[0][1] == [13.4, 13.5, 13.6]


class TestRefusals:
    @each(
        ("change", "field", "rule", "value"),
        [
            ({"datetimes": INSTANTS[:2]}, "datetimes", "must hold as many values as coordinates (3)", 2),
            ({"datetimes": None}, "datetimes", "must be a list", None),
            ({"datetimes": "2024"}, "datetimes", "must be a list", "2024"),
            ({"coordinates": {}}, "coordinates", "must be a list", {}),
        ],
    )
    def test_lists_that_do_not_fit(self, change, field, rule, value):
        features = [FEATURE, FEATURE | {"temporalGeometry": POINT | change}]
        with pytest.raises(FormatError, match=rf"temporalGeometry\.{field} of feature 2 must") as refused:
            found({"type": "FeatureCollection", "features": features})
        error = refused.value
        assert (error.code, error.field, error.rule, error.value, error.row) == (
            "bad_moving_point",
            field,
            rule,
            value,
            2,
        )

    @each(
        ("member", "field", "value"),
        [
            ({"crs": {"type": "Name", "properties": {"name": "EPSG:999999"}}}, "crs", "EPSG:999999"),
            ({"crs": {"type": "Name", "properties": {}}}, "crs", "{'type': 'Name', 'properties': {}}"),
            ({"trs": {"type": "Name", "properties": {"name": "geological ages"}}}, "trs", "geological ages"),
        ],
    )
    def test_reference_systems_that_are_not_known(self, member, field, value):
        refused = refusal(FormatError, found, FEATURE | member)
        assert (refused.code, refused.field, refused.value) == ("unsupported_crs", field, value)
        assert refused.rule

    def test_two_systems_in_one_document(self):
        other = FEATURE | {"crs": {"type": "Name", "properties": {"name": "EPSG:3857"}}}
        third = FEATURE | {"crs": {"type": "Name", "properties": {"name": "EPSG:25833"}}}
        with pytest.raises(FormatError, match="must be in one") as refused:
            found({"type": "FeatureCollection", "features": [other, third]})
        assert (refused.value.field, refused.value.value) == ("crs", "EPSG:3857, EPSG:25833")

    def test_collections_in_collections_end(self):
        deep: object = POINT
        for _ in range(300):
            deep = {"type": "MovingGeometryCollection", "prisms": [deep]}
        assert refusal(FormatError, found, FEATURE | {"temporalGeometry": deep}).code == "no_points"
