"""The mean absolute error, by simulation where that can be had."""

from collections.abc import Sequence
from typing import Any, ClassVar, Literal

from privacy_engine import metrics
from privacy_engine.analysis.simulation import simulate_each, simulate_errors
from privacy_engine.core.arrays import Floats
from privacy_engine.experiments.measures.base import Measure, Work, each, measures, over_series, releasing
from privacy_engine.experiments.trials import Trials


@measures.register
class Error(Measure):
    """The mean over the published events of the distance to the truth [1]_.

    Without steps after the mechanism it is simulated (:mod:`privacy_engine.analysis.simulation`), which is faster; its
    draws are then others than those of the releases that other metrics measure, by the same law.

    References
    ----------
    .. [1] Katsomallos, Tzompanaki, Kotzinos. "Landmark Privacy: Configurable Differential Privacy Protection for
       Time Series". CODASPY 2022.
    """

    title: ClassVar[str] = "Mean absolute error"
    short: ClassVar[str] = "MAE"
    summary: ClassVar[str] = metrics.MeanAbsoluteError.summary
    unit: ClassVar[str] = "m"
    owner_only: ClassVar[bool] = True
    needs_release: ClassVar[bool] = True

    name: Literal["error"] = "error"

    def values(self, trials: Trials) -> Floats:
        return _of_releases(trials) if trials.cell.release.postprocess else _simulated(trials)

    def work(self, cell: Any, lengths: Sequence[int], repetitions: int) -> Work:
        events = sum(lengths)
        if cell.release.postprocess:
            return releasing(cell, lengths, repetitions)
        if cell.redraw or cell.dummies is not None:
            return {"error": repetitions * (6e-5 + 1.2e-7 * events)}
        return {"error": 6e-4 + events * (1e-7 + 8e-9 * repetitions)}


def _of_releases(trials: Trials) -> Floats:
    return each(
        trials,
        lambda repetition: [
            metrics.mean_absolute_error_m(*pair)
            for pair in zip(trials.series, trials.releases(repetition), strict=True)
        ],
    )


def _simulated(trials: Trials) -> Floats:
    mechanism, which, rows = trials.cell.release.mechanism, trials.which, []
    for i, (series, seed) in enumerate(zip(trials.series, trials.seeds, strict=True)):
        if trials.alike:
            marks, n = trials.marked(which.start)[i], len(which)
            errors_m = simulate_errors(mechanism, series, marks, seed=seed, repetitions=n, first_repetition=which.start)
        else:
            own = (trials.marked(repetition)[i] for repetition in which)
            errors_m = simulate_each(mechanism, series, own, seed=seed, first_repetition=which.start)
        rows.append(errors_m)
    return over_series(rows, len(which))
