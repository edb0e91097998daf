"""Models that recommend cells: JSON, files, grids and the sequences they are fitted to."""

import io
import json
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privacy_engine.core.geo import distance_m
from privacy_engine.data import CheckIns
from privacy_engine.data.grid import Grid
from privacy_engine.datatypes import datatypes
from privacy_engine.errors import DataError
from privacy_engine.exports.base import all_formats, formats_of
from privacy_engine.exports.contents import Unreadable
from privacy_engine.formats.arrow import pa
from privacy_engine.recommender import (
    GravityModel,
    MarkovModel,
    PopularityModel,
    Recommender,
    Sequences,
    TransitionModel,
    model_digest,
)
from privacy_engine.recommender.distance_bands import BANDS, band_table, bands_between, offset_distances_m, offset_pairs
from privacy_engine.recommender.gravity import band_counts, transitions_by_offset, visit_counts
from privacy_engine.recommender.markov import gram_levels
from privacy_engine.recommender.shrinkage import detectable, shrunk_towards
from privacy_engine.recommender.transitions import expected_transitions, transition_counts
from tests.cases import each
from tests.engine.checkin_samples import BOX, GRID, uploaded

MANY = Grid.square(-74.02, 40.70, -73.93, 40.82, 16)
FORMATS = formats_of("checkins")
POPULARITY = PopularityModel(GRID, np.arange(16)[::-1] - 3)


def band_sizes(grid):
    """How many ordered pairs of cells are in each band."""
    pairs, table = offset_pairs(grid), band_table(grid)
    return np.bincount(table[table >= 0], pairs[table >= 0], minlength=BANDS).astype(np.int64)


def collapsed(cells, most):
    """The sequence by its definition: in the box, without repeats, then the first ``most``."""
    found = []
    for cell in cells:
        if cell >= 0 and found[-1:] != [cell]:
            found.append(cell)
    return found[:most]


users = st.lists(st.lists(st.integers(-1, 5), max_size=8), max_size=6)


@given(cells=users, most=st.none() | st.integers(1, 6))
@settings(max_examples=150, deadline=None)
def test_sequences_are_collapsed_and_then_truncated(cells, most):
    found = Sequences.of(uploaded(cells), GRID, most)
    expected = [collapsed(one, most) for one in cells]
    assert [found.cells[a:b].tolist() for a, b in zip(found.starts, found.starts[1:], strict=False)] == expected
    assert len(found) == len(cells)
    for length in (1, 2, 3):
        windows = [one[i : i + length] for one in expected for i in range(len(one) - length + 1)]
        assert found.windows(length).tolist() == windows
    assert found.user.tolist() == [i for i, one in enumerate(expected) for _ in one]
    assert found.position.tolist() == [i for one in expected for i in range(len(one))]


def test_check_ins_without_positions_have_no_sequences():
    with pytest.raises(DataError, match="must have positions"):
        Sequences.of(CheckIns(np.array([0]), ["a"], np.array([0.0]), np.array([0]), ["cafe"]), GRID)


class TestGrid:
    @each("columns", [4, 5])
    def test_survives_json(self, columns):
        grid = Grid(0.0, 0.0, 4.0, 4.0, columns, 4)
        assert Grid.from_dict(json.loads(json.dumps(grid.as_dict()))) == grid
        assert ("side" in grid.as_dict()) == (columns == 4)

    @each(
        ("changes", "rule"),
        [
            *(({"side": side}, "1 to 262,144 cells") for side in (0, 513, 2.0)),
            ({"west": 5.0}, "a west less than its east"),
            ({"west": "0"}, "must be numbers"),
            ({"wide": 1}, "side or columns and rows, got west, south, east, north, side, wide"),
        ],
    )
    def test_bad_ones_are_refused(self, changes, rule):
        with pytest.raises(DataError, match=rule):
            Grid.from_dict(BOX | changes)

    def test_of_unequal_sides_has_no_side(self):
        with pytest.raises(DataError, match="as many rows as columns"):
            _ = Grid(0.0, 0.0, 1.0, 1.0, 2, 3).side


