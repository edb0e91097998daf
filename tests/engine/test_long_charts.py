"""Charts, losses and forecasts of a long series: those of its pieces are those of the whole, in memory for a piece."""

import numpy as np
import pytest

from privacy_engine.accounting import loss_pieces, runtime_estimate, temporal, validation
from privacy_engine.accounting.runtime_estimate import loss_seconds
from privacy_engine.accounting.temporal import LossFunction, landmark_losses, smoothing_matrix, temporal_loss
from privacy_engine.analysis import downsampling, error_curves, error_forecast, forecast, losses, quantiles
from privacy_engine.analysis.correlation import Correlation
from privacy_engine.analysis.release_curves import ReleasedSeries, release_curves
from privacy_engine.core import arrays, progress
from privacy_engine.data import Trajectory, mapped_series
from privacy_engine.data.mapped_series import chosen, in_files, picked, total
from privacy_engine.mechanisms.base.mechanism import mechanisms
from privacy_engine.mechanisms.landmark import base
from privacy_engine.releases.inputs import ReleaseInputs
from tests.engine.memory import peak_bytes

N = 1000
SIDES = [smoothing_matrix(2, 0.1), smoothing_matrix(3, 0.0), [[0.8, 0.2], [0.0, 1.0]]]
rng = np.random.default_rng(11)
MASKS = {
    "none": np.zeros(N, dtype=np.bool_),
    "all": np.ones(N, dtype=np.bool_),
    "one": np.arange(N) == 333,
    "runs": np.arange(N) % 97 < 9,
    "some": rng.random(N) < 0.1,
}
BUDGETS = {
    "alike": np.full(N, 0.2),
    "skipped": np.where(MASKS["runs"], 0.0, 0.3),
    "unlike": rng.choice([0.0, 0.1, 0.5], N),
    "large": np.full(N, 3.0),
}
SKIP = mechanisms["landmark-skip"](epsilon=1.0, radius_m=200.0)


def in_pieces_of(monkeypatch, events, *modules):
    """Let modules cut what they take piece by piece into pieces of so many events, which lie in files."""
    for module in modules:
        monkeypatch.setattr(module, "blocks", lambda n, size=events: progress.blocks(n, min(size, events)))
    monkeypatch.setattr(mapped_series, "FEW", events)


class TestLosses:
    """The kernel takes a series whole; that of a long one is put together of pieces."""

    @pytest.mark.parametrize("side", range(len(SIDES)))
    def test_each_event_has_the_bits_of_the_whole(self, monkeypatch, side):
        carried = LossFunction(SIDES[side])

        def found():
            for budgets in BUDGETS.values():
                for back, ahead in ((carried, carried), (carried, None), (None, carried)):
                    loss = temporal_loss(budgets, back, ahead, shared=0.25)
                    yield from (loss.backward, loss.forward, loss.total)
                for mask in MASKS.values():
                    for bound in ("published", "bridge"):
                        yield from landmark_losses(budgets, mask, carried, carried, bound=bound)
                        yield np.array(loss_seconds(budgets, mask, carried, bound))

        whole = list(found())
        in_pieces_of(monkeypatch, 64, loss_pieces, temporal, runtime_estimate, validation)
        monkeypatch.setattr(temporal, "BLOCK", 64)
        for one, other in zip(whole, found(), strict=True):
            np.testing.assert_array_equal(one, other)

    def test_the_longest_gap_of_several_series(self, monkeypatch):
        mask = np.zeros((4, 30), dtype=np.bool_)
        mask[1, 4], mask[2, [0, 29]], mask[3] = True, True, True
        for events in (progress.BLOCK, 7):
            in_pieces_of(monkeypatch, events, loss_pieces)
            assert [loss_pieces.longest_gap(one) for one in (mask, *mask)] == [31, 31, 26, 29, 1]
            assert loss_pieces.longest_gap(np.tile(np.arange(30) == 15, (40, 1))) == 16


class TestCharts:
    def test_numbers_are_in_order(self, monkeypatch):
        monkeypatch.setattr(quantiles, "_SAMPLED", 4)
        monkeypatch.setattr(quantiles, "BLOCK", 64)
        for values in (rng.random(N), rng.integers(0, 4, N) * 1.0, np.where(MASKS["some"], np.nan, rng.random(N))):
            for few in (100, 10_000):
                monkeypatch.setattr(quantiles, "FEW", few)
                np.testing.assert_array_equal(quantiles.ascending(values), np.sort(values))

    def test_extremes_of_bins_of_several_pieces(self, monkeypatch):
        curves = [rng.integers(0, 50, N) * 1.0, np.where(MASKS["runs"], np.nan, rng.random(N))]
        for points in (10, 50):
            monkeypatch.setattr(downsampling, "BLOCK", 1 << 18)
            whole = downsampling.decimated(curves, points)
            monkeypatch.setattr(downsampling, "BLOCK", 7)
            assert downsampling.decimated(curves, points).tolist() == whole.tolist()

    def test_errors_are_those_of_the_whole(self, monkeypatch):
        errors = np.where(rng.random(N) < 0.2, np.nan, rng.exponential(100, N))

        def found():
            return error_curves.error_curves(errors, MASKS["some"], series=0, points=100)

        whole = found()
        in_pieces_of(monkeypatch, 64, error_curves, mapped_series)
        assert found() == whole

    def test_some_values_of_a_file(self, monkeypatch):
        monkeypatch.setattr(mapped_series, "FEW", 10)
        values = chosen(rng.random(N), MASKS["all"])
        at = np.arange(3, N, 9)
        assert in_files([values])
        assert picked(values, at).tolist() == values[at].tolist()
        assert chosen(values, MASKS["some"]).tolist() == values[MASKS["some"]].tolist()
        assert total(MASKS["some"]) == MASKS["some"].sum()


