"""What a printed report holds of releases of trajectories, beside what every report holds.

The public part follows from published points and budgets, and from which events are landmarks (all marks alike where
there are dummies) if the mechanism reads them. It never looks at errors, at how landmarks were found, or at a set that
a release is only compared on; the owner's part adds those.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, NamedTuple

import numpy as np
from django.http import Http404, HttpRequest
from django.urls import reverse

from dashboard.core.computing import computed
from dashboard.datasets import ledger
from dashboard.datasets.models import Dataset
from dashboard.datasets.scale import scale_of
from dashboard.jobs.models import State
from dashboard.landmarks.inputs import TrajectoryInputs
from dashboard.landmarks.models import LandmarkSet
from dashboard.landmarks.report import set_facts
from dashboard.maps.series_cache import line
from dashboard.releases import downloads, files, reproduce
from dashboard.releases.models import Release
from dashboard.releases.report import (
    POINTS,
    Charge,
    Parameter,
    ReleaseReport,
    Report,
    charge_of,
    number_below,
    parameters_of,
)
from dashboard.releases.selectors import visible_releases
from dashboard.releases.trajectory import choice
from privacy_engine.accounting.distance import diameter
from privacy_engine.accounting.temporal import temporal_loss
from privacy_engine.analysis.correlation import Correlation
from privacy_engine.analysis.downsampling import decimated, runs
from privacy_engine.analysis.error_forecast import ErrorForecast, ForecastData, error_forecast
from privacy_engine.analysis.forecast import Expected, noise_forecast
from privacy_engine.analysis.losses import highest, levels, undefined
from privacy_engine.analysis.results import Curve, listed
from privacy_engine.analysis.verdict import Verdict, rules
from privacy_engine.core.arrays import Floats, Mask
from privacy_engine.errors import EngineError
from privacy_engine.mechanisms.base.trajectory import TrajectoryMechanism
from privacy_engine.mechanisms.landmark.base import last_draw

STRENGTHS = (("weak", 1.0), ("moderate", 0.1), ("strong", 0.01))
CHARTED = "moderate"
STATES = 2
DIAMETER_M = 1000.0
"""How far apart the adversary's states lie at most, where the reader names no other distance: a constant, no data."""


@dataclass(frozen=True)
class Step:
    """A step of post-processing."""

    title: str
    parameters: list[Parameter]


class ExpectedNoise(NamedTuple):
    """Noise of a group of events, in closed form."""

    who: str
    noise: Expected


class Loss(NamedTuple):
    """The largest temporal loss of a series under a correlation of two states, smoothed by ``s``."""

    strength: str
    s: float
    highest: float


class Span(NamedTuple):
    """Seconds since 1970, None without times."""

    start: float | None
    end: float | None


@dataclass(frozen=True)
class Curves:
    """One series of n events: its thinned out curves at ``event``, and all its landmarks as runs."""

    event: list[int]
    n: int
    landmarks: list[list[int]]
    level: float
    budget: list[float]
    noise_m: Curve
    loss: list[float] | None
    error_m: Curve | None

    def as_dict(self) -> dict[str, Any]:
        """The curves as JSON-ready data; those of a public report have no errors."""
        values = asdict(self)
        return values if self.error_m is not None else {name: values[name] for name in values if name != "error_m"}


@dataclass(frozen=True, kw_only=True)
class TrajectoryReport(ReleaseReport):
    """What every reader of a release of trajectories may know; ``curves`` are for the charts, the rest for the page."""

    source: dict[str, Any] | None
    steps: list[Step]
    price: float | None
    """ε within ``radius_m``."""
    radius_m: float
    summary: dict[str, Any]
    expected: list[ExpectedNoise]
    losses: list[Loss]
    losses_undefined: str
    curves: Curves

    @property
    def values(self) -> dict[str, Any]:
        noise = self.expected[-1].noise if self.expected else None
        moderate = next((loss.highest for loss in self.losses if loss.strength == CHARTED), None)
        own = {"noise_mean_m": noise and noise.mean_m, "noise_p95_m": noise and noise.p95_m, "loss": moderate}
        return super().values | own


@dataclass(frozen=True)
class OwnerPart:
    """What the owner's report adds of a release."""

    name: str
    errors: dict[str, float]
    expected: ErrorForecast
    """Errors to expect by the description, before it was drawn."""
    verdict: Verdict | None
    charge: Charge | None
    request: str
    curves: Curves

    @property
    def values(self) -> dict[str, Any]:
        """What columns of tables show of it, beside :attr:`TrajectoryReport.values`."""
        return {**self.errors, "expected_m": self.expected.overall.mean_m, "verdict": self.verdict}


