"""Metrics of the distance from each published position to where its event was."""

from typing import Annotated, ClassVar, Literal

import numpy as np

from privacy_engine.core import geo
from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.core.params import Param
from privacy_engine.data import Release, Trajectory
from privacy_engine.metrics.base import TrajectoryMetric, metrics

SHARE = Param(
    label="Share of the events",
    symbol="p",
    help="The error that this share of the published positions does not exceed: 0.5 is the median.",
    lowest=0.0,
    highest=1.0,
    example=0.5,
)


def error_m(truth: Trajectory, release: Release) -> Floats:
    """Great-circle distance from each published position to its event's true position, metres, (m,)."""
    return _errors(truth, release.series.lon, release.series.lat, release.event)


def mean_absolute_error_m(truth: Trajectory, release: Release) -> float:
    """Mean of :func:`error_m`; not a number for an empty release."""
    return MeanAbsoluteError().of(truth, release)


def _errors(truth: Trajectory, lon: Floats, lat: Floats, event: Ints) -> Floats:
    return geo.distance_m(truth.lon[event], truth.lat[event], lon, lat)


class ErrorMetric(TrajectoryMetric):
    """Base of the metrics that follow from the distances alone, whatever series they are of."""

    def of_errors(self, errors: Floats) -> Floats:
        """Its value for distances in metres, (..., m), m at least 1; their order may change."""
        raise NotImplementedError

    def _over(self, truth: Trajectory, lon: Floats, lat: Floats, event: Ints) -> Floats:
        return self.of_errors(_errors(truth, lon, lat, event))


@metrics.register
class MeanAbsoluteError(ErrorMetric):
    """The mean over the published events of the distance to the truth [1]_.

    References
    ----------
    .. [1] Katsomallos, Tzompanaki, Kotzinos. "Landmark Privacy: Configurable Differential Privacy Protection for
       Time Series". CODASPY 2022.
    """

    title: ClassVar[str] = "Mean absolute error"
    short: ClassVar[str] = "MAE"
    summary: ClassVar[str] = "The mean distance of a published position from the original one."

    name: Literal["mean-absolute-error"] = "mean-absolute-error"

    def of_errors(self, errors: Floats) -> Floats:
        return np.asarray(errors.mean(axis=-1))


@metrics.register
class RootMeanSquareError(ErrorMetric):
    """The root of the mean square distance to the truth; never below the mean distance [1]_.

    References
    ----------
    .. [1] Hyndman, Koehler. "Another look at measures of forecast accuracy". International Journal of Forecasting 2006.
    """

    title: ClassVar[str] = "Root mean square error"
    short: ClassVar[str] = "RMSE"
    summary: ClassVar[str] = "As the mean error, but large errors weigh more."

    name: Literal["root-mean-square-error"] = "root-mean-square-error"

    def of_errors(self, errors: Floats) -> Floats:
        return np.asarray(np.sqrt((errors**2).mean(axis=-1)))


@metrics.register
class ErrorQuantile(ErrorMetric):
    """The p-quantile of the distances to the truth, linear between two order statistics (type 7) [1]_.

    References
    ----------
    .. [1] Hyndman, Fan. "Sample Quantiles in Statistical Packages". The American Statistician 1996.
    """

    title: ClassVar[str] = "Quantile of the error"
    summary: ClassVar[str] = "The distance from the truth that a given share of the published positions stays within."

    name: Literal["error-quantile"] = "error-quantile"
    p: Annotated[float, SHARE]

    def of_errors(self, errors: Floats) -> Floats:
        return np.asarray(np.quantile(errors, self.p, axis=-1, overwrite_input=True))
