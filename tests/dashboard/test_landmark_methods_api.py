"""Zones, random landmarks and a file's landmark column by the API; hostile descriptions are the client's fault."""

import io

import numpy as np
import pytest

from dashboard.datasets.models import Dataset
from dashboard.landmarks.models import LandmarkSet
from dashboard.landmarks.services import mark_landmarks
from dashboard.maps import track_encoding
from dashboard.releases.execution import run
from dashboard.releases.models import Release
from dashboard.releases.services import submit_release
from dashboard.storage.data_files import read_data, read_release, write_data
from dashboard.storage.series_cache import line
from privacy_engine import formats
from privacy_engine.data import Trajectory
from privacy_engine.formats.arrow import pq
from privacy_engine.spec import ReleaseSpec
from tests.dashboard.api_helpers import first_error, refused
from tests.dashboard.conftest import upload

SETS = "/api/v1/landmark-sets/"
PREVIEW = f"{SETS}preview/"
DATASETS = "/api/v1/datasets/"
LOUVRE = {"type": "Circle", "center": [2.3376, 48.8606], "radius_m": 1000, "label": "Work"}
WEST = {"type": "Polygon", "coordinates": [[[2.30, 48.86], [2.32, 48.86], [2.32, 48.88], [2.30, 48.88], [2.30, 48.86]]]}
MARKED = b"user,time,lat,lon,is_landmark\n" + b"".join(
    b"%s,2024-06-15T10:3%d:00Z,52.%d,13.4,%s\n" % row
    for row in [(b"b", 3, 3, b"yes"), (b"a", 2, 2, b"no"), (b"b", 1, 1, b""), (b"a", 0, 0, b"yes"), (b"b", 2, 2, b"no")]
)


@pytest.fixture
def marked_dataset(owner_api):
    """Two series, their rows out of order, marked by the file."""
    answer = owner_api.post(DATASETS, {"file": upload(MARKED)}, format="multipart")
    assert answer.status_code == 201, answer.content
    return Dataset.objects.get(pk=answer.json()["id"])


class TestZones:
    def test_are_previewed_and_kept_as_they_were_described(
        self, owner_api, owner, ready_dataset, make_dataset, paris_day
    ):
        method = {"name": "zones", "zones": [WEST, LOUVRE]}
        body = {"dataset": str(ready_dataset.pk), "method": method}
        found = owner_api.post(PREVIEW, body).json()
        made = owner_api.post(SETS, body)
        assert (made.status_code, made.json()["name"]) == (201, "2 zones")
        assert made.json()["method"] == LandmarkSet.objects.get().method == method
        assert found["runs"] == owner_api.get(made.json()["urls"]["events"]).json()["runs"] == [[0, 1], [2, 4], [7, 8]]
        two = make_dataset(owner, paris_day, paris_day)  # of many series they are counted over the dataset
        answer = owner_api.post(PREVIEW, {"dataset": str(two.pk), "method": {"name": "zones", "zones": [WEST]}})
        assert answer.json()["runs"] == [[0, 1], [7, 9], [15, 16]]


