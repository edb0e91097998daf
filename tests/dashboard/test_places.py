"""The most visited places of check-ins by name: the API and the page, for their owner."""

import pytest

from dashboard.datasets.models import BudgetEntry
from tests.dashboard.api_helpers import first_error, refused
from tests.dashboard.kinds import DATASETS, POPULARITY, checkins, made, released, requested
from tests.engine.format_samples import zipped

VISITS = checkins(
    ["a,2024-01-01T08:00:00Z,7", "a,2024-01-02T08:00:00Z,7", "b,2024-01-01T08:00:00Z,8", "b,2024-01-02T08:00:00Z,7"],
    "user_id,time,place_id",
)
VENUES = b"place_id,name,lat,lon\n7,<b>Bar</b>,48.85,2.25\n8,<b>Bar</b>,48.86,2.35\n"
pytestmark = pytest.mark.django_db


@pytest.fixture
def joined(owner_api):
    """Check-ins with a list of venues, detected by their columns."""
    return made(owner_api, zipped(**{"checkins.csv": VISITS, "venues.csv": VENUES}), "both.zip")


def test_are_ranked_by_name_with_their_positions(owner_api, joined):
    assert (joined["kind"], joined["points"], joined["bounds"]) == ("checkins", 4, [2.25, 48.85, 2.35, 48.86])
    found = owner_api.get(f"{DATASETS}{joined['id']}/places/").json()
    assert found["of"] == 2
    first, second = found["places"]
    place = {"place": "7", "name": "<b>Bar</b>", "lon": 2.25, "lat": 48.85}
    assert first == place | {"rank": 1, "checkins": 3, "users": 2}
    assert (second["place"], second["checkins"], second["users"]) == ("8", 1, 1)
    assert len(owner_api.get(f"{DATASETS}{joined['id']}/places/", {"k": 1}).json()["places"]) == 1


def test_without_names_and_positions_they_are_identifiers(owner_api, owner_page):
    bare = made(owner_api, VISITS)
    first = owner_api.get(f"{DATASETS}{bare['id']}/places/").json()["places"][0]
    assert (first["place"], first["name"], first["lon"]) == ("7", "", None)
    page = owner_page.get(bare["urls"]["page"]).content.decode()
    assert "Most visited places" in page
    assert "data-map" not in page


def test_are_refused_by_field(owner_api, joined, owner_page):
    url = f"{DATASETS}{joined['id']}/places/"
    for k in (0, 1001, "all"):
        answer = owner_api.get(url, {"k": k})
        assert refused(answer) == (400, "k")
    placeless = made(owner_api, checkins(["a,2024-01-01T08:00:00Z,1.5,2.5"], "user_id,time,lat,lon"), kind="checkins")
    answer = owner_api.get(f"{DATASETS}{placeless['id']}/places/")
    assert (answer.status_code, first_error(answer)["rule"]) == (400, "places")
    assert "Most visited places" not in owner_page.get(placeless["urls"]["page"]).content.decode()


def test_counts_of_venues_are_released_where_a_list_came(owner_api, owner_page, joined):
    counted = POPULARITY | {"name": "checkin-venues", "epsilon": 200.0}
    assert released(owner_api, joined, counted)["state"] == "done"
    assert "<dt>Listed venues</dt><dd>2</dd>" in owner_page.get(joined["urls"]["page"]).content.decode()
    rows = checkins(["a,2024-01-01T08:00:00Z,7,48.85,2.25"], "user_id,time,place_id,lat,lon")
    bare = made(owner_api, rows)
    for dataset, offered in ((joined, True), (bare, False)):
        form = owner_page.get(f"/datasets/{dataset['id']}/releases/new/").content.decode()
        assert ("checkin-venues" in form) == offered
    answer = requested(owner_api, bare, counted)
    assert refused(answer) == (400, "mechanism.name")
    assert "came without one" in first_error(answer)["rule"]
    assert BudgetEntry.objects.count() == 1