class TestForecasts:
    @pytest.mark.parametrize("name", ["landmark-uniform", "landmark-skip", "landmark-joint", "landmark-planned"])
    def test_of_pieces_are_those_of_the_whole(self, monkeypatch, name):
        n = 20_000  # more than are drawn at once
        steps = np.random.default_rng(1).normal(0, 1e-4, (2, n)).cumsum(axis=1)
        mask = np.random.default_rng(2).random(n) < 0.2
        data = error_forecast.ForecastData((Trajectory(2.35 + steps[0], 48.85 + steps[1]),), (mask,))
        variance = {"step_variance_m2": 100.0} if name in ("landmark-joint", "landmark-planned") else {}
        mechanism = mechanisms[name](epsilon=1.0, radius_m=200.0, **variance)

        def found():
            return error_forecast.error_forecast(mechanism, data), forecast.noise_forecast(mechanism, data.masks)

        whole = found()
        in_pieces_of(monkeypatch, 16_384, base, forecast, mapped_series)
        assert found() == whole

    def test_of_the_noise_of_a_release_is_made_once(self, monkeypatch):
        inputs = ReleaseInputs(None, landmarks=[])
        found = forecast.overall_noise(SKIP, inputs)
        monkeypatch.setattr(forecast, "_plans", lambda *_: pytest.fail("once more"))
        assert forecast.overall_noise(SKIP.model_copy(), inputs) is found


class TestRollingMedian:
    def test_is_that_of_the_window_around_each_event_and_known_where_the_value_is(self):
        error_m = np.abs(np.random.default_rng(5).standard_cauchy(20_000)) * 100 + np.arange(20_000) / 50
        error_m[7000:8000] = np.nan
        released = ReleasedSeries(error_m, error_m, None, error_m, error_m > 0, slice(None))
        found = release_curves(SKIP, released, series=0, correlation=None, points=400, first=1000, after=19_000)
        rolling = found.error_median
        assert rolling.window == 901
        for event, value in zip(found.event, rolling.values, strict=True):
            part = error_m[max(event - 450, 1000) : min(event + 451, 19_000)]
            if np.isnan(error_m[event]):
                assert value is None
            else:
                assert value == pytest.approx(np.nanmedian(part), rel=0.08)
        kept = np.array([value for value in found.error_m if value is not None])
        assert np.median(kept) > 1.5 * np.nanmedian(error_m), "what is left of the errors has another median"

    def test_there_is_none_where_no_event_is_left_out_and_of_nothing_known_it_is_unknown(self):
        error_m = np.full(5000, np.nan)
        released = ReleasedSeries(error_m, np.ones(5000), None, np.ones(5000), error_m > 0, slice(None))
        assert release_curves(SKIP, released, series=0, correlation=None, points=5000).error_median is None
        found = release_curves(SKIP, released, series=0, correlation=None, points=400)
        assert set(found.error_median.values) == {None}


def test_memory_does_not_grow_with_a_series(monkeypatch):
    """Beside the columns, which lie in files, and what lies in files."""
    events = 1 << 14
    modules = (loss_pieces, temporal, runtime_estimate, validation, losses, error_curves, forecast, base, arrays)
    in_pieces_of(monkeypatch, events, *modules, quantiles, downsampling, mapped_series)
    for module, name in ((temporal, "BLOCK"), (downsampling, "BLOCK"), (quantiles, "BLOCK"), (quantiles, "FEW")):
        monkeypatch.setattr(module, name, events)

    def peak(n):
        mask = (np.arange(n) // 600) % 8 == 0
        columns = mapped_series.piecewise(lambda some: some * 1.0, ~mask)
        released = ReleasedSeries(columns, columns, None, columns, mask, slice(None))
        smoothed = Correlation.smoothed(2, 0.1, 1000.0)

        def work():
            error_curves.error_curves(columns, mask, series=0, points=400)
            release_curves(SKIP, released, series=0, correlation=smoothed, points=400)
            forecast.noise_forecast(SKIP, [mask])

        return peak_bytes(work)

    peak(1000)  # loads the kernels
    assert peak(32 * events) < 1.2 * peak(8 * events)
