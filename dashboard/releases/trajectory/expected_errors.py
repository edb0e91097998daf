"""Errors to expect of releases that are not yet made, and the least ε for an error: computed from the original, for the
owner alone. What else :mod:`dashboard.releases.trajectory.forecasts` has is of the landmark set and the ledger."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from dashboard.core.computing import computed
from dashboard.datasets import ledger
from dashboard.datasets.models import Dataset
from dashboard.datasets.scale import scale_of
from dashboard.datasets.selectors import reference_radius_m
from dashboard.landmarks.inputs import TrajectoryInputs
from dashboard.landmarks.models import LandmarkSet
from dashboard.releases.common.least_levels import is_usable
from dashboard.releases.selectors import made
from dashboard.storage.stored_path import StoredPath
from privacy_engine.analysis.accepted_error import Figure, at_level, least_epsilon
from privacy_engine.analysis.best_guess import best_guess
from privacy_engine.analysis.data_scale import DataScale
from privacy_engine.analysis.error_forecast import MOST_EVENTS, ErrorForecast, ForecastData, error_forecast
from privacy_engine.analysis.reference_radius import RADII
from privacy_engine.analysis.results import Result
from privacy_engine.analysis.verdict import USABLE_SHARE, Rule, Verdict, exposes, rules, verdict
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
    made: str | None = None
    """The page of a release that is made, or being made, as described, of the same data; null for none."""


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
    radius_m: float | None
    """That the ε is within: where no error is accepted, one of the named radii."""
    errors: ErrorForecast | None
    """At that ε; where there is none, at the greatest ε."""
    verdict: Verdict | None
    price_per_km: float | None
    fits: bool | None
    """Whether the budget has that much left."""


class LeastLevels(Result):
    """For each mechanism the least ε at which an error is accepted."""

    accepted_m: float | None
    """null for a usable release."""
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
    """Return the errors to expect of releases; with ``smoothing`` also of the :func:`suggested` release, at the end."""
    scale, landmarks = scale_of(dataset), TrajectoryInputs(dataset, landmark_set).context.landmarks or 0
    source = dataset, dataset.points_path, landmark_set

    def of(spec: ReleaseSpec) -> MechanismErrors:
        errors = _forecast(*source, spec.mechanism, tuple(spec.postprocess))
        return MechanismErrors(**_named(spec), errors=errors, verdict=_verdict(spec, errors, scale, landmarks))

    expected = [of(spec) for spec in releases]
    smoothing = smoothing and _data(*source).some(MOST_EVENTS).events <= MOST_EVENTS
    more = suggested(releases, expected, landmarks) if smoothing else None
    rows, specs = ([*expected, of(more)], [*releases, more]) if more else (expected, releases)
    pages = made(dataset, landmark_set, specs)
    rows = [row.model_copy(update={"made": page}) for row, page in zip(rows, pages, strict=True)]
    return ExpectedErrors(scale=scale, rules=rules(scale), mechanisms=rows)


@lru_cache(maxsize=256)
def _forecast(
    dataset: Dataset,
    path: StoredPath,
    landmark_set: LandmarkSet | None,
    mechanism: TrajectoryMechanism,
    steps: tuple[PostProcess, ...],
) -> ErrorForecast:
    return error_forecast(mechanism, _data(dataset, path, landmark_set), steps)


@lru_cache(maxsize=1)
def _data(dataset: Dataset, path: StoredPath, landmark_set: LandmarkSet | None) -> ForecastData:
    """``path`` changes where the dataset is read again."""
    inputs = TrajectoryInputs(dataset, landmark_set)
    return ForecastData.of(inputs.data, inputs.landmarks)


def suggested(releases: Sequence[ReleaseSpec], errors: Sequence[MechanismErrors], landmarks: int) -> ReleaseSpec | None:
    """Return the release of least typical error followed by :data:`SMOOTHER`; None if it is in ``releases``.

    It is without steps and protects the landmarks together, if there are ``landmarks``.
    """
    plain = [
        (row.errors.overall.typical_m, i)
        for i, (spec, row) in enumerate(zip(releases, errors, strict=True))
        if not spec.postprocess
        and not exposes(spec.mechanism.level, landmarks)
        and row.errors.overall.typical_m is not None
    ]
    smoothed = SimulatedSpec(mechanism=releases[min(plain)[1]].mechanism, postprocess=[SMOOTHER]) if plain else None
    return None if smoothed in releases else smoothed


@computed
def least_levels(
    dataset: Dataset,
    landmark_set: LandmarkSet | None,
    releases: Sequence[ReleaseSpec],
    accepted_m: float | None,
    figure: Figure,
) -> LeastLevels:
    """Return the least ε of each release at which ``figure`` of its errors is at most ``accepted_m``.

    None for ``accepted_m``: a level at which it is usable, of a radius that forms name.
    """
    context, scale = TrajectoryInputs(dataset, landmark_set).context, scale_of(dataset)
    data, landmarks = _data(dataset, dataset.points_path, landmark_set), context.landmarks or 0
    rows = []
    for spec in releases:
        at, errors = spec.mechanism, None
        if accepted_m is None:
            at, errors = _usable(spec, data, scale, landmarks)
        elif least := least_epsilon(at, data, accepted_m, figure=figure, steps=spec.postprocess):
            errors, at = least.errors, None if least.epsilon is None else at_level(at, least.epsilon)
        quote = None if at is None or errors is None else ledger.quote(dataset, [at], context)
        rows.append(
            MechanismLevel(
                **_named(spec),
                epsilon=float(at.epsilon) if quote else None,
                radius_m=float(at.radius_m) if quote else None,
                errors=errors,
                verdict=_verdict(spec, errors, scale, landmarks) if errors else None,
                price_per_km=quote["price_per_km"] if quote else None,
                fits=quote["fits"] if quote else None,
            )
        )
    return LeastLevels(accepted_m=accepted_m, figure=figure, mechanisms=rows)


def _usable(
    spec: ReleaseSpec, data: ForecastData, scale: DataScale, landmarks: int
) -> tuple[TrajectoryMechanism | None, ErrorForecast | None]:
    """The mechanism at the largest named radius at which it is usable, else at the least ε at the smallest.

    Both None where it is not usable there either: it hides nothing, or repeated positions alone are off by more.
    """
    first, extent_m = RADII[0].radius_m, scale.extent_m
    if not extent_m:
        return None, None

    def within(radius_m: float) -> TrajectoryMechanism:
        return type(spec.mechanism)(**spec.mechanism.model_dump() | {"radius_m": radius_m})

    least = least_epsilon(within(first), data, USABLE_SHARE * extent_m, figure="p95_m", steps=spec.postprocess)
    if least is None or least.epsilon is None:
        return None, None
    for named in reversed(RADII):  # errors follow from the level per metre
        if spec.mechanism.epsilon * first >= least.epsilon * named.radius_m:
            errors = error_forecast(at := within(named.radius_m), data, spec.postprocess)
            if is_usable(_verdict(spec, errors, scale, landmarks)):
                return at, errors
    usable = is_usable(_verdict(spec, least.errors, scale, landmarks))
    return (at_level(within(first), least.epsilon), least.errors) if usable else (None, None)


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
    at = [type(mechanism)(**mechanism.model_dump() | level) for mechanism in mechanisms]
    releases = [SimulatedSpec(mechanism=mechanism, postprocess=steps) for mechanism in at]
    rows = []
    for priced, errors in zip(at, expected_errors(dataset, landmark_set, releases).mechanisms, strict=True):
        quote = ledger.quote(dataset, [priced], context)
        price = {name: quote[name] for name in ("price_per_km", "fits")}
        rows.append(MechanismCost(**dict(errors), **price))
    return ProtectionCosts(epsilon=epsilon, radius_m=radius_m, guess=best_guess(epsilon), mechanisms=rows)


def _named(spec: ReleaseSpec) -> dict[str, Any]:
    steps = [step.model_dump() for step in spec.postprocess]
    return {"name": spec.mechanism.name, "title": spec.title, "postprocess": steps}


def _verdict(spec: ReleaseSpec, errors: ErrorForecast, scale: DataScale, landmarks: int) -> Verdict | None:
    figures = errors.overall
    if figures.typical_m is None or figures.p95_m is None:
        return None
    promised = {"exposed": exposes(spec.mechanism.level, landmarks), "unsound": bool(spec.mechanism.unsound)}
    return verdict(figures.typical_m, figures.p95_m, scale, noise_m=errors.noise_m, **promised)
