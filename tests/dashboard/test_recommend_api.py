"""Recommendations and most visited places: from the private model alone, and what owners compare them with."""

import json
from itertools import pairwise
from unittest.mock import patch

import numpy as np
import pytest

from dashboard.datasets.models import BudgetEntry
from dashboard.releases.checkins import pages as checkin_pages
from dashboard.releases.checkins import recommendations
from privacy_engine import recommender
from privacy_engine.core import geo
from privacy_engine.experiments.presets.base import presets, with_examples
from privacy_engine.mechanisms.base import mechanism
from tests.dashboard import kinds
from tests.dashboard.api_helpers import first_error, refused
from tests.dashboard.kinds import DATASETS, POPULARITY, made, released, requested
from tests.engine.format_samples import zipped

pytestmark = pytest.mark.django_db


ROWS = kinds.checkin_rows()
CELLS = 64
MODELS = [cls.registered_name() for cls in mechanism.mechanisms.of("checkins") if not cls.needs_venues]


@pytest.fixture
def checkins(owner_api):
    return made(owner_api, kinds.checkins(ROWS))


@pytest.fixture
def release(owner_api, checkins):
    """A published model of them on a grid of 8 by 8 cells."""
    return released(owner_api, checkins, POPULARITY)


def recommended(api, release, history, **more):
    return api.post(release["urls"]["recommend"], {"history": history, **more})


def cell_of(row):
    """The cell of a row of the upload, by the definition of the grid."""
    lat, lon = map(float, row.split(",")[3:])
    return int((lat - 48.8) / 0.1 * 8) * 8 + int((lon - 2.2) / 0.2 * 8)


class TestRecommend:
    def test_is_what_the_downloaded_model_recommends_by_cells_places_or_positions(self, owner_api, release, tmp_path):
        path = tmp_path / "model.json"
        path.write_bytes(owner_api.get(release["urls"]["data"], {"format": "json"}).getvalue())
        model = recommender.Recommender.load(path)
        assert model.private
        assert json.loads(path.read_bytes())["privacy"]["private"] is True
        for history in ([], [3], [5, 6, 60]):
            answer = recommended(owner_api, release, history)
            assert answer.status_code == 200
            cells = answer.json()["cells"]
            assert [one["cell"] for one in cells] == model.recommend(history, k=10).tolist()
            assert [one["score"] for one in cells] == model.scores(history)[[one["cell"] for one in cells]].tolist()
            assert [one["rank"] for one in cells] == list(range(1, 11))
        for one in recommended(owner_api, release, [9, 0]).json()["cells"]:
            away = geo.distance_m(2.2 + 0.0125, 48.8 + 0.00625, one["lon"], one["lat"])
            assert one["distance_m"] == pytest.approx(float(away), rel=1e-6)
        assert all(one["distance_m"] is None for one in recommended(owner_api, release, []).json()["cells"])
        row = ROWS[0]
        place, lat, lon = row.split(",")[2:]
        cell = next(cell_of(one) for one in sorted(ROWS, key=lambda one: one.split(",")[0]) if f",{place}," in one)
        found = [recommended(owner_api, release, [item]).json() for item in (cell, place)]
        assert found[0] == found[1]
        position = recommended(owner_api, release, [{"lon": float(lon), "lat": float(lat)}]).json()
        assert position["history"] == [cell_of(row)]
        assert recommended(owner_api, release, [4, 4, 5, 5, 5, 4]).json()["history"] == [4, 5, 4]

    def test_costs_nothing_reads_no_check_in_and_never_recommends_the_last_place(self, owner_api, release):
        before = BudgetEntry.objects.count()
        first = recommended(owner_api, release, []).json()["cells"][0]["cell"]
        answer = recommended(owner_api, release, [7, first], k=1000).json()
        assert first not in [one["cell"] for one in answer["cells"]]
        assert len(answer["cells"]) == answer["of"] - 1 == CELLS - 1
        assert sum(one["share"] for one in answer["cells"]) == pytest.approx(1)
        assert BudgetEntry.objects.count() == before
        with patch("dashboard.storage.data_files.cached_data", side_effect=AssertionError("the upload was read")):
            assert recommended(owner_api, release, [1, {"lon": 2.3, "lat": 48.85}]).status_code == 200
            assert owner_api.get(release["urls"]["model_map"], {"history": [1, 2]}).status_code == 200

    def test_fail_of_histories_numbers_and_kinds(self, owner_api, release):
        no_cell, no_position = "a cell from 0 to 63", "a position with numbers lon and lat"
        for history, field, rule in [
            *[([wrong], "history.0", no_cell) for wrong in (64, 1.5, True, None, [1])],
            ([1, -1], "history.1", no_cell),
            ([{"lon": 2.3}], "history.0", no_position),
            ([{"lon": "2.3", "lat": 48.8}], "history.0", no_position),
            ([{"lon": 9.0, "lat": 48.8}], "history.0", "in the box of the release"),
            (["nowhere"], "history.0", "the name of a place of the upload"),
            ("1,2", "history", "a list of cells"),
            ([1] * 1001, "history", "at most 1,000 places"),
        ]:
            for url in (release["urls"]["recommend"], release["urls"]["recommend_reference"]):
                answer = owner_api.post(url, {"history": history})
                error = first_error(answer)
                assert (answer.status_code, error["field"]) == (400, field), history
                assert error["rule"].startswith(rule)
                assert "value" in error
        for body in ('{"history": [{"lon": NaN, "lat": 48.8}]}', '{"history": [1e999]}', '{"k": 3}'):
            answer = owner_api.post(release["urls"]["recommend"], body, content_type="application/json")
            assert (answer.status_code, first_error(answer)["field"][:7]) == (400, "history"), body
        for k in (0, -1, 1001, "all", None):
            answer = recommended(owner_api, release, [1], k=k)
            assert refused(answer) == (400, "k"), k
        assert refused(owner_api.get(release["urls"]["model_map"], {"history": [64]})) == (400, "history.0")
        answer = owner_api.get(release["urls"]["histories"], {"user": "who"})
        assert (answer.status_code, first_error(answer)["field"], first_error(answer)["value"]) == (400, "user", "who")
        row = released(owner_api, made(owner_api, kinds.wide(kinds.counts())), kinds.STREAM)
        assert refused(owner_api.post(f"{row['urls']['self']}recommend/", {"history": []})) == (400, "dataset")
        assert "recommend" not in row["urls"]


