"""Counts of the venues of a public list: what they are sensitive to, what is published, and lists as they are read."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privacy_engine import noise
from privacy_engine.data import CheckIns
from privacy_engine.datatypes import datatypes
from privacy_engine.errors import DataError
from privacy_engine.grid import Grid
from privacy_engine.mechanisms.recommendation import CheckInVenues
from privacy_engine.recommender import Recommender, VenuesModel
from privacy_engine.venues import Venues
from tests.cases import refusal
from tests.engine.format_samples import read_bytes, zipped

BOX = {"west": 0.0, "south": 0.0, "east": 2.0, "north": 2.0, "side": 2}
LISTED = Venues(["a", "b", "c", "out"], np.array([0.5, 0.6, 1.5, 5.0]), np.full(4, 0.5), ["Café", "", "Park", "Far"])
PLACES = [*LISTED.ids, "unlisted"]


def mechanism(**given):
    return CheckInVenues(**{"epsilon": 1.0, "contributions": 2, **BOX, **given})


def uploaded(*visits):
    """Check-ins of one user in each list, at these of ``PLACES``."""
    place = np.array([one for visited in visits for one in visited], dtype=np.int64)
    user = np.repeat(np.arange(len(visits)), [len(visited) for visited in visits])
    users = [f"u{i}" for i in range(len(visits))]
    return CheckIns(user, users, np.arange(len(place)) * 1.0, place, PLACES, venues=LISTED)


visits = st.lists(st.integers(0, 4), max_size=6)


@pytest.mark.parametrize("unit", ["user", "record"])
@given(others=st.lists(visits, max_size=4), one=visits, more=st.integers(0, 4), data=st.data())
def test_neighbours_spend_at_most_epsilon(unit, others, one, more, data):
    if unit == "user":
        first, second = others, [*others, one]
    else:
        at = data.draw(st.integers(0, len(one)))
        first, second = [*others, one], [*others, [*one[:at], more, *one[at:]]]
    fitted = mechanism(privacy_unit=unit)
    log = fitted.logged(uploaded(*first), rng=noise.seeded(1))
    prepared = (fitted.prepared(uploaded(*rows)) for rows in (first, second))
    one_input, other_input = prepared
    assert sum(query.spent(one_input, other_input) for query in log.queries) <= fitted.epsilon + 1e-12
    assert sum(query.epsilon for query in log.queries) == pytest.approx(fitted.epsilon)
    assert one_input.venues.ids == other_input.venues.ids == ["a", "b", "c"]


def test_venues_of_a_cell_come_by_their_counts():
    model = VenuesModel(Grid.from_dict(BOX), LISTED.at(np.array([0, 1, 2])), np.array([-2, 7, 4]))
    assert model.venues_in(0, 5).tolist() == [1, 0]
    assert model.venues_in(0, 1).tolist() == [1]
    assert model.venues_in(3, 5).tolist() == []
    assert model.densities().tolist() == [5, 4, 0, 0]
    assert model.recommend([0], 2).tolist() == [1, 2]
    with pytest.raises(DataError, match="history must be cells of the grid"):
        model.venues_in(4, 1)
    again = Recommender.from_dict(json.loads(json.dumps(model.as_dict())))
    assert again.as_dict() == model.as_dict()


def test_the_first_check_ins_at_listed_venues_in_the_box_count_and_all_of_these_are_published():
    assert mechanism().prepared(uploaded([4, 3, 1, 0, 0], [2])).counts.tolist() == [1, 1, 1]
    model = mechanism().release(uploaded([0]), rng=noise.publishable())
    assert model.private
    assert model.venues.names == ["Café", "", "Park"]
    guarantee = mechanism().guarantee()
    assert "of which the first 2 at listed venues in the box count" in guarantee.statement
    assert "with a box, a grid and a list of venues chosen without the check-ins" in guarantee.statement
    assert any("nothing in it depends on the check-ins" in one for one in guarantee.assumptions)
    data = CheckIns(np.array([0]), ["u"], np.zeros(1), np.array([0]), ["a"], np.zeros(1), np.zeros(1))
    with pytest.raises(DataError, match="upload both in one ZIP archive"):
        mechanism().release(data, rng=noise.seeded(1))


def test_lists_that_are_none_are_refused():
    for ids, lon, rule in (
        (["a", "a"], [0.0, 1.0], "each once"),
        (["a", "b"], [0.0], "same length"),
        (["a"], [181.0], "degrees"),
    ):
        assert refusal(DataError, Venues, ids, np.array(lon), np.zeros(len(lon)), [""] * len(ids)).rule == rule
    for described in (None, [], {"ids": ["a"]}, {"ids": [1], "lon": [0], "lat": [0], "names": [""]}):
        with pytest.raises(DataError, match="columns ids, lon, lat and names"):
            Venues.from_dict(described)


def test_a_list_in_the_archive_is_read_and_stored_with_the_check_ins():
    visits = b"user_id,time,place_id\nu,2024-01-01T00:00:00Z,a\nu,2024-01-02T00:00:00Z,b\n"
    venues = "place_id,lat,lon,name\na,0.5,0.5,Café\nb,0.5,0.6,\nnever,0.5,1.5,Park\n".encode()
    data = read_bytes(zipped(**{"checkins.csv": visits, "venues.csv": venues}), kinds=["checkins"]).other
    kind = datatypes["checkins"]
    stored = kind.from_table(kind.to_table(data))
    listed = {"ids": ["a", "b", "never"], "lon": [0.5, 0.6, 1.5], "lat": [0.5] * 3, "names": ["Café", "", "Park"]}
    assert data.venues.as_dict() == stored.venues.as_dict() == listed
    assert mechanism().prepared(stored).counts.tolist() == [1, 1, 0]
