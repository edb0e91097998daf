"""What releases would be like, before any is made.

All is read from the landmark set and the ledger, but for the errors, which are computed from the original: they are
those of :mod:`dashboard.releases.trajectory.expected_errors`, and are left out on request.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from dashboard.core.computing import computed
from dashboard.datasets import ledger
from dashboard.datasets.models import Dataset
from dashboard.landmarks.correlation import named, parse_correlation
from dashboard.landmarks.inputs import TrajectoryInputs
from dashboard.landmarks.models import LandmarkSet
from privacy_engine.analysis.correlation import CorrelationDescription
from privacy_engine.analysis.error_forecast import ErrorForecast, ForecastData, error_forecast
from privacy_engine.analysis.expected_loss import ExpectedLoss, expected_loss
from privacy_engine.analysis.forecast import FreshForecast, fresh_forecast
from privacy_engine.analysis.losses import MAX_SECONDS
from privacy_engine.analysis.results import Result
from privacy_engine.core.arrays import Mask
from privacy_engine.data.people import largest_total
from privacy_engine.mechanisms.base.trajectory import TrajectoryMechanism
from privacy_engine.mechanisms.landmark.base import PlanarLaplaceMechanism
from privacy_engine.postprocess import PostProcess


class MechanismForecast(Result):
    """What one mechanism draws, how far it is off, what it guarantees and loses."""

    name: str
    title: str
    expected: FreshForecast | None
    """What gets noise of its own; null where it would take a simulation and the series are too long for one."""
    errors: ErrorForecast | None
    """Errors to expect with the steps, as `/releases/expected-errors/` has them; null on request."""
    guarantee: dict[str, Any]
    promise: str
    """The statement of the guarantee without what it does not cover."""
    whole_trace: float | None
    """All events of any one person together leak at most this, as a level within the mechanism's radius."""
    loss: ExpectedLoss | None
    """null where no correlation is given."""


class StepForecast(Result):
    """One post-processing step; it costs nothing."""

    name: str
    title: str
    causal: bool
    """True if it is fit for live use."""


class Quote(Result):
    """What one release of each mechanism would be charged together, in ε per km."""

    price_per_km: float
    spent_per_km: float
    after_per_km: float
    total_per_km: float | None
    fits: bool
    stability: int
    """How often the level is charged."""


class Forecast(Result):
    """What to expect of releases that are not yet made."""

    mechanisms: list[MechanismForecast]
    correlation: CorrelationDescription | None
    """null where none is given."""
    postprocess: list[StepForecast]
    budget: Quote


@computed
def forecast_releases(
    dataset: Dataset,
    landmark_set: LandmarkSet | None,
    mechanisms: Sequence[TrajectoryMechanism],
    steps: Sequence[PostProcess],
    known: dict[str, Any] | None = None,
    *,
    errors: bool = True,
) -> Forecast:
    """For each mechanism what to expect and what it guarantees; what they cost together; what the steps are.

    With a correlation ``known`` also what each would leak under it; all of them together get the time a response may
    take.
    """
    with named("correlation"):  # without the dataset: an estimate would read positions, so it is refused
        correlation = None if known is None else parse_correlation(**known)
    inputs, seconds = TrajectoryInputs(dataset, landmark_set), MAX_SECONDS / max(len(mechanisms), 1)
    data = ForecastData.of(inputs.data, inputs.landmarks) if errors else None
    choice = replace(inputs.context.choice, not_covered=())
    covered = replace(inputs.context, choice=choice, not_covered=(), decided=())  # without what no promise covers
    return Forecast(
        mechanisms=[
            MechanismForecast(
                name=mechanism.name,
                title=mechanism.title,
                expected=fresh_forecast(mechanism, inputs.masks),
                errors=None if data is None else error_forecast(mechanism, data, steps),
                guarantee=mechanism.guarantee(inputs.context).as_dict(),
                promise=mechanism.guarantee(covered).statement,
                whole_trace=_whole_trace(mechanism, inputs.masks),
                loss=None
                if correlation is None
                else expected_loss(mechanism, inputs.masks, correlation, seconds=seconds),
            )
            for mechanism in mechanisms
        ],
        correlation=None if correlation is None else correlation.shown(),
        postprocess=[StepForecast(name=step.name, title=step.title, causal=step.causal) for step in steps],
        budget=Quote(**ledger.quote(dataset, mechanisms, inputs.context)),
    )


def _whole_trace(mechanism: TrajectoryMechanism, masks: Sequence[Mask]) -> float | None:
    if not isinstance(mechanism, PlanarLaplaceMechanism):
        return None
    return largest_total(mechanism.most_budgets(mask) for mask in masks)