@pytest.mark.parametrize("name", MODELS)
def test_every_model_recommends_and_is_reported(owner_api, owner_page, checkins, tmp_path, name):
    release = released(owner_api, checkins, with_examples(mechanism.mechanisms[name], POPULARITY | {"side": 4}), seed=1)
    urls, path = release["urls"], tmp_path / "model.json"
    path.write_bytes(owner_api.get(urls["data"], {"format": "json"}).getvalue())
    model = recommender.Recommender.load(path)
    assert not model.private
    for history in ([], [5, 9]):
        cells = [one["cell"] for one in recommended(owner_api, release, history).json()["cells"]]
        assert cells == model.recommend(history, k=10).tolist()
        shown = owner_api.get(urls["model_map"], {"history": history}).json()
        assert shown["boxes"] == model.boxes(history).tolist()
        masses = model.densities()
        assert shown["densities"] == (None if masses is None else pytest.approx(masses))
    assert len(owner_api.get(urls["cells"], {"k": 16}).json()["cells"]) == 16
    for query in ("", "?for=owner"):
        assert owner_page.get(urls["report"] + query).status_code == 200
    assert name in owner_page.get(urls["page"]).content.decode()


class TestReference:
    def test_is_without_noise_and_beside_the_published_ranking(self, owner_api, release):
        def reference(**more):
            return owner_api.post(release["urls"]["recommend_reference"], {"history": [9]} | more).json()

        published = [one["cell"] for one in recommended(owner_api, release, [9]).json()["cells"]]
        found, whole = reference(), reference(k=64)
        assert [one["cell"] for one in found["recommended"]] == published
        rank = {one["cell"]: one["rank"] for one in whole["markov"]}
        assert [one["rank"] for one in found["recommended"]] == [rank[cell] for cell in published]
        assert reference(k=64) == whole
        nearest = reference(k=63)["nearest"]
        assert 9 not in [one["cell"] for one in nearest]
        assert all(one["distance_m"] <= other["distance_m"] + 1e-6 for one, other in pairwise(nearest))
        assert {one["cell"] for one in nearest[:4]} == {1, 8, 10, 17}
        assert reference(history=[])["nearest"] == []


