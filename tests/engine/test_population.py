"""Flows and visits of a population: what a person weighs, what queries spend, published figures, intervals, attacks."""

import json
import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import gamma

from benchmarks.results_population import apart, gowalla_trips
from privacy_engine import noise
from privacy_engine.aggregation.trips import rule_of, trips_of
from privacy_engine.data import CheckIns
from privacy_engine.errors import ParameterError
from privacy_engine.population import flows as flow_module
from privacy_engine.population.flows import (
    Flows,
    flows_gravity,
    flows_laplace,
    flows_posterior,
    flows_sampled,
    sums,
    sums_share,
    visits_posterior,
)
from privacy_engine.population.gravity import gravity
from privacy_engine.population.membership import membership, most_accurate
from privacy_engine.population.places import places_of
from privacy_engine.population.posterior import SHAPES, posterior
from privacy_engine.population.weights import UNITS, flow_weights, visit_weights, weighted
from tests.conftest import SHARED

BOX = "-74.05,40.68,-73.90,40.85"
RELEASES = [flows_posterior, flows_gravity, flows_laplace]
EVENTS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 7)), min_size=1, max_size=60)


# What a person weighs ----------------------------------------------------------------------------------------


@given(EVENTS)
def test_each_person_adds_exactly_the_same_units_and_depends_on_no_other(events):
    person, cell = np.array(events).T
    together = weighted(person, cell, 8)
    alone = [weighted(person[person == one], cell[person == one], 8) for one in np.unique(person)]
    assert all(each.sum() == UNITS for each in alone)
    assert together.tolist() == sum(alone).tolist()


@given(EVENTS)
def test_units_are_within_one_of_the_shares_and_have_no_order(events):
    person, cell = np.array(events).T
    some = person == person[0]
    shares = np.bincount(cell[some], minlength=8) / some.sum() * UNITS
    units = weighted(person[some], cell[some], 8)
    assert (np.abs(units - shares) < 1).all()
    mixed = np.random.default_rng(0).permutation(len(person))
    assert weighted(person[mixed], cell[mixed], 8).tolist() == weighted(person, cell, 8).tolist()


def trips_in(lon, lat, person, hours):
    n = len(lon)
    checkins = CheckIns(np.sort(np.array(person)), ["a", "b"], np.array(hours) * 3600.0, lon=lon, lat=lat)
    assert len(checkins) == n
    return trips_of(checkins, rule_of("gap:24h"))


def test_trips_outside_and_within_a_place_are_left_out_before_a_persons_trips_are_counted():
    places = places_of("grid:2x1:0,0,2,1")
    # c0r0 -> c1r0 (counts), within c1r0, out of the box, back into it, then c0r0 -> c1r0 of another person
    trips = trips_in([0.5, 1.5, 1.6, 3.0, 0.5, 0.2, 1.2], [0.5] * 7, [0] * 5 + [1] * 2, [0, 1, 2, 3, 4, 0, 1])
    assert len(trips) == 5
    assert flow_weights([trips], places).tolist() == [0, 2 * UNITS, 0, 0]
    # visits are ends: two of the first person in c1r0 and one in c0r0
    third = UNITS // 3
    assert visit_weights([trips], places).tolist() == [third, UNITS - third + UNITS]


def test_parts_of_whole_people_give_the_same_table():
    rng, n = np.random.default_rng(1), 400
    person = np.sort(rng.integers(0, 40, n))
    cell = rng.integers(0, 16, n)
    cuts = np.searchsorted(person, [0, 10, 25, 40])
    parts = [weighted(person[a:b], cell[a:b], 16) for a, b in pairwise(cuts)]
    assert sum(parts).tolist() == weighted(person, cell, 16).tolist()


# What is spent ------------------------------------------------------------------------------------------------


@given(st.sampled_from(RELEASES), st.floats(0.05, 20), st.integers(0, 3000))
def test_the_queries_of_a_release_spend_at_most_epsilon(release, epsilon, persons):
    """Each query is of numbers that a person changes by at most their units: its rate times these is what it spends."""
    places, spent = places_of("grid:3x3:0,0,3,3"), []
    table = np.zeros(81, dtype=np.int64)
    table[1] = persons * UNITS
    drawn = noise.discrete_laplace

    def counted(rate, n, *, rng):
        spent.append(rate * UNITS)
        return drawn(rate, n, rng=rng)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(flow_module.noise, "discrete_laplace", counted)
        release(table, places, epsilon, rng=noise.seeded(1))
    assert epsilon * (1 - 1e-9) < math.fsum(spent) <= epsilon