class TestGravity:
    def test_bands_have_all_pairs_of_cells_and_grow_with_distance(self):
        grid = Grid(-74.02, 40.70, -73.93, 40.82, 7, 5)
        cells = np.arange(len(grid))
        bands, boxes = bands_between(grid, cells[:, None], cells), grid.boxes()
        assert (np.diag(bands) == -1).all()
        assert np.bincount(bands[bands >= 0], minlength=16).tolist() == band_sizes(grid).tolist()
        lon, lat = (boxes[:, 0] + boxes[:, 2]) / 2, (boxes[:, 1] + boxes[:, 3]) / 2
        found = [distance_m(lon[0], lat[0], lon[bands[0] == band], lat[bands[0] == band]) for band in range(16)]
        known = [one for one in found if len(one)]
        assert all(one.max() <= 1.001 * other.min() for one, other in pairwise(known))

    @each("side", [1, 2, 3])
    def test_the_smallest_grids_have_finite_scores(self, side):
        grid = Grid.square(0.0, 0.0, 1.0, 1.0, side)
        model = GravityModel(grid, np.full(side**2, -3), np.arange(16) - 9, 4.0, 4.0)
        assert np.isfinite(model.scores([0])).all()
        assert len(model.recommend([0], 9)) == side**2 - 1

    def test_without_noise_scores_are_visits_times_transitions_per_pair(self):
        sequences = Sequences.of(uploaded([[0, 1, 0, 4, 5, 4, 0, 1]]), GRID)
        visits, bands = visit_counts(sequences), band_counts(sequences)
        model = GravityModel(GRID, visits, bands, 0.0, 0.0)
        near = bands_between(GRID, np.array([0]), np.array([1]))[0]
        assert bands[near] == 7
        assert model.scores([0])[4] == pytest.approx(visits[4] * 7 / band_sizes(GRID)[near], rel=2e-3)  # 1/d² in a band
        assert model.recommend([0], 2).tolist() == [1, 4]

    @given(seed=st.integers(0, 2**32), variance=st.sampled_from([0.0, 1e2, 1e6]))
    @settings(max_examples=40, deadline=None)
    def test_transitions_fall_with_distance_whatever_the_noise(self, seed, variance):
        grid, rng = Grid(-74.02, 40.70, -73.93, 40.82, 7, 5), np.random.default_rng(seed)
        bands = rng.poisson(30, 16) + rng.laplace(0, (variance / 2) ** 0.5, 16).astype(np.int64)
        found, distances = transitions_by_offset(grid, bands, variance).ravel(), offset_distances_m(grid).ravel()
        assert found[0] == 0
        assert (np.diff(found[1:][np.argsort(distances[1:], kind="stable")]) <= 0).all()
        assert (found[1:] > 0).all()

    def test_without_noise_each_band_has_its_transitions(self):
        grid = Grid(-74.02, 40.70, -73.93, 40.82, 7, 5)
        sizes = band_sizes(grid)
        bands = np.rint(1e4 * sizes / 1.5 ** np.arange(16)).astype(np.int64)  # transitions fall faster than by 1/d²
        found = transitions_by_offset(grid, bands, 0.0) * offset_pairs(grid)
        of = bands_between(grid, np.zeros(35, dtype=np.int64), np.arange(35))
        for band in np.flatnonzero(sizes):
            assert found.ravel()[of == band].sum() == pytest.approx(bands[band])

    def test_models_from_before_the_noise_of_bands_was_stated_are_read(self):
        described = GravityModel(GRID, np.arange(16), np.arange(16), 2.5, 0.0).as_dict()
        assert "band_variance" not in described
        assert Recommender.from_dict(described).as_dict() == described
        stated = Recommender.from_dict({**described, "band_variance": 1.5})
        assert stated.as_dict()["band_variance"] == 1.5
        with pytest.raises(DataError, match="band_variance must be a number of at least 0"):
            Recommender.from_dict({**described, "band_variance": -1.0})


