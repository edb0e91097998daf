"""The datasets app through its REST entry points: read again, change, list, draw, delete."""

import json
import struct

import numpy as np
import pyarrow as pa
import pytest

from dashboard.datasets.models import Budget, Dataset
from dashboard.landmarks.services import mark_landmarks
from dashboard.releases.models import Release
from dashboard.storage import removals
from privacy_engine.data import Trajectory
from tests.dashboard.api_helpers import decode_track
from tests.dashboard.conftest import upload

URL = "/api/v1/datasets/"


class TestReadAgain:
    def test_changes_the_points(self, owner_api):
        reported = owner_api.post(URL, {"file": upload()}, format="multipart").json()
        answer = owner_api.post(f"{reported['urls']['self']}read/", {"first_n": 2})
        assert (answer.status_code, answer.json()["points"]) == (200, 2)
        row = Dataset.objects.get()
        removals.finish()  # as once the transaction is committed
        assert sorted(path.name for path in row.folder.iterdir()) == ["original", row.points_file]

    def test_that_cannot_be_changes_nothing(self, owner_api):
        reported = owner_api.post(URL, {"file": upload()}, format="multipart").json()
        answer = owner_api.post(f"{reported['urls']['self']}read/", {"options": {"lon": "nowhere"}})
        assert answer.status_code == 400
        assert owner_api.get(reported["urls"]["self"]).json() == reported

    def test_is_refused_once_landmarks_stand_on_the_points(self, owner, owner_api):
        reported = owner_api.post(URL, {"file": upload()}, format="multipart").json()
        mark_landmarks(owner=owner, dataset=Dataset.objects.get(), method={"name": "manual", "events": [0]})
        answer = owner_api.post(f"{reported['urls']['self']}read/", {"first_n": 2})
        assert (answer.status_code, answer.json()["errors"][0]["code"]) == (409, "conflict")
        assert owner_api.get(reported["urls"]["self"]).json() == reported


class TestChange:
    def test_renames(self, owner_api, ready_dataset):
        answer = owner_api.patch(f"{URL}{ready_dataset.pk}/", {"name": " New\u202e \n"})
        assert (answer.status_code, answer.json()["name"]) == (200, "New")

    def test_refuses_a_name_that_is_none(self, owner_api, ready_dataset):
        for name in ["", "\u202e", " \n", 7 * [1], {"a": 1}, None]:
            answer = owner_api.patch(f"{URL}{ready_dataset.pk}/", {"name": name})
            assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, "name"), name

    def test_sets_and_lifts_a_budget(self, owner_api, ready_dataset):
        url = f"{URL}{ready_dataset.pk}/"
        reported = owner_api.patch(url, {"budget": {"epsilon": 2, "radius_m": 200.5}}).json()
        assert reported["budget"] == {"epsilon": 2.0, "radius_m": 200.5}
        assert owner_api.patch(url, {"budget": None}).json()["budget"] is None

    def test_refuses_a_budget_outside_its_domain(self, owner_api, ready_dataset):
        for value in [0, -1, 1e-300, 1e308, float("nan"), float("inf"), True, "١", "abc", None, [], {}]:
            for field in ["epsilon", "radius_m"]:
                budget = {"epsilon": 1.0, "radius_m": 200.0} | {field: value}
                body = json.dumps({"budget": budget})  # Python's own writes NaN and Infinity
                answer = owner_api.patch(f"{URL}{ready_dataset.pk}/", body, content_type="application/json")
                assert answer.status_code == 400, (value, field)
                assert answer.json()["errors"][0]["field"] == f"budget.{field}", (value, field)
                assert not Budget.objects.exclude(total=None).exists(), (value, field)

    def test_name_and_budget_change_together_or_not_at_all(self, owner_api, ready_dataset):
        body = {"name": "x", "budget": {"epsilon": -1, "radius_m": 1}}
        assert owner_api.patch(f"{URL}{ready_dataset.pk}/", body).status_code == 400
        ready_dataset.refresh_from_db()
        assert ready_dataset.name == "A day in Paris"


@pytest.mark.django_db(transaction=True)
def test_deleting_removes_the_files_of_its_releases(owner_api, ready_dataset, done, files):
    assert done.data_path.exists()
    assert owner_api.delete(f"{URL}{ready_dataset.pk}/").status_code == 204
    assert not Release.objects.exists()
    assert files() == []


class TestList:
    @pytest.fixture(autouse=True)
    def three(self, owner, stranger, make_dataset, paris_day):
        for name in ("Alpha", "beta", "Gamma alpha"):
            make_dataset(owner, paris_day, name=name)
        make_dataset(stranger, paris_day, name="alpha of a stranger")

    def names(self, api, query):
        return [one["name"] for one in api.get(f"{URL}?{query}").json()["results"]]

    def test_newest_first_and_only_the_owners(self, owner_api):
        assert self.names(owner_api, "") == ["Gamma alpha", "beta", "Alpha"]

    def test_filters_and_orders(self, owner_api):
        assert self.names(owner_api, "name=ALPHA&ordering=name") == ["Alpha", "Gamma alpha"]
        assert self.names(owner_api, "state=failed") == []
        assert self.names(owner_api, "kind=trajectory&ordering=-name") == ["beta", "Gamma alpha", "Alpha"]

    def test_refuses_a_filter_it_does_not_know(self, owner_api):
        for query in ["state=lost", "ordering=owner", "kind=x", "name=%00"]:
            answer = owner_api.get(f"{URL}?{query}")
            assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, query.split("=")[0]), query


