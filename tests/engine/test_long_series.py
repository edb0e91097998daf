"""A series of more events than memory holds at once: what comes of its pieces is what comes of the whole."""

import hashlib
import io
import json

import numpy as np
import pytest

from privacy_engine import noise
from privacy_engine.accounting.landmark_ledger import Ledger
from privacy_engine.cleaning import clean, parse_cleaning
from privacy_engine.core.geo import distance_m
from privacy_engine.core.progress import BLOCK
from privacy_engine.data import LandmarkSet, mapped_series
from privacy_engine.data.mapped_series import FEW, in_files, total
from privacy_engine.data.trajectories import unchecked
from privacy_engine.datatypes import datatypes
from privacy_engine.errors import BudgetError
from privacy_engine.formats import read
from privacy_engine.mechanisms.landmark.skip import Skip
from privacy_engine.releases.spec import ReleaseSpec
from tests.engine.memory import peak_bytes

KIND = datatypes["trajectory"]
N = 2 * BLOCK + 12_345
FIRST = 1000  # landmarks ahead of the first draw


def walk(n):
    steps = np.random.default_rng(1).normal(0, 1e-5, (2, n)).cumsum(axis=1)
    columns = {"lon": 2.35 + steps[0], "lat": 48.85 + steps[1], "time_s": 1e9 + np.arange(n)}
    return unchecked(**columns, starts=np.array([0, n]), names=["a"], persons=["a"])


def spec(**skip):
    return ReleaseSpec.parse(
        {"mechanism": {"name": "landmark-skip", "epsilon": 1.0, "radius_m": 200.0, **skip}, "seed": 3}
    )


@pytest.fixture(scope="module")
def data():
    return walk(N)


@pytest.fixture(scope="module")
def mask():
    found = np.random.default_rng(2).random(N) < 0.1
    found[:FIRST] = True
    return found


@pytest.fixture(scope="module", params=["back-fill", "gap"])
def release(request, data, mask):
    return KIND.release(spec(leading=request.param), data, [LandmarkSet(mask)]), request.param == "gap"


class TestPieces:
    def test_draws_are_those_of_all_events_at_once(self, release, data, mask):
        (found, gap), fresh = release, ~mask
        rates = Skip(name="landmark-skip", epsilon=1.0, radius_m=200.0).rates(np.ones(np.count_nonzero(fresh)))
        lon, lat = noise.planar_laplace(data.lon[fresh], data.lat[fresh], rates, rng=noise.source(3))
        numbers = np.maximum(np.cumsum(fresh) - 1, 0)
        published = np.arange(N) >= FIRST * gap
        assert in_files([found.lon])
        assert (found.published is None) == (not gap)
        assert np.array_equal(found.shown(found.lon), lon[numbers][published])
        assert np.array_equal(found.shown(found.lat), lat[numbers][published])
        assert np.array_equal(found.fresh, fresh)
        assert np.array_equal(found.budgets, fresh * 1.0)

    def test_tables_name_the_events(self, release):
        found, gap = release
        tables = list(KIND.release_to_tables(found))
        event = np.concatenate([one.column("event").to_numpy() for one in tables])
        assert len(tables) > 2
        assert np.array_equal(event, np.arange(FIRST * gap, N))
        assert {int(series) for one in tables for series in one.column("series").unique().to_numpy()} == {0}
        budgets = np.concatenate([one["budget"] for one in KIND.budget_columns(found)])
        assert np.array_equal(budgets, found.budgets)

    def test_digest_is_that_of_whole_columns(self, release):
        found, _ = release
        columns = [np.round(found.shown(axis) * 1e7) for axis in (found.lon, found.lat)]
        columns.append(np.round(found.shown(found.time_s) * 1e3))
        expected = hashlib.sha256(b"cairn points 1\n" + json.dumps(["a", len(columns[0])]).encode() + b"\n")
        for column in columns:
            expected.update(column.astype("<i8").tobytes())
        assert KIND.digest(found) == expected.hexdigest()

    def test_errors_are_those_of_each_event(self, release, data):
        found, gap = release
        some = slice(FIRST * gap, None)
        expected = distance_m(data.lon[some], data.lat[some], found.lon[some], found.lat[some])
        errors = np.concatenate([one["error_mm"] / 1000 for one in KIND.owner_columns(data, found)])
        assert np.array_equal(errors, expected.round(3))
        assert KIND.figures(data, found)["median_error_m"] == round(float(np.median(expected)), 3)

    def test_a_sum_has_the_bits_of_numpy(self):
        for n in (0, 5, BLOCK, 3 * BLOCK + 7, 3 * BLOCK + 8):
            values = np.random.default_rng(n).random(n)
            assert total(values) == values.sum()

    def test_the_ledger_adds_up_pieces(self):
        budgets = np.full(2 * BLOCK, 1.0 / (2 * BLOCK))
        Ledger(1.0).spend_all(budgets, np.ones(len(budgets), dtype=np.bool_))
        budgets[-1] *= 3
        with pytest.raises(BudgetError, match="must spend at most 1"):
            Ledger(1.0).spend_all(budgets, np.ones(len(budgets), dtype=np.bool_))
        budgets[-1] = np.nan
        with pytest.raises(BudgetError, match="got nan"):
            Ledger(1.0).spend_all(budgets, np.ones(len(budgets), dtype=np.bool_))


