"""Evaluation of recommendations: a split by user, positions, ranks; listed venues; warnings beside the nearest cell."""

import json
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.recommendation_rates import MODULE, Place, hit_rates, module
from benchmarks.recommendation_runs import LEVELS, UNITS, label, models, variants
from benchmarks.recommendation_tables import NEAREST
from privacy_engine import noise
from privacy_engine.data import CheckIns
from privacy_engine.data.grid import Grid
from privacy_engine.data.venues import Venues
from privacy_engine.datatypes import datatypes
from privacy_engine.errors import DataError, ParameterError
from privacy_engine.evaluation import LATER, Evaluation, Positions, Ranks, ranked, split_by_user
from privacy_engine.experiments.presets.base import with_examples
from privacy_engine.mechanisms.base.mechanism import mechanisms
from privacy_engine.mechanisms.checkins import CheckInVenues
from privacy_engine.mechanisms.checkins.beside_nearest import not_better
from privacy_engine.metrics import HitRate, HitRateByUser, Precision, Recall, ReciprocalRank
from privacy_engine.recommender import NearestModel, PopularityModel, Recommender, Sequences, VenuesModel
from tests.cases import each, refusal
from tests.engine import checkin_samples
from tests.engine.checkin_samples import GRID
from tests.engine.format_samples import read_bytes, zipped

CELLS = st.lists(st.lists(st.integers(-1, 15), max_size=25), max_size=6)


def checked_in(*cells):
    """Check-ins in the middle of these cells of the box, a list for each user; -1 lies outside."""
    return checkin_samples.uploaded(cells)


class AfterHistory(Recommender):
    """Scores of cells by the history alone: a fixed table for each hash of it, with many equal scores."""

    model = "test-after-history"

    def scores(self, history):
        rng = np.random.default_rng([len(history), *[cell + 1 for cell in history]])
        return rng.integers(0, 4, len(self.grid)).astype(np.float64)

    def parts(self):
        return {}

    @classmethod
    def from_parts(cls, grid, parts, *, private):
        return cls(grid, private=private)


def plain(cells, history):
    """Histories and later cells, one position after the other."""
    found = []
    for one in cells:
        inside = [cell for cell in one if cell >= 0]
        sequence = [cell for i, cell in enumerate(inside) if i == 0 or cell != inside[i - 1]]
        for i in range(len(sequence) - 1):
            later = dict.fromkeys(sequence[i + 1 : i + 1 + LATER])
            later.pop(sequence[i], None)
            found.append((sequence[max(i + 1 - history, 0) : i + 1], list(later)))
    return found


@given(cells=CELLS, history=st.integers(1, 4))
def test_positions_are_those_of_each_sequence_read_one_by_one(cells, history):
    found = Positions.of(Sequences.of(checked_in(*cells), GRID), history)
    expected = plain(cells, history)
    assert len(found) == len(expected)
    assert [row[row >= 0].tolist() for row in found.history] == [one for one, _ in expected]
    assert [found.later[found.position == i].tolist() for i in range(len(found))] == [one for _, one in expected]
    assert found.next.tolist() == [later[0] for _, later in expected]


class TestRanks:
    @given(greater=st.integers(0, 6), tied=st.integers(1, 6), k=st.integers(1, 14))
    def test_are_means_over_all_orders(self, greater, tied, k):
        places = greater + 1 + np.arange(tied)
        ranks = Ranks([greater], [tied])
        assert ranks.hits(k)[0] == pytest.approx((places <= k).mean())
        assert ranks.reciprocal()[0] == pytest.approx((1 / places).mean())
        published = Ranks([3], [4])
        assert (published.hits(1)[0], published.hits(5)[0]) == (0.0, 0.5)
        assert published.reciprocal()[0] == pytest.approx(0.189881, abs=5e-7)

    @given(cells=CELLS, history=st.integers(1, 3))
    def test_are_counted_by_history_as_one_by_one(self, cells, history):
        positions = Positions.of(Sequences.of(checked_in(*cells), GRID), history)
        ranks = ranked(AfterHistory(GRID), positions)
        for i, (position, cell) in enumerate(zip(positions.position, positions.later, strict=True)):
            row = positions.history[position]
            scores = AfterHistory(GRID).scores(row[row >= 0].tolist())
            others = np.delete(scores, row[-1])  # the present cell is never recommended
            assert ranks.greater[i] == (others > scores[cell]).sum()
            assert ranks.tied[i] == (others == scores[cell]).sum()


