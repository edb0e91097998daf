"""Errors to expect of releases that are not yet made, and the least ε for an error: computed from the original, for the
owner alone. What :mod:`dashboard.releases.trajectory.forecasts` has is read from the landmark set and the ledger."""

from __future__ import annotations

from collections.abc import Sequence

from dashboard.core.computing import computed
from dashboard.datasets import ledger
from dashboard.datasets.models import Dataset
from dashboard.datasets.scale import scale_of
from dashboard.datasets.selectors import reference_radius_m
from dashboard.landmarks.inputs import TrajectoryInputs
from dashboard.landmarks.models import LandmarkSet
from privacy_engine.analysis.accepted_error import Figure, at_level, least_epsilon
from privacy_engine.analysis.best_guess import best_guess
from privacy_engine.analysis.data_scale import DataScale
from privacy_engine.analysis.error_forecast import ErrorForecast, ForecastData, error_forecast
from privacy_engine.analysis.results import Result
from privacy_engine.analysis.verdict import Rule, Verdict, rules, verdict
from privacy_engine.mechanisms.base.trajectory import TrajectoryMechanism
from privacy_engine.postprocess import PostProcess


class MechanismErrors(Result):
    """Errors to expect of one mechanism, and the verdict on them."""

    name: str
    title: str
    errors: ErrorForecast
    verdict: Verdict | None
    """null where nothing is published or the data have no extent."""


class ExpectedErrors(Result):
    """Errors to expect of releases, beside the scale of the data and the rules of the verdicts."""

    scale: DataScale
    rules: list[Rule]
    mechanisms: list[MechanismErrors]


class MechanismLevel(Result):
    """The least ε of one mechanism for an accepted error, and what a release at it is charged."""

    name: str
    title: str
    epsilon: float | None
    """null where no ε gives that error: repeated positions alone are off by more, or nothing is published."""
    errors: ErrorForecast | None
    """At that ε; where there is none, at the greatest ε."""
    verdict: Verdict | None
    price_per_km: float | None
    fits: bool | None
    """Whether the budget has that much left."""


class LeastLevels(Result):
    """For each mechanism the least ε at which an error is accepted."""

    accepted_m: float
    figure: Figure
    mechanisms: list[MechanismLevel]


class MechanismCost(MechanismErrors):
    """What a level costs with one mechanism: errors to expect, the verdict, and what a release is charged."""

    price_per_km: float
    fits: bool
    """Whether the budget has that much left."""


class ProtectionCosts(Result):
    """What one level costs with each mechanism."""

    epsilon: float
    radius_m: float
    """The reference radius of the dataset."""
    guess: float
    """e^ε / (1 + e^ε), the most with which a guess between two equally likely places that far apart is right."""
    mechanisms: list[MechanismCost]


@computed
def expected_errors(
    dataset: Dataset,
    landmark_set: LandmarkSet | None,
    mechanisms: Sequence[TrajectoryMechanism],
    steps: Sequence[PostProcess],
) -> ExpectedErrors:
    """Return the errors to expect of a release of each mechanism with the steps after it."""
    inputs = TrajectoryInputs(dataset, landmark_set)
    data, scale = ForecastData.of(inputs.data, inputs.landmarks), scale_of(dataset)
    found = [(one, error_forecast(one, data, steps)) for one in mechanisms]
    return ExpectedErrors(
        scale=scale,
        rules=rules(scale),
        mechanisms=[
            MechanismErrors(name=one.name, title=one.title, errors=errors, verdict=_verdict(errors, scale))
            for one, errors in found
        ],
    )


@computed
def least_levels(
    dataset: Dataset,
    landmark_set: LandmarkSet | None,
    mechanisms: Sequence[TrajectoryMechanism],
    steps: Sequence[PostProcess],
    accepted_m: float,
    figure: Figure,
) -> LeastLevels:
    """Return the least ε of each mechanism at which ``figure`` of its errors is at most ``accepted_m``."""
    inputs = TrajectoryInputs(dataset, landmark_set)
    data, scale = ForecastData.of(inputs.data, inputs.landmarks), scale_of(dataset)
    rows = []
    for one in mechanisms:
        found = least_epsilon(one, data, accepted_m, figure=figure, steps=steps)
        epsilon = found.epsilon if found else None
        quote = None if epsilon is None else ledger.quote(dataset, [at_level(one, epsilon)], inputs.context)
        rows.append(
            MechanismLevel(
                name=one.name,
                title=one.title,
                epsilon=epsilon,
                errors=found.errors if found else None,
                verdict=_verdict(found.errors, scale) if found else None,
                price_per_km=quote["price_per_km"] if quote else None,
                fits=quote["fits"] if quote else None,
            )
        )
    return LeastLevels(accepted_m=accepted_m, figure=figure, mechanisms=rows)


@computed
def protection_costs(
    dataset: Dataset,
    landmark_set: LandmarkSet | None,
    mechanisms: Sequence[TrajectoryMechanism],
    steps: Sequence[PostProcess],
    epsilon: float,
) -> ProtectionCosts:
    """Return what ``epsilon`` within the reference radius of the dataset costs with each mechanism."""
    context = TrajectoryInputs(dataset, landmark_set).context
    radius_m = reference_radius_m(dataset, ledger.budget_of(dataset))
    level = {"epsilon": epsilon, "radius_m": radius_m}
    at = [type(one)(**one.model_dump() | level) for one in mechanisms]
    rows = []
    for one, found in zip(at, expected_errors(dataset, landmark_set, at, steps).mechanisms, strict=True):
        quote = ledger.quote(dataset, [one], context)
        price = {name: quote[name] for name in ("price_per_km", "fits")}
        rows.append(MechanismCost(**dict(found), **price))
    return ProtectionCosts(epsilon=epsilon, radius_m=radius_m, guess=best_guess(epsilon), mechanisms=rows)


def _verdict(errors: ErrorForecast, scale: DataScale) -> Verdict | None:
    figures = errors.overall
    if figures.typical_m is None or figures.p95_m is None:
        return None
    return verdict(figures.typical_m, figures.p95_m, scale, noise_m=errors.noise_m)