class TestWithoutDraws:
    def test_a_person_without_a_draw_shows_no_one_elses(self):
        mechanism = Skip(name="landmark-skip", epsilon=1.0, radius_m=200.0)
        fresh = np.array([False, True, False, False, True])
        assert mechanism.shown_each(fresh, np.array([0, 2, 4, 5])).tolist() == [1, 1, -1, -1, 4]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["landmark-uniform", "landmark-skip", "landmark-adaptive"])
def test_memory_does_not_grow_with_a_series(name):
    """Beside the data and what lies in files."""

    def peak(n):
        series, landmarks = walk(n), [LandmarkSet((np.arange(n) // 600) % 8 == 0)]
        return peak_bytes(lambda: measured(name, series, landmarks))

    peak(1000)  # loads the kernels
    assert peak(2 * FEW + 1) < 1.2 * peak(FEW + 1)


def untidy(n):
    """A walk that stands still, pauses, leaps and ends after a pause."""
    steps = np.random.default_rng(1).normal(0, 1e-5, (2, n)) * (np.arange(n) % 2)
    lon, lat = np.array([[179.9], [48.85]]) + steps.cumsum(axis=1)
    times = 1e9 + np.arange(n) + 7200.0 * (np.arange(n) // 700_000) + 7200.0 * (np.arange(n) > n - 9)
    lon[::100_000] *= -1
    return unchecked(lon=lon, lat=lat, time_s=times, starts=np.array([0, n]), names=["a"], persons=["a"])


@pytest.mark.parametrize(
    "step",
    [
        {"name": "first-events", "events": 1000},
        {"name": "drop-repeats", "same": "place"},
        {"name": "drop-jumps", "highest_km_h": 200},
        {"name": "split-gaps", "silence_s": 3600, "least_events": 10},
        {"name": "split-antimeridian"},
        {"name": "resample", "every_s": 1.5},
        {"name": "leave-out-zone", "zone": "48.85, 179.9, 0.5"},
        {"name": "trim-time", "trim_s": 100.0},
        {"name": "trim-distance", "trim_m": 5.0},
        {"name": "only-hours", "time_zone": "Europe/Paris", "hours": "daily:03:50-20:00"},
    ],
    ids=lambda step: step["name"],
)
def test_memory_of_cleaning_does_not_grow_with_a_series(step):
    steps = parse_cleaning([step])

    def peak(n):
        series = untidy(n)
        found = []
        most = peak_bytes(lambda: found.append(clean(series, steps)))
        ((_, (done,)),) = found
        assert n == 1000 or (done.after, done.series_after) != (n, 1)
        return most

    peak(1000)  # loads the kernels
    assert peak(2 * FEW + 1) < 1.2 * peak(FEW + 1)


@pytest.mark.slow
@pytest.mark.parametrize("order", [list, reversed])
def test_memory_of_an_import_does_not_grow_with_a_series(monkeypatch, order):
    monkeypatch.setattr(mapped_series, "FEW", 1000)

    def peak(n):
        rows = b"".join(b"171845T,52.%06d,13.4\n" % i for i in range(BLOCK // 512))
        seconds = (rows.replace(b"T", b"%04d" % i) for i in order(range(n // (BLOCK // 512))))
        data = io.BytesIO(b"time,lat,lon\n" + b"".join(seconds))
        return peak_bytes(lambda: stored(read(data).series))

    peak(BLOCK // 8)  # loads the kernels
    assert peak(3 * BLOCK) < 1.1 * peak(2 * BLOCK)


def stored(series):
    assert len(series) == 1
    KIND.facts(series)
    KIND.keyed_digest(series, "")
    for _ in KIND.to_tables(series):
        pass


def measured(name, series, landmarks):
    mechanism = {"name": name, "epsilon": 1.0, "radius_m": 200.0}
    found = KIND.release(ReleaseSpec.parse({"mechanism": mechanism}), series, landmarks)
    KIND.figures(series, found)
    KIND.digest(found)
    for tables in (KIND.release_to_tables(found), KIND.budget_columns(found), KIND.owner_columns(series, found)):
        for _ in tables:
            pass