@dataclass(frozen=True)
class OwnersSet:
    """How the landmarks of releases were found."""

    name: str
    method: str
    selection: dict[str, Any] | None
    made: datetime


@dataclass(frozen=True, eq=False)
class _Series:
    """One series of a release, n events: what follows from what it publishes."""

    is_landmark: Mask
    budget: Floats
    noise_m: Floats
    losses: dict[str, Floats]
    level: float
    why_not: str = ""


@computed
def public(row: Release, series: int, diameter_m: float = DIAMETER_M) -> TrajectoryReport:
    """What every recipient of a finished release may know.

    Losses are between states at most ``diameter_m`` apart.

    Raises
    ------
    ParameterError
        It has no such series, or ``diameter_m`` is no distance between two places.
    """
    spec, numbers = row.parsed_spec, _read(row, series, diameter_m, row.set_read)
    return TrajectoryReport.of(
        row,
        source=row.source,
        steps=[Step(step.title, parameters_of(step)) for step in spec.postprocess],
        price=_price(row, spec.mechanism) if row.charged else None,
        radius_m=spec.mechanism.radius_m,
        summary=row.summary or {},
        expected=_expected(row),
        losses=[Loss(name, s, highest(numbers.losses[name])) for name, s in STRENGTHS if name in numbers.losses],
        losses_undefined=numbers.why_not,
        curves=_curves(row, numbers),
    )


def _price(row: Release, mechanism: TrajectoryMechanism) -> float:
    return float(mechanism.charged_epsilon(downloads.context_of(row)) * ledger.charged_times(row.dataset, mechanism))


@computed
def owners(row: Release, series: int, diameter_m: float = DIAMETER_M, compared: LandmarkSet | None = None) -> OwnerPart:
    """What the owner's report adds to :func:`public` of a release; without a set of its own, over that of others."""
    errors = files.read_curves(row, series).error_m
    read = _read(row, series, diameter_m, row.landmark_set or compared)
    ids = {"dataset": str(row.dataset_id)}
    if row.landmark_set_id:
        ids["landmark_set"] = str(row.landmark_set_id)
    return OwnerPart(
        name=row.name,
        errors=row.owner_view or {},
        expected=_errors(row),
        verdict=row.verdict,
        charge=charge_of(row),
        request=reproduce.request(row, ids),
        curves=_curves(row, read, errors),
    )


def landmarks(rows: Sequence[Release]) -> dict[str, Any] | None:
    """The marks that releases were made with: how many and how far apart; which, is public. None if none reads any."""
    read = next((row.set_read for row in rows if row.set_read), None)
    return None if read is None else set_facts(read)


def owners_set(chosen: LandmarkSet) -> OwnersSet:
    """How the landmarks were found, and how many of the marks are dummies: the owner's alone."""
    parameters = {name: value for name, value in chosen.method.items() if isinstance(value, int | float | str)}
    texts = [
        f"{name} {value:g}" if isinstance(value, float) else f"{name} {value}" for name, value in parameters.items()
    ]
    method = ", ".join(texts).removeprefix("name ")  # lists of events and zones would fill pages
    return OwnersSet(chosen.name, method, chosen.selection, chosen.created_at)


@computed
def published(rows: Sequence[Release], series: int) -> Span:
    """When the published events of a series are, over all releases: times are in clear."""
    times = [line(row.data_path, series).time_ms for row in rows]
    known = [time_ms for time_ms in times if time_ms is not None and len(time_ms)]
    if len(known) < len(rows):
        return Span(None, None)
    return Span(float(min(time_ms[0] for time_ms in known)) / 1000, float(max(time_ms[-1] for time_ms in known)) / 1000)


def drawn(row: Release, curves: Curves) -> dict[str, Any]:
    """What the page's script draws of a release."""
    mechanism = row.parsed_spec.mechanism
    return {
        "id": str(row.pk),
        "title": row.title,
        "mechanism": row.mechanism,
        "level": {"epsilon": mechanism.epsilon, "radius_m": mechanism.radius_m},
        "track": reverse("api:release-track", args=[row.pk]),
        "curves": curves.as_dict(),
    }