class TestModelMap:
    def test_has_the_grid_and_what_was_published_and_the_truth_is_the_upload(self, owner_api, release):
        found = owner_api.get(release["urls"]["model_map"]).json()
        assert (found["columns"], found["rows"], found["west"], found["north"]) == (8, 8, 2.2, 48.9)
        cells = owner_api.get(release["urls"]["cells"], {"k": 64}).json()["cells"]
        assert found["densities"] == [one["count"] for one in sorted(cells, key=lambda one: one["cell"])]
        assert found["boxes"] == []
        found = owner_api.get(release["urls"]["true_densities"])
        expected = np.bincount([cell_of(row) for row in ROWS], minlength=CELLS)
        assert found.json()["densities"] == expected.tolist()
        assert "no-store" in found.headers["Cache-Control"]


class TestVenues:
    VENUES = "place_id,lat,lon,name\nv1,48.81,2.21,Café\nv2,48.82,2.22,Park\nv3,48.89,2.39,\n"
    PLACES = ("v1", "v2", "v2", "v3", "v1", "v2")

    @pytest.fixture
    def release(self, owner_api):
        """A model that counts the venues of a list, with hardly any noise."""
        rows = [f"u{i},2024-06-01T00:0{i}:00Z,{place}" for i, place in enumerate(self.PLACES)]
        files = {"checkins.csv": kinds.checkins(rows, "user_id,time,place_id"), "venues.csv": self.VENUES.encode()}
        dataset = made(owner_api, zipped(**files), "data.zip", kind="checkins")
        return released(owner_api, dataset, POPULARITY | {"name": "checkin-venues", "epsilon": 500.0, "side": 2})

    def test_are_ranked_inside_a_cell_by_what_was_published(self, owner_api, release):
        found = owner_api.get(release["urls"]["venues"], {"cell": 0}).json()
        shown = [(one["rank"], one["venue"], one["name"], one["count"]) for one in found["venues"]]
        assert shown == [(1, "v2", "Park", 3), (2, "v1", "Café", 2)]
        other = owner_api.get(release["urls"]["venues"], {"cell": 3, "k": 1}).json()["venues"]
        assert [one["venue"] for one in other] == ["v3"]
        assert owner_api.get(release["urls"]["venues"], {"cell": 1}).json()["venues"] == []
        assert refused(owner_api.get(release["urls"]["venues"], {"cell": 4})) == (400, "cell")
        other = released(owner_api, made(owner_api, kinds.checkins(ROWS)), POPULARITY)
        assert refused(owner_api.get(other["urls"]["venues"], {"cell": 0})) == (400, "release")


class TestHistories:
    def test_lists_users_by_their_check_ins_and_has_the_last_cells_of_one(self, owner_api, release):
        found = owner_api.get(release["urls"]["histories"], {"most": 5}).json()
        names = [row.split(",")[0] for row in ROWS]
        assert (found["of"], found["shown"]) == (len(set(names)), None)
        assert [one["checkins"] for one in found["users"]] == sorted(map(names.count, set(names)), reverse=True)[:5]
        visited = [cell_of(row) for row in ROWS if row.startswith(f"{names[0]},")]
        collapsed = [cell for i, cell in enumerate(visited) if i == 0 or visited[i - 1] != cell]
        shown = owner_api.get(release["urls"]["histories"], {"user": names[0]}).json()["shown"]
        assert (shown["visits"], shown["history"]) == (len(collapsed), collapsed[-recommendations.LATEST :])