@given(EVENTS)
def test_a_person_changes_each_queried_sum_by_their_units_at_most(events):
    places = places_of("grid:2x4:0,0,2,4")
    _, cell = np.array(events).T
    pair = cell * 8 + np.roll(cell, 1)
    pair = pair[pair % 9 != 0]  # none from a place to itself
    change = weighted(np.zeros(len(pair), dtype=np.int64), pair, 64)
    assert all(of.sum() == change.sum() <= UNITS for of in sums(change, places))


def test_trips_that_are_sampled_are_at_most_so_many_of_a_person_and_any_of_theirs():
    places = places_of("grid:4x1:0,0,4,1")
    # 0 to 6 h: eight trips of one person between four places; two of the other
    lon = [0.5, 1.5, 2.5, 3.5, 2.5, 1.5, 0.5, 1.5, 0.5, 3.5, 0.5]
    trips = trips_in(lon, [0.5] * 11, [0] * 8 + [1] * 3, [*range(8), *range(3)])
    flat = {"most": 3, "threshold": -math.inf, "rng": noise.seeded(1)}
    tables = [flows_sampled([trips], places, 1e6, **flat | {"rng": noise.seeded(seed)}).flow for seed in range(40)]
    assert {table.sum() for table in tables} == {5.0}
    assert len({tuple(table) for table in tables}) > 5
    assert set(np.flatnonzero(sum(tables))) == {1, 6, 11, 14, 9, 4, 3, 12}
    cut = flows_sampled([trips], places, 1e6, most=8, threshold=2, rng=noise.seeded(1))
    assert set(np.flatnonzero(cut.flow)) == {1}


def test_visits_are_nearer_than_their_noise_and_in_their_intervals():
    true = np.round(np.random.default_rng(6).gamma(0.2, 20, 256) * UNITS).astype(np.int64)
    errors, held = [], []
    for seed in range(30):
        made = visits_posterior(true, 0.5, rng=noise.seeded(seed))
        noisy = np.maximum((true + noise.discrete_laplace(0.5 / UNITS, 256, rng=noise.seeded(seed))) / UNITS, 0)
        errors.append([np.abs(of - true / UNITS).sum() for of in (made.flow, noisy)])
        held.append(((made.lower <= true / UNITS) & (true / UNITS <= made.upper)).mean())
    assert np.mean(errors, axis=0)[0] < 0.97 * np.mean(errors, axis=0)[1]
    assert np.mean(held) >= 0.88


@pytest.mark.parametrize("release", RELEASES)
def test_only_noise_of_the_operating_system_is_private(release):
    places, table = places_of("grid:2x2:0,0,2,2"), np.zeros(16, dtype=np.int64)
    assert release(table, places, 1.0, rng=noise.publishable()).private
    first, second = (release(table, places, 1.0, rng=noise.seeded(7)) for _ in range(2))
    assert not first.private
    assert first.flow.tolist() == second.flow.tolist()


# Estimates ----------------------------------------------------------------------------------------------------


def test_the_posterior_mean_is_that_of_the_sums_written_out():
    rng = np.random.default_rng(2)
    prior = np.exp(np.round(rng.normal(0, 2, 50) * 4) / 4)
    scale = 1.7
    noisy = rng.gamma(0.5, prior / 0.5) + rng.laplace(0, scale, 50)
    values = np.append(0.0, np.geomspace(1e-3, 1.0, 40)[:-1])
    values = np.append(values, np.geomspace(1.0, max(noisy.max(), 2.0) * 1.2, 80))
    edges = np.concatenate([[0], (values[1:] + values[:-1]) / 2, [np.inf]])
    found = {}
    for shape in SHAPES:
        mass = np.diff(gamma.cdf(edges, shape, scale=np.maximum(prior, 1e-4)[:, None] / shape), axis=1) + 1e-300
        weights = mass * np.exp(-np.abs(noisy[:, None] - values) / scale)
        found[shape] = np.log(weights.sum(axis=1)).sum(), (weights * values).sum(axis=1) / weights.sum(axis=1)
    best = max(found, key=lambda shape: found[shape][0])
    made = posterior(noisy, prior, scale)
    assert made.shape == best
    np.testing.assert_allclose(made.mean, found[best][1], rtol=1e-9)


def test_gravity_has_the_sums_that_it_is_given():
    places = places_of("grid:4x4:0,0,4,4")
    rng = np.random.default_rng(3)
    true = rng.gamma(1, 5, (16, 16)) / (1 + places.bands) ** 2
    np.fill_diagonal(true, 0)
    by_band = np.bincount(places.bands.ravel(), true.ravel())
    made = gravity(true.sum(axis=1), true.sum(axis=0), by_band, places.bands)
    np.testing.assert_allclose(made.sum(axis=0), true.sum(axis=0), rtol=1e-2)
    np.testing.assert_allclose(made.sum(axis=1), true.sum(axis=1), rtol=1e-2)
    np.testing.assert_allclose(np.bincount(places.bands.ravel(), made.ravel())[1:], by_band[1:], rtol=5e-2)
    assert (np.diag(made) == 0).all()


