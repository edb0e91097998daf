"""Errors to expect of releases that are not yet made, and the least ε for an error: computed from the original, for the
owner alone. What else :mod:`dashboard.releases.trajectory.forecasts` has is of the landmark set and the ledger."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

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
from privacy_engine.analysis.error_forecast import MOST_EVENTS, ErrorForecast, ForecastData, error_forecast
from privacy_engine.analysis.results import Result
from privacy_engine.analysis.verdict import Rule, Verdict, exposes, rules, verdict
from privacy_engine.mechanisms.base.trajectory import TrajectoryMechanism
from privacy_engine.postprocess import PostProcess, RandomWalkSmoother
from privacy_engine.releases.spec import ReleaseSpec, SimulatedSpec

SMOOTHER = RandomWalkSmoother()
"""What the best release is suggested with."""


class MechanismErrors(Result):
    """Errors to expect of one release, and the verdict on them."""

    name: str
    title: str
    postprocess: list[dict[str, Any]] = []
    errors: ErrorForecast
    verdict: Verdict | None
    """null where nothing is published or the data have no extent."""


class ExpectedErrors(Result):
    """Errors to expect of releases, beside the scale of the data and the rules of the verdicts."""

    scale: DataScale
    rules: list[Rule]
    mechanisms: list[MechanismErrors]


class MechanismLevel(Result):
    """The least ε of one release for an accepted error, and what it is charged at it."""

    name: str
    title: str
    postprocess: list[dict[str, Any]]
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
    dataset: Dataset, landmark_set: LandmarkSet | None, releases: Sequence[ReleaseSpec], *, smoothing: bool = False
) -> ExpectedErrors:
    """Return the errors to expect of releases; with ``smoothing`` also of the :func:`suggested` one, at the end."""
    inputs, scale = TrajectoryInputs(dataset, landmark_set), scale_of(dataset)
    data, landmarks = ForecastData.of(inputs.data, inputs.landmarks), inputs.context.landmarks or 0

    def of(spec: ReleaseSpec) -> MechanismErrors:
        errors = error_forecast(spec.mechanism, data, spec.postprocess)
        return MechanismErrors(**_named(spec), errors=errors, verdict=_verdict(spec, errors, scale, landmarks))

    found = [of(one) for one in releases]
    more = suggested(releases, found, landmarks) if smoothing and data.events <= MOST_EVENTS else None
    return ExpectedErrors(scale=scale, rules=rules(scale), mechanisms=[*found, *([of(more)] if more else [])])


def suggested(releases: Sequence[ReleaseSpec], errors: Sequence[MechanismErrors], landmarks: int) -> ReleaseSpec | None:
    """Return the release of least typical error followed by :data:`SMOOTHER`; None if it is one of ``releases``.

    It is one without steps that protects the landmarks together, if there are ``landmarks``.
    """
    plain = [
        (one.errors.overall.typical_m, i)
        for i, (spec, one) in enumerate(zip(releases, errors, strict=True))
        if not spec.postprocess
        and not exposes(spec.mechanism.level, landmarks)
        and one.errors.overall.typical_m is not None
    ]
    found = SimulatedSpec(mechanism=releases[min(plain)[1]].mechanism, postprocess=[SMOOTHER]) if plain else None
    return None if found in releases else found


@computed
def least_levels(
    dataset: Dataset,
    landmark_set: LandmarkSet | None,
    releases: Sequence[ReleaseSpec],
    accepted_m: float,
    figure: Figure,
) -> LeastLevels:
    """Return the least ε of each release at which ``figure`` of its errors is at most ``accepted_m``."""
    inputs = TrajectoryInputs(dataset, landmark_set)
    data, scale = ForecastData.of(inputs.data, inputs.landmarks), scale_of(dataset)
    rows = []
    for spec in releases:
        found = least_epsilon(spec.mechanism, data, accepted_m, figure=figure, steps=spec.postprocess)
        epsilon = found.epsilon if found else None
        quote = None if epsilon is None else ledger.quote(dataset, [at_level(spec.mechanism, epsilon)], inputs.context)
        rows.append(
            MechanismLevel(
                **_named(spec),
                epsilon=epsilon,
                errors=found.errors if found else None,
                verdict=_verdict(spec, found.errors, scale, inputs.context.landmarks or 0) if found else None,
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
    releases = [SimulatedSpec(mechanism=one, postprocess=steps) for one in at]
    rows = []
    for one, found in zip(at, expected_errors(dataset, landmark_set, releases).mechanisms, strict=True):
        quote = ledger.quote(dataset, [one], context)
        price = {name: quote[name] for name in ("price_per_km", "fits")}
        rows.append(MechanismCost(**dict(found), **price))
    return ProtectionCosts(epsilon=epsilon, radius_m=radius_m, guess=best_guess(epsilon), mechanisms=rows)


def _named(spec: ReleaseSpec) -> dict[str, Any]:
    steps = [one.model_dump() for one in spec.postprocess]
    return {"name": spec.mechanism.name, "title": spec.title, "postprocess": steps}


def _verdict(spec: ReleaseSpec, errors: ErrorForecast, scale: DataScale, landmarks: int) -> Verdict | None:
    figures = errors.overall
    if figures.typical_m is None or figures.p95_m is None:
        return None
    promised = {"exposed": exposes(spec.mechanism.level, landmarks), "unsound": bool(spec.mechanism.unsound)}
    return verdict(figures.typical_m, figures.p95_m, scale, noise_m=errors.noise_m, **promised)