@given(cells=CELLS)
def test_hit_rate_by_user_is_the_mean_of_the_hit_rates_of_users_alone(cells):
    each = [HitRate(k=3).of(checked_in(one), AfterHistory(GRID)) for one in cells]
    known = [one for one in each if not np.isnan(one)]
    found = HitRateByUser(k=3).of(checked_in(*cells), AfterHistory(GRID))
    assert found == pytest.approx(np.mean(known)) if known else np.isnan(found)


def test_the_nearest_cell_is_next_to_the_last_one():
    """Cells of 111 km by 111 km at the equator: above and below are as near as beside, to within 1 %."""
    model = NearestModel(GRID)
    assert set(model.recommend([5], 4).tolist()) == {1, 4, 6, 9}
    assert len(set(model.scores([]).tolist())) == 1
    assert model.densities() is None
    assert Recommender.from_dict(model.as_dict()).scores([3]).tolist() == model.scores([3]).tolist()
    with pytest.raises(DataError, match="history must be cells of the grid"):
        model.scores([16])


class TestMeans:
    DATA = checked_in([0, 1, 2, 1], [3, 0])
    MODEL = PopularityModel(GRID, np.array([5, 9, 7] + [3] * 13))

    def test_by_hand(self):
        """Positions 0→1, 1→2, 2→1, 3→0; later cells {1, 2}, {2}, {1}, {0}; cells in the order 1, 2, 0 and 13 others."""
        assert HitRate(k=1).of(self.DATA, self.MODEL) == pytest.approx(100 * 3 / 4)  # 1, 2 after 1, 1
        assert HitRateByUser(k=1).of(self.DATA, self.MODEL) == pytest.approx(
            100 / 2
        )  # all of one user, none of the other
        assert HitRate(k=3).of(self.DATA, self.MODEL) == 100
        assert ReciprocalRank().of(self.DATA, self.MODEL) == pytest.approx((1 + 1 + 1 + 1 / 3) / 4)
        assert Precision(k=2).of(self.DATA, self.MODEL) == pytest.approx(100 * (2 + 1 + 1 + 0) / 8)
        assert Recall(k=1).of(self.DATA, self.MODEL) == pytest.approx(100 * (0.5 + 1 + 1 + 0) / 4)
        assert np.isnan(HitRate().over(Evaluation(self.MODEL, self.DATA)))  # a release of all users
        assert np.isnan(HitRate().of(checked_in([3], [3, 3]), self.MODEL))  # no move
        with pytest.raises(ParameterError, match="history must be at least 1, got 0"):
            Positions.of(Sequences.of(self.DATA, GRID), 0)