CROSSING = {"type": "Polygon", "coordinates": [[[0, 0], [2, 1], [2, 0], [0, 2], [0, 0]]]}
HOSTILE = {
    "crossing": ({"name": "zones", "zones": [WEST, CROSSING]}, "method.zones.1.coordinates"),
    "unknown shape": ({"name": "zones", "zones": [{"type": "Blob"}]}, "method.zones.0.type"),
    "deep shape": ({"name": "zones", "zones": [{"type": [[[[[]]]]]}]}, "method.zones.0.type"),
    "no zones": ({"name": "zones"}, "method.zones"),
    "text": ({"name": "zones", "zones": "x"}, "method.zones"),
    "text in a ring": (
        {"name": "zones", "zones": [{"type": "Polygon", "coordinates": [[["a", "b"]] * 4]}]},
        "method.zones.0.coordinates.0.0.0",
    ),
    "many zones": ({"name": "zones", "zones": [LOUVRE] * 501}, "method.zones"),
    "many corners": (
        {"name": "zones", "zones": [{"type": "Polygon", "coordinates": [[[0, 1]] * 100_001]}]},
        "method.zones",
    ),
    "many wrong events": ({"name": "manual", "events": ["x"] * 400_000}, "method.events.0"),
    "share": ({"name": "synthetic", "share": 2, "seed": 1}, "method.share"),
    "seedless": ({"name": "synthetic", "share": 0.2}, "method.seed"),
    "distribution": ({"name": "synthetic", "share": 0.2, "seed": 1, "distribution": {}}, "method.distribution"),
    "column with more": ({"name": "column", "of": "landmark"}, "method.of"),
    "column of a dataset without": ({"name": "column"}, "method.name"),
    "nul": ({"name": "zones", "zones": [LOUVRE | {"label": "\0"}]}, "method.zones.0.label"),
}


class TestHostileDescriptions:
    @pytest.mark.parametrize("why", HOSTILE)
    def test_fail_names_the_field_and_keeps_nothing(self, owner_api, ready_dataset, why):
        method, field = HOSTILE[why]
        for url in (SETS, PREVIEW):
            answer = owner_api.post(url, {"dataset": str(ready_dataset.pk), "method": method})
            assert refused(answer) == (400, field)
            assert first_error(answer)["rule"]
            assert len(answer.content) < 3000
        assert not LandmarkSet.objects.exists()

    def test_fail_nesting_of_any_depth(self, owner_api, ready_dataset):
        for depth in (5, 100, 300, 600, 800, 900, 950, 1000, 5000):
            nested = "[" * depth + "]" * depth
            zones = f'"zones", "zones": [{{"type": "Polygon", "coordinates": {nested}}}]'
            for name in (nested, zones):
                body = f'{{"dataset": "{ready_dataset.pk}", "method": {{"name": {name}}}}}'
                answer = owner_api.post(PREVIEW, body, content_type="application/json")
                assert (answer.status_code, bool(answer.json()["errors"])) == (400, True), (depth, name[:9])


class TestSynthetic:
    def test_the_same_seed_marks_the_same_events(self, owner_api, ready_dataset):
        method = {"name": "synthetic", "share": 0.5, "distribution": "bimodal", "scale_divisor": 4, "seed": 7}
        body = {"dataset": str(ready_dataset.pk), "method": method}
        one, two = owner_api.post(PREVIEW, body).json(), owner_api.post(PREVIEW, body).json()
        assert (one["count"], one) == (4, two)
        assert owner_api.post(SETS, body).json()["name"] == "random 50 %, bimodal, seed 7"


class TestAverageTemporalDistance:
    def test_is_in_the_report_of_a_set_and_in_the_preview(self, owner_api, landmark_set):
        reported = owner_api.get(f"{SETS}{landmark_set.pk}/").json()
        assert reported["average_temporal_distance"] == 1.0  # events 1, 3, 5 and 6 are each beside a landmark
        body = {"dataset": reported["dataset"], "method": reported["method"]}
        assert owner_api.post(PREVIEW, body).json()["average_temporal_distance"] == 1.0
        assert "average_temporal_distance" not in owner_api.get(SETS).json()["results"][0]

    def test_each_series_has_its_own_ends(self, owner, owner_api, make_dataset):
        long, short = Trajectory([0.0] * 5, [0.0] * 5), Trajectory([0.0], [0.0])
        both = make_dataset(owner, long, short)
        made = mark_landmarks(owner=owner, dataset=both, method={"name": "manual", "events": [1]})
        reported = owner_api.get(f"{SETS}{made.pk}/").json()
        assert reported["average_temporal_distance"] == (1 + 1 + 2 + 1 + 1) / 5