class TestEvaluated:
    """A release has the figures of an evaluation only if it has its parameters."""

    @pytest.mark.parametrize("name", MODELS)
    def test_parameters_of_the_preset_are_its_own_whatever_level_and_grid(self, name):
        preset = presets.parse({"name": "recommendation-epsilon"}).spec()
        (spec,) = [one["mechanism"] for one in preset.grid["release"] if one["mechanism"]["name"] == name]
        own = spec | {"epsilon": 0.3, "side": 4, "west": -74.0, "south": 40.0, "east": -73.0, "north": 41.0}
        assert unusual(own) == unusual(own | {"privacy_unit": "record", "contributions": 7}) == []
        assert len(unusual(own | {"relation": "replace-one"})) == 1
        assert unusual(own | {"contributions": 7}) == ["Check-ins per user"]


def unusual(spec):
    return checkin_pages._unusual(mechanism.mechanisms.parse(spec))


VISITS = kinds.checkins(
    ["a,2024-01-01T08:00:00Z,7", "a,2024-01-02T08:00:00Z,7", "b,2024-01-01T08:00:00Z,8", "b,2024-01-02T08:00:00Z,7"],
    "user_id,time,place_id",
)
VENUES = b"place_id,name,lat,lon\n7,<b>Bar</b>,48.85,2.25\n8,<b>Bar</b>,48.86,2.35\n"


@pytest.fixture
def joined(owner_api):
    """Check-ins with a list of venues, detected by their columns."""
    return made(owner_api, zipped(**{"checkins.csv": VISITS, "venues.csv": VENUES}), "both.zip")


def test_are_ranked_by_name_with_their_positions_and_refused_by_field(owner_api, joined, owner_page):
    assert (joined["kind"], joined["points"], joined["bounds"]) == ("checkins", 4, [2.25, 48.85, 2.35, 48.86])
    found = owner_api.get(f"{DATASETS}{joined['id']}/places/").json()
    assert found["of"] == 2
    first, second = found["places"]
    place = {"place": "7", "name": "<b>Bar</b>", "lon": 2.25, "lat": 48.85}
    assert first == place | {"rank": 1, "checkins": 3, "users": 2}
    assert (second["place"], second["checkins"], second["users"]) == ("8", 1, 1)
    assert len(owner_api.get(f"{DATASETS}{joined['id']}/places/", {"k": 1}).json()["places"]) == 1
    url = f"{DATASETS}{joined['id']}/places/"
    for k in (0, 1001, "all"):
        answer = owner_api.get(url, {"k": k})
        assert refused(answer) == (400, "k")
    placeless = made(
        owner_api, kinds.checkins(["a,2024-01-01T08:00:00Z,1.5,2.5"], "user_id,time,lat,lon"), kind="checkins"
    )
    answer = owner_api.get(f"{DATASETS}{placeless['id']}/places/")
    assert (answer.status_code, first_error(answer)["rule"]) == (400, "places")
    assert "Most visited places" not in owner_page.get(placeless["urls"]["page"]).content.decode()


def test_without_names_and_positions_they_are_identifiers(owner_api, owner_page):
    bare = made(owner_api, VISITS)
    first = owner_api.get(f"{DATASETS}{bare['id']}/places/").json()["places"][0]
    assert (first["place"], first["name"], first["lon"]) == ("7", "", None)
    page = owner_page.get(bare["urls"]["page"]).content.decode()
    assert "Most visited places" in page
    assert "data-map" not in page


def test_counts_of_venues_are_released_where_a_list_came(owner_api, owner_page, joined):
    counted = POPULARITY | {"name": "checkin-venues", "epsilon": 200.0}
    assert released(owner_api, joined, counted)["state"] == "done"
    assert "<dt>Listed venues</dt><dd>2</dd>" in owner_page.get(joined["urls"]["page"]).content.decode()
    bare = made(owner_api, kinds.checkins(["a,2024-01-01T08:00:00Z,7,48.85,2.25"], "user_id,time,place_id,lat,lon"))
    for dataset, offered in ((joined, True), (bare, False)):
        form = owner_page.get(f"/datasets/{dataset['id']}/releases/new/").content.decode()
        assert ("checkin-venues" in form) == offered
    answer = requested(owner_api, bare, counted)
    assert refused(answer) == (400, "mechanism.name")
    assert "came without one" in first_error(answer)["rule"]
    assert BudgetEntry.objects.count() == 1