class TestSplit:
    @given(cells=CELLS, share=st.floats(0, 0.95), density=st.floats(0.01, 1.0), seed=st.integers(0, 2**32))
    def test_users_are_on_one_side_only_with_all_they_have(self, cells, share, density, seed):
        data = checked_in(*cells)
        fitted, others = split_by_user(data, share, np.random.default_rng(seed), density=density)
        sides = [set(one.user.tolist()) for one in (fitted, others)]
        assert not sides[0] & sides[1]
        for one, users in zip((fitted, others), sides, strict=True):
            which = np.isin(data.user, list(users))
            for name in ("user", "time_s", "lon", "lat"):
                assert np.array_equal(getattr(one, name), getattr(data, name)[which])
        present = len(set(data.user.tolist()))
        if present > 1 and share > 0:
            assert len(sides[1]) >= 1
        if present:
            assert len(sides[0]) >= 1
        if density == 1:
            assert len(sides[0]) + len(sides[1]) == present

    def test_its_share_is_that_of_users_and_fewer_fitted_ones_are_among_more(self):
        data = checked_in(*[[1, 2]] * 50)
        assert tuple(map(len, split_by_user(data, 0.2, np.random.default_rng(1)))) == (80, 20)
        folds = [split_by_user(data, 0.2, np.random.default_rng(1), fold=i).others.user for i in range(5)]
        assert sorted(np.concatenate(folds)) == sorted(data.user)  # each user once
        assert split_by_user(data, 0.0, np.random.default_rng(1)).fitted is data
        few, many = (split_by_user(data, 0.2, np.random.default_rng(3), density=d) for d in (0.1, 0.5))
        assert (len(few.fitted), len(many.fitted)) == (8, 40)
        assert set(few.fitted.user.tolist()) < set(many.fitted.user.tolist())
        assert few.others.user.tolist() == many.others.user.tolist()

    def test_a_share_out_of_its_domain_is_refused(self):
        for share, density, message in (
            (1.0, 1.0, "test_share must be at least 0 and below 1, got 1"),
            (-0.1, 1.0, "test_share must be at least 0 and below 1, got -0.1"),
            (float("nan"), 1.0, "test_share must be"),
            (0.2, 0.0, "density must be greater than 0 and at most 1, got 0"),
        ):
            with pytest.raises(ParameterError, match=message):
                split_by_user(checked_in([1]), share, np.random.default_rng(1), density=density)


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


RATES = hit_rates()
SETS, SIDES = ("Manhattan", "Brooklyn", "City"), (8, 16, 32)


def model_of(one, **changes):
    known = {"epsilon": 1.0, "side": 16, "west": 8.4, "south": 47.3, "east": 8.6, "north": 47.4} | changes
    return mechanisms.parse(with_examples(mechanisms[one["name"]], known) | one | changes)


def test_the_module_of_rates_is_that_of_the_page():
    """``module`` is formatted as it is stored but for nothing: a page that was measured again needs a new module."""
    assert len(RATES) == len(SETS) * len(SIDES) * len(UNITS) * len(LEVELS) * 10
    assert MODULE.read_text() == module(RATES)


@each("one", [one for name in models() for one in variants(name)], ids=lambda one: "-".join(one.values()))
def test_a_set_is_named_where_the_mechanism_is_not_above_the_nearest_cell_there(one):
    for side, unit, epsilon in product(SIDES, UNITS, LEVELS):
        mechanism = model_of(one, side=side, privacy_unit=unit, epsilon=epsilon)
        text, title = not_better(mechanism), label(mechanism)
        if title == NEAREST:
            assert text == ""
            continue
        for name in SETS:
            own, other = (RATES[Place(name, side, unit, epsilon, row)].mean for row in (title, NEAREST))
            assert (f"{own:.3f} beside {other:.3f} on {name}" in text) == (own <= other)
        assert (f"{side} × {side} cells and ε = {epsilon:g} per" in text) == bool(text)


def test_other_grids_and_levels_are_taken_for_the_nearest_measured_ones_and_venues_for_popularity():
    trees = {"name": "checkin-quadtree"}
    same = not_better(model_of(trees))
    assert same.startswith("On 2 of 3 measured sets of check-ins this recommends no better than the nearest cells")
    assert not_better(model_of(trees, side=20, epsilon=1.3)) == same
    assert "32 × 32 cells and ε = 2 per user" in not_better(model_of(trees, side=200, epsilon=50.0))
    assert "8 × 8 cells and ε = 0.1 per user" in not_better(model_of(trees, side=2, epsilon=0.001))
    venues, popularity = (not_better(model_of({"name": f"checkin-{name}"})) for name in ("venues", "popularity"))
    assert venues == popularity != ""