class TestTransitions:
    def test_without_noise_they_are_the_counts(self):
        sequences = Sequences.of(uploaded([[0, 1, 0, 4, 5, 4, 0, 1], [7, 8]]), GRID)
        counts = transition_counts(sequences)
        model = TransitionModel(GRID, visit_counts(sequences), band_counts(sequences), 0.0, 0.0, counts, 0.0)
        rows = counts.reshape(16, 16)
        assert model.estimates[rows > 0] == pytest.approx(rows[rows > 0])
        assert model.recommend([0], 1).tolist() == [1]

    def test_with_much_noise_they_are_what_gravity_expects(self):
        sequences = Sequences.of(uploaded([[0, 1, 0, 4, 5, 4, 0, 1], [7, 8]]), GRID)
        counts, drawn = transition_counts(sequences), np.random.default_rng(1).laplace(0, 1e4, 256).astype(np.int64)
        model = TransitionModel(GRID, visit_counts(sequences), band_counts(sequences), 0.0, 0.0, counts + drawn, 2e8)
        expected = expected_transitions(model.gravity)
        assert model.estimates == pytest.approx(expected, rel=0.05, abs=0.05)
        assert expected.sum() == pytest.approx(len(sequences.windows(2)))

    def test_expectations_are_mass_times_factor_of_the_distance_and_sum_to_the_transitions(self):
        grid = Grid(-74.02, 40.70, -73.93, 40.82, 7, 5)
        gravity = GravityModel(grid, np.arange(35) % 9, np.arange(16)[::-1] * 3, 1.0, 2.0)
        scores = np.array([gravity.scores([cell]) for cell in range(35)])
        leaving = gravity.bands.sum() * gravity.mass / gravity.mass.sum()
        expected = scores * (leaving / scores.sum(axis=1))[:, None]
        assert expected_transitions(gravity) == pytest.approx(expected, rel=1e-12)

    @given(seed=st.integers(0, 2**32), variance=st.floats(0, 1e3))
    @settings(max_examples=40, deadline=None)
    def test_shrinking_is_its_formula(self, seed, variance):
        rng = np.random.default_rng(seed)
        y, mu = rng.normal(5, 30, (6, 6)), rng.gamma(2, 2, (6, 6)) * (rng.random((6, 6)) < 0.8)
        scale, moment = (mu**4).sum(), (((y - mu) ** 2 - variance - mu) * mu**2).sum()
        gamma = max(moment - 2 * variance * np.sqrt(5 * scale), 0) / scale
        tau2 = mu + gamma * mu**2
        weight = np.where(mu > 0, tau2 / np.maximum(tau2 + variance, 1e-300), 0)
        least = mu / 1000
        assert shrunk_towards(y, mu, variance) == pytest.approx(np.maximum(mu + weight * (y - mu), least), rel=1e-9)

    def test_deviations_are_detectable_if_two_standard_errors_of_noise_are_less(self):
        expected, times = np.array([[3.0, 1.0]]), np.array([[2, 5]])
        limit = np.sqrt(2 * 81 + 5) / (2 * np.sqrt(5))
        assert detectable(expected, times, 0.999 * limit)
        assert not detectable(expected, times, 1.001 * limit)
        assert not detectable(np.zeros((1, 2)), times, 0.0)


class TestMarkov:
    def test_backs_off_to_the_longest_end_with_enough_mass(self):
        sequences = Sequences.of(uploaded([[0, 1, 2], [1, 2], [2, 1], [0, 1, 2]]), GRID)
        model = MarkovModel.fitted(sequences, order=2)
        assert model.scores([0, 1])[[1, 2]].tolist() == [0, 2]
        assert model.scores([5, 1])[2] == 3
        assert model.scores([1, 2, 9]).tolist() == model.densities().tolist()
        assert MarkovModel.fitted(sequences, order=2, least=3).scores([0, 1])[2] == 3
        assert MarkovModel.fitted(sequences, order=2, least=9).scores([0, 1])[2] == 4

    @given(cells=users, order=st.integers(1, 4), history=st.lists(st.integers(0, 5), min_size=1, max_size=5))
    @settings(max_examples=80, deadline=None)
    def test_counts_are_those_of_runs_in_the_sequences(self, cells, order, history):
        rows = [collapsed(one, None) for one in cells]
        found = MarkovModel.fitted(Sequences.of(uploaded(cells), GRID), order).scores(history)
        for length in range(min(order, len(history)), -1, -1):
            end = history[len(history) - length :]
            runs = [row[i : i + length + 1] for row in rows for i in range(len(row) - length)]
            after = [run[-1] for run in runs if run[:-1] == end]
            if after or not length:
                assert found.tolist() == np.bincount(after, minlength=16).tolist() if after else not found.any()
                break

    def test_refuses_levels_that_are_not_sorted(self):
        described = MarkovModel.fitted(Sequences.of(uploaded([[0, 1, 2]]), GRID)).as_dict()
        described["levels"][1]["code"].reverse()
        with pytest.raises(DataError, match=r"levels\.1\.code must be sorted codes from 0 to 47"):
            Recommender.from_dict(described)