def _expected(row: Release) -> list[ExpectedNoise]:
    """How far noise moves landmarks and others, by the description alone; nothing where that depends on the run."""
    forecast = noise_forecast(row.parsed_spec.mechanism, TrajectoryInputs(row.dataset, row.set_read).masks)
    if forecast is None:
        return []
    groups = [("Landmarks", forecast.landmark), ("Other events", forecast.regular), ("All", forecast.overall)]
    if not forecast.landmark.events:
        groups = groups[-1:]
    return [ExpectedNoise(who, noise) for who, noise in groups if noise.events]


def _errors(row: Release) -> ErrorForecast:
    spec, inputs = row.parsed_spec, TrajectoryInputs(row.dataset, row.set_read)
    return error_forecast(spec.mechanism, ForecastData.of(inputs.data, inputs.landmarks), spec.postprocess)


def _read(row: Release, series: int, diameter_m: float, landmark_set: LandmarkSet | None) -> _Series:
    person = files.person_of_release(row, series)
    release, is_landmark = files.read_person(row, person, landmark_set)
    mechanism, here = row.parsed_spec.mechanism, person.ranks_of(series)
    shown = last_draw(release.fresh)
    noise_m = release.sd_m[release.fresh][shown] if release.fresh.any() else np.full(len(person), np.nan)
    every = {name: Correlation.smoothed(STATES, s, diameter_m) for name, s in STRENGTHS}
    level = mechanism.epsilon * every[CHARTED].scale(mechanism.radius_m)
    if why_not := undefined(mechanism):
        return _Series(is_landmark[here], release.budgets[here], noise_m[here], {}, level, why_not)
    losses = {}
    for name, both in every.items():
        own, shared = levels(mechanism, release.budgets, is_landmark, both)
        losses[name] = temporal_loss(own, backward=both.backward, forward=both.forward, shared=shared).total[here]
    return _Series(is_landmark[here], release.budgets[here], noise_m[here], losses, level)


def _curves(row: Release, numbers: _Series, error_m: Floats | None = None) -> Curves:
    """Curves thinned out; ``error_m`` only for the owner: which events are kept then depends on it too."""
    loss = numbers.losses.get(CHARTED)
    kept = [curve for curve in (numbers.budget, numbers.noise_m, loss, error_m) if curve is not None]
    at = decimated(kept, POINTS)
    return Curves(
        event=at.tolist(),
        n=len(numbers.budget),
        landmarks=runs(numbers.is_landmark),
        level=numbers.level,
        budget=numbers.budget[at].tolist(),
        noise_m=listed(numbers.noise_m[at]),
        loss=None if loss is None else loss[at].tolist(),
        error_m=None if error_m is None else listed(error_m[at]),
    )


class PrintedReport(Report):
    """With a map, and charts of a series."""

    several = "one trace"
    records = "events"
    terms = "releases/trajectory/_report_terms.html"

    def usual(self, user: Any, dataset: Dataset) -> list[Release]:
        """Return those that the comparison shows."""
        shown = choice.compared(user, dataset, choice.chosen_set(user, dataset, None, []), [])
        return list(visible_releases(user).filter(pk__in=shown, state=State.DONE))

    def context(self, request: HttpRequest, rows: Sequence[Release], *, owner: bool) -> dict[str, Any]:
        dataset, diameter_m = rows[0].dataset, _diameter(request)
        series = number_below(request.GET.get("series", "0"), dataset.series_count)
        reports = [public(row, series, diameter_m) for row in rows]
        compared = next((row.landmark_set for row in rows if row.landmark_set), None)
        parts = [owners(row, series, diameter_m, compared) for row in rows] if owner else []
        context = self.shared(request, rows, reports, parts) | {
            "series": series,
            "series_count": dataset.series_count,
            "published": published(rows, series),
            "landmarks": landmarks(rows),
            "diameter_m": diameter_m,
        }
        curves = [part.curves for part in parts or reports]
        lines = [
            drawn(row, shown) | {"style": entry["style"]}
            for row, shown, entry in zip(rows, curves, context["releases"], strict=True)
        ]
        context["page"] = {"series": series, "diameter_m": diameter_m, "owner": owner, "releases": lines}
        if owner:
            context["set"] = owners_set(compared) if compared else None
            context["scale"] = scale_of(dataset)
            context["verdict_rules"] = rules(context["scale"])
            context["page"]["original"] = reverse("api:dataset-track", args=[dataset.pk])
        return context


def _diameter(request: HttpRequest) -> float:
    """How far apart the adversary's states lie at most, as the reader states it; it is in the address."""
    try:
        return diameter(float(request.GET.get("diameter_m", "") or DIAMETER_M))
    except (ValueError, EngineError):
        raise Http404("There is no such distance between states.") from None


ADAPTER = PrintedReport()