@given(st.integers(1, 4000), st.floats(0.01, 100), st.floats(-1e4, 1e7))
def test_sums_have_at_least_three_tenths_and_never_leave_less_than_is_of_use(places, epsilon, persons):
    share = sums_share(places, epsilon, persons)
    assert 0.3 <= share <= 0.83 or share == 1.0
    assert sums_share(places, epsilon, max(persons, 1.0) * 2) <= share


@given(st.lists(st.floats(0, 100), min_size=1, max_size=50))
def test_whole_numbers_keep_the_sum(flow):
    made = Flows(np.array(flow), np.zeros(len(flow)), np.zeros(len(flow)), private=True).whole_numbers().flow
    assert (made == np.round(made)).all()
    assert abs(made.sum() - sum(flow)) <= 0.5 + 1e-9
    assert (np.abs(made - flow) <= 1).all()


# Published figures --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def gowalla():
    """Trips within 24 h between successive check-ins in the box, of all people."""
    return gowalla_trips(SHARED / "data" / "checkins")


@pytest.mark.parametrize(
    ("side", "epsilon", "most"), [(8, 1.0, 0.125), (8, 5.0, 0.054), (16, 1.0, 0.355), (16, 5.0, 0.170)]
)
def test_gowallas_flows_are_as_near_as_published(gowalla, side, epsilon, most):
    places = places_of(f"grid:{side}x{side}:{BOX}")
    table = flow_weights([gowalla], places)
    assert round(table.sum() / UNITS) == {8: 3748, 16: 4024}[side]
    drawn = [apart(table, flows_posterior(table, places, epsilon, rng=noise.seeded(seed))) for seed in range(20)]
    assert np.mean(drawn) <= most


@pytest.mark.slow
@pytest.mark.parametrize("side", [8, 16, 24])
@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0, 5.0, 10.0])
def test_the_posterior_is_not_worse_than_the_better_of_its_parts(gowalla, side, epsilon):
    places = places_of(f"grid:{side}x{side}:{BOX}")
    table = flow_weights([gowalla], places)
    means = [
        np.mean([apart(table, release(table, places, epsilon, rng=noise.seeded(seed))) for seed in range(10)])
        for release in RELEASES
    ]
    assert means[0] <= min(means[1:]) + 0.005


@pytest.mark.slow
@pytest.mark.parametrize(
    "partition", ["hexagons:1600:" + BOX, "grid:8x8:" + BOX, "grid:16x16:" + BOX], ids=["50", "64", "256"]
)
@pytest.mark.parametrize("epsilon", [0.5, 2.0, 10.0])
def test_intervals_hold_nine_tenths_of_all_flows_and_of_those_above_the_noise(gowalla, partition, epsilon):
    places = places_of(partition)
    assert len(places) in (50, 64, 256)
    table = flow_weights([gowalla], places)
    true = table / UNITS
    between = ~np.eye(len(places), dtype=bool).ravel()
    above = true > 2 / epsilon
    held = np.zeros((100, 2))
    for seed in range(100):
        made = flows_posterior(table, places, epsilon, rng=noise.seeded(seed))
        assert ((made.lower <= made.flow + 1e-12) & (made.flow <= made.upper + 1e-12)).all()
        holds = (made.lower <= true + 1e-9) & (true <= made.upper + 1e-9)
        held[seed] = holds[between].mean(), holds[above].mean()
    assert (held.mean(axis=0) >= 0.88).all()


# Attacks ------------------------------------------------------------------------------------------------------


def test_membership_is_never_guessed_better_than_the_bound_at_the_level_of_a_person():
    trips = np.bincount(np.random.default_rng(4).integers(0, 200, 900), minlength=200)
    whole = membership(trips / trips.sum(), np.ones(200))
    assert whole.accuracy <= most_accurate(1.0) + 3 * 0.5 / math.sqrt(4000)
    assert whole.auc < 0.75
    by_trip = membership(trips.astype(float), np.ones(200))
    assert by_trip.auc > 0.999
    assert by_trip.accuracy > 0.99


def test_membership_in_one_number_has_the_area_in_closed_form():
    """Two Laplace variables d scales apart: P(X < Y + d) = 1 - (2 + d) e^-d / 4, and the statistic is monotone."""
    for d in (0.5, 1.0, 2.0):
        found = membership(np.array([d]), np.ones(1), trials=20_000)
        assert found.accuracy == pytest.approx(1 - math.exp(-d / 2) / 2, abs=0.01)
        assert found.auc == pytest.approx(1 - (2 + d) * math.exp(-d) / 4, abs=0.01)