class TestTrack:
    def test_is_the_series_as_whole_numbers(self, owner_api, owner, make_dataset):
        second = Trajectory([1.5, -2.5, 3.5], [4, 5, -6], [7, 8.25, 9], name="b")
        row = make_dataset(owner, Trajectory([0], [0], [0]), second)
        answer = owner_api.get(f"{URL}{row.pk}/track/?series=1")
        assert answer["Content-Type"] == "application/octet-stream"
        assert "private" in answer["Cache-Control"]
        assert decode_track(answer.content) == {
            "lon": [15_000_000, -25_000_000, 35_000_000],
            "lat": [40_000_000, 50_000_000, -60_000_000],
            "time_ms": [7000, 8250, 9000],
            "event": [],
            "ends": [],
        }

    def test_without_times_has_none(self, owner_api, owner, make_dataset):
        row = make_dataset(owner, Trajectory([0, 1], [0, 1]))
        body = owner_api.get(f"{URL}{row.pk}/track/").content
        assert struct.unpack_from("<10I", body)[2:] == (2, 0, 1, 5, 5, 0, 0, 0)

    def test_is_compressed_for_clients_that_accept_it(self, owner_api, owner, make_dataset):
        lon = np.round(np.random.default_rng(1).uniform(0, 1, 5000), 7)
        url = f"{URL}{make_dataset(owner, Trajectory(lon, lon)).pk}/track/"
        plain, pressed = (owner_api.get(url, headers={"Accept-Encoding": how}) for how in ("identity", "gzip, zstd"))
        assert plain.get("Content-Encoding") is None
        assert pressed["Content-Encoding"] == "zstd"
        assert "Accept-Encoding" in pressed["Vary"]
        assert pa.decompress(pressed.content, len(plain.content), codec="zstd", asbytes=True) == plain.content
        assert decode_track(plain.content)["lon"] == np.round(lon * 1e7).astype(int).tolist()

    def test_a_view_has_the_visible_points_with_their_events(self, owner_api, owner, make_dataset):
        lon = [0.5, 0.5001, 1.0, 50.0, 1.0, 0.9]
        row = make_dataset(owner, Trajectory(lon, [0.5, 0.5, 0.9, 0.5, 0.5, 0.6], range(6)))
        view = {"west": 0, "north": 1, "width": 256, "height": 256, "zoom": 8, "middle": 0}
        whole = owner_api.get(f"{URL}{row.pk}/track/", view | {"width": 8000, "zoom": 3})
        assert decode_track(whole.content)["ends"] == [len(decode_track(whole.content)["lon"])]
        found = decode_track(owner_api.get(f"{URL}{row.pk}/track/", view).content)
        assert found["event"] == [0, 2, 3, 4, 5], "the second is not a pixel away"
        quarter = 360e7 / (256 * 2**8) / 4  # of a pixel
        expected = [5_000_000, 10_000_000, 500_000_000, 10_000_000, 9_000_000]
        assert np.abs(np.subtract(found["lon"], expected)).max() <= quarter / 2
        assert (found["time_ms"], found["ends"]) == ([], [5])
        away = decode_track(owner_api.get(f"{URL}{row.pk}/track/", view | {"west": 100}).content)
        assert (away["event"], away["ends"]) == ([], [])

    def test_fail_names_the_wrong_parameter_of_a_view(self, owner_api, ready_dataset):
        for field, value in [
            *[("west", "-541"), ("north", "91"), ("width", "0"), ("height", "1e9"), ("zoom", "99"), ("middle", "nan")],
            *[("zoom", ""), ("zoom", "١"), ("west", "1" * 400), ("middle", "0x1")],
        ]:
            view = {"west": 0, "north": 1, "width": 9, "height": 9, "zoom": 1, "middle": 0, field: value}
            answer = owner_api.get(f"{URL}{ready_dataset.pk}/track/", view)
            assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, field), (field, value)

    def test_fail_names_the_missing_parameter_of_a_view(self, owner_api, ready_dataset):
        answer = owner_api.get(f"{URL}{ready_dataset.pk}/track/", {"west": 0, "north": 1, "zoom": 1, "middle": 0})
        error = answer.json()["errors"][0]
        assert (answer.status_code, error["field"]) == (400, "width")
        assert error["message"] == "width must be given with west, north, zoom, middle"

    def test_what_was_deleted_is_not_read_from_the_cache(self, owner_api, ready_dataset):
        url = f"{URL}{ready_dataset.pk}/track/"
        assert owner_api.get(url).status_code == 200
        ready_dataset.points_path.unlink()
        assert owner_api.get(url).status_code == 404

    def test_names_a_series_that_is_not_there(self, owner_api, ready_dataset):
        for series in ["1", "-1", "x", "1e9", "9" * 30]:
            answer = owner_api.get(f"{URL}{ready_dataset.pk}/track/?series={series}")
            assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, "series"), series