class TestColumn:
    def test_an_upload_keeps_its_marks_in_the_order_of_its_events(self, owner_api, marked_dataset, tmp_path):
        reported = owner_api.get(f"{DATASETS}{marked_dataset.pk}/").json()
        assert reported["has_landmark_column"] is True
        assert [one["name"] for one in reported["series"]] == ["b", "a"]
        stored = read_data("trajectory", marked_dataset.points_path)
        assert [one.marked.tolist() for one in stored] == [[False, False, True], [True, False]]
        write_data("trajectory", tmp_path / "plain", [Trajectory(one.lon, one.lat, one.time_s) for one in stored])
        on_map = [track_encoding.encode(line(path, 0)) for path in (marked_dataset.points_path, tmp_path / "plain")]
        assert on_map[0] == on_map[1], "the map is reported nothing of it"
        answer = owner_api.post(SETS, {"dataset": reported["id"], "method": {"name": "column"}})
        assert answer.json()["name"] == "marked in the file"
        assert owner_api.get(answer.json()["urls"]["events"]).json()["runs"] == [[2, 4]]

    def test_reading_again_without_it_leaves_it_out_and_with_it_brings_it_back(self, owner_api, marked_dataset):
        read, me = f"{DATASETS}{marked_dataset.pk}/read/", f"{DATASETS}{marked_dataset.pk}/"
        for landmark, has in (("#0", False), ("is_landmark", True), ("", True)):
            reported = owner_api.post(read, {"landmark": landmark}).json()
            assert reported["has_landmark_column"] is owner_api.get(me).json()["has_landmark_column"] is has
            preview = owner_api.post(PREVIEW, {"dataset": reported["id"], "method": {"name": "column"}})
            assert preview.status_code == (200 if has else 400)

    def test_the_upload_form_offers_the_column_and_the_page_shows_what_is_marked(self, owner_page, marked_dataset):
        assert 'name="landmark"' in owner_page.get("/").content.decode()
        page = owner_page.get(f"/datasets/{marked_dataset.pk}/").content.decode()
        assert "Landmarks</abbr></dt><dd>2</dd>" in page

    def test_a_landmark_column_gives_no_new_budget(self, owner_api, marked_dataset):
        other = owner_api.post(DATASETS, {"file": upload(MARKED), "landmark": "#0"}, format="multipart").json()
        assert other["content_digest"] == marked_dataset.content_digest

    def test_no_release_file_track_or_download_carries_it(self, owner, owner_api, marked_dataset):
        marks = mark_landmarks(owner=owner, dataset=marked_dataset, method={"name": "column"})
        spec = ReleaseSpec.parse({"mechanism": {"name": "landmark-skip", "epsilon": 1.0, "radius_m": 200.0}})
        release = submit_release(owner=owner, dataset=marked_dataset, landmark_set=marks, spec=spec)
        run(release.pk)
        release = Release.objects.get(pk=release.pk)
        assert release.state == "done"
        assert pq.read_schema(release.data_path).names == ["series", "lon", "lat", "time_ms", "event"]
        assert all(one.marked is None for one, _ in read_release("trajectory", release.data_path))
        for fmt in ("csv", "geojson", "gpx", "parquet"):
            answer = owner_api.get(f"/api/v1/releases/{release.pk}/data/", {"format": fmt})
            assert answer.status_code == 200, answer.content
            again = formats.read(io.BytesIO(b"".join(answer.streaming_content)), name=f"x.{fmt}")
            assert all(one.marked is None for one in again.series)

    def test_a_file_is_written_and_read_back_with_and_without(self, tmp_path):
        marked = Trajectory([1, 2], [1, 2], [0, 1], "a", np.array([True, False]))
        plain = Trajectory([3], [3], [2], "b")
        write_data("trajectory", tmp_path / "both", [marked, plain])
        assert [one.marked.tolist() for one in read_data("trajectory", tmp_path / "both")] == [[True, False], [False]]
        write_data("trajectory", tmp_path / "plain", [plain])
        assert read_data("trajectory", tmp_path / "plain")[0].marked is None