class TestRecommender:
    def test_never_recommends_the_last_cell(self):
        assert POPULARITY.recommend([], 3).tolist() == [0, 1, 2]
        assert POPULARITY.recommend([2, 0], 3).tolist() == [1, 2, 3]
        assert len(POPULARITY.recommend([1], 99)) == 15
        assert POPULARITY.recommend([1], 0).tolist() == []

    @each("history", [[16], [-1], [0.5], ["a"], [[1]]])
    def test_a_history_must_be_cells_of_the_grid(self, history):
        with pytest.raises(DataError, match="history must be cells of the grid, whole numbers from 0 to 15"):
            POPULARITY.recommend(history, 1)

    def test_loads_what_is_downloaded(self, tmp_path):
        path = tmp_path / "model.json"
        for private in (True, False):
            path.write_text(json.dumps({"model": POPULARITY.as_dict(), "privacy": {"private": private}}))
            model = Recommender.load(path)
            assert model.private is private
            assert model_digest(model) == model_digest(POPULARITY)
            assert model.recommend([5], 4).tolist() == POPULARITY.recommend([5], 4).tolist()

    @pytest.mark.parametrize(
        "text",
        ["", "[]", "{}", '{"model": 1}', "[" * 10**5, '{"model": {}, "privacy": 1}', '{"model": [], "privacy": {}}'],
    )
    def test_refuses_files_that_are_no_model(self, tmp_path, text):
        path = tmp_path / "model.json"
        path.write_text(text)
        with pytest.raises(DataError, match=r"model\.json must be a model that was downloaded as JSON"):
            Recommender.load(path)

    @each(
        ("changes", "rule"),
        [
            ({"model": "oracle"}, "model must be one of .*popularity.*, got oracle"),
            ({"grid": None}, "grid must be an object"),
            *(({"counts": one}, "16 whole numbers") for one in ([1, 2], [0.5] * 16, [[1]] * 16, [2**70] * 16)),
        ],
    )
    def test_names_what_is_wrong_in_a_model(self, changes, rule):
        with pytest.raises(DataError, match=rule):
            Recommender.from_dict(POPULARITY.as_dict() | changes)

    def test_the_digest_of_popularity_is_that_of_earlier_versions(self):
        model = PopularityModel(Grid.square(0.0, 0.0, 1.0, 1.0, 2), np.array([3, -1, 0, 7]))
        assert model_digest(model) == "8c849108dfcfe403ac928947390d7fd74399c51399fd1d173aca8ad7660937b2"


class TestFiles:
    LABEL = {"text": "a label", "private": False}

    def written(self, model, fmt):
        out = io.BytesIO()
        datatypes["checkins"].write(model, fmt, out, label=self.LABEL)
        return out.getvalue()

    @pytest.fixture
    def gravity(self):
        return GravityModel(GRID, np.arange(16) - 2, np.arange(16)[::-1].copy(), 2.5, 1.5)

    def test_json_of_any_model_is_verified_and_loaded(self, gravity, tmp_path):
        for model in (gravity, POPULARITY):
            data = self.written(model, "json")
            assert [fmt for fmt in all_formats() if fmt.begins(data)] == [FORMATS["json"]]
            assert FORMATS["json"].read(data).digest() == model_digest(model)
            (tmp_path / "model.json").write_bytes(data)
            assert model_digest(Recommender.load(tmp_path / "model.json")) == model_digest(model)

    def test_csv_has_the_mass_of_each_cell(self, gravity):
        rows = self.written(gravity, "csv").decode().splitlines()
        assert rows[0].startswith("cell,west,south,east,north,mass,")
        assert [row.split(",")[5] for row in rows[1:]] == [repr(float(i - 2)) for i in range(16)]
        with pytest.raises(Unreadable, match="the mass of each cell, a part of the model: its JSON can be verified"):
            FORMATS["csv"].read(self.written(gravity, "csv"))

    def test_a_damaged_model_is_unreadable(self, gravity):
        data = self.written(gravity, "json").replace(b'"model": "gravity"', b'"model": "levity"')
        with pytest.raises(Unreadable, match="model must be one of .* got levity"):
            FORMATS["json"].read(data)

    def test_a_table_holds_any_model(self, gravity):
        kind = datatypes["checkins"]
        many = TransitionModel(MANY, np.arange(256), np.arange(16), 2.5, 1.5, np.arange(65_536) - 9, 1.5)
        for model in (gravity, POPULARITY, many):
            assert kind.digest(kind.release_from_table(kind.release_to_table(model))) == kind.digest(model)

    def test_tables_of_popularity_from_before_other_models_are_read(self):
        about = {"grid": {**BOX}, "private": True}
        table = pa.table({"count": pa.array(POPULARITY.counts)})
        table = table.replace_schema_metadata({"popularity": json.dumps(about)})
        found = datatypes["checkins"].release_from_table(table)
        assert found.private
        assert model_digest(found) == model_digest(POPULARITY)


def test_runs_of_the_published_example():
    """The sequences 012, 12, 21, 0112 of recommendation.md, repeats not collapsed and without an end symbol."""
    rows = [[0, 1, 2], [1, 2], [2, 1], [0, 1, 1, 2]]
    sequences = Sequences(np.concatenate(rows), np.cumsum([0, *map(len, rows)]), GRID)
    found = Counter("".join(map(str, run)) for n in (1, 2, 3) for run in sequences.windows(n).tolist())
    assert found == {"0": 2, "1": 5, "2": 4, "01": 2, "11": 1, "12": 3, "21": 1, "011": 1, "012": 1, "112": 1}
    assert [level.count.tolist() for level in gram_levels(sequences, 3)] == [[2, 5, 4], [2, 1, 3, 1], [1, 1, 1]]