@pytest.mark.slow
@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("added", [True, False], ids=["added", "removed"])
def test_no_event_of_a_release_refutes_epsilon(release, added):
    """Events of a flow above and below a threshold: their odds differ by at most e^ε, within the error of the draws."""
    places, epsilon, draws = places_of("grid:2x1:0,0,2,1"), 1.0, 800
    base = np.array([0, 2 * UNITS, UNITS, 0])
    more = base + np.array([0, UNITS, 0, 0])
    first, second = (base, more) if added else (more, base)
    source = noise.seeded(5)
    one, other = (
        np.array([release(table, places, epsilon, rng=source).flow[1:3] for _ in range(draws)])
        for table in (first, second)
    )
    for axis in (0, 1):
        for threshold in np.quantile(other[:, axis], [0.1, 0.25, 0.5, 0.75, 0.9]):
            above = np.array([np.count_nonzero(of[:, axis] > threshold) for of in (one, other)])
            for p, q in (above, len(one) - above):
                if min(p, q) > 30:
                    assert abs(math.log(p / q)) <= epsilon + 4 * math.sqrt(1 / p + 1 / q)


# Partitions ---------------------------------------------------------------------------------------------------


@given(st.floats(-74.05, -73.90), st.floats(40.68, 40.85))
def test_every_position_of_the_box_is_in_the_hexagon_with_the_nearest_middle(lon, lat):
    places = places_of(f"hexagons:900:{BOX}")
    (found,) = places.of([lon], [lat])
    cos = math.cos(math.radians((40.68 + 40.85) / 2))
    apart = np.hypot((places.centres[0] - lon) * cos, places.centres[1] - lat)
    assert apart[found] == pytest.approx(apart.min(), abs=1e-9)


def test_places_of_a_grid_count_from_the_south_west():
    places = places_of("grid:3x2:0,0,3,2")
    found = places.of([0.5, 2.5, 2.5, 4.0], [0.5, 0.5, 1.5, 0.5])
    assert [places.names[place] for place in found[:3]] == ["c0r0", "c2r0", "c2r1"]
    assert found[3] == -1
    assert places.bands[0].tolist() == [0, 1, 2, 1, 1, 2]


def test_zones_are_the_polygons_of_a_file_by_their_id(tmp_path):
    square = {"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]]]}
    two = {
        "type": "MultiPolygon",
        "coordinates": [[[[2, 0], [3, 0], [3, 1], [2, 0]]], [[[5, 5], [6, 5], [6, 6], [5, 5]]]],
    }
    features = [
        {"type": "Feature", "properties": {"id": name}, "geometry": shape} for name, shape in (("A", square), (7, two))
    ]
    path = tmp_path / "zones.geojson"
    path.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    places = places_of(f"zones:{path}")
    assert places.names == ["A", "7"]
    assert places.of([0.5, 2.9, 5.9, 1.5], [0.5, 0.5, 5.5, 0.5]).tolist() == [0, 1, 1, -1]
    assert [len(outline) for outline in places.outlines()] == [1, 2]


@pytest.mark.parametrize(
    "text",
    [
        "grid:8x8",
        "grid:0x8:" + BOX,
        "grid:8,8:" + BOX,
        "grid:8x8:1,2,3",
        "grid:8x8:3,0,1,2",
        "grid:65x64:" + BOX,
        "hexagons:0:" + BOX,
        "hexagons:nan:" + BOX,
        "hexagons:1:" + BOX,
        "circles:3",
        "zones:",
    ],
)
def test_what_is_no_partition_is_refused_by_its_name(text):
    with pytest.raises(ParameterError) as refused:
        places_of(text)
    assert refused.value.field == "partition"


@pytest.mark.parametrize(
    "content",
    [
        "[]",
        '{"features": [{"properties": {}, "geometry": null}]}',
        '{"features": [{"properties": {"id": 1}, "geometry": null}]}',
        '{"features": [{"properties": {"id": 1}, "geometry": {"type": "Point", "coordinates": [0, 0]}}]}',
        '{"features": [{"properties": {"id": 1}, "geometry": {"type": "Polygon", "coordinates": [[[0, 0]]]}}]}',
        "{",
    ],
)
def test_a_file_that_holds_no_zones_is_refused(tmp_path, content):
    path = tmp_path / "zones.geojson"
    path.write_text(content)
    with pytest.raises(ParameterError):
        places_of(f"zones:{path}")
