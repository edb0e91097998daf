"""What a printed report contains of releases, for either of two readers.

The public part is made from what a release publishes of itself: its points and label, its budgets, which events are
landmarks (all marks alike where there are dummies), and what follows from these. It never looks at the original, at
errors, at names the owner chose, at the ledger, or at how landmarks were found. The owner's part adds those.
"""

from __future__ import annotations

import platform
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import numpy as np
from django.urls import reverse

from dashboard.core.palette import palette
from dashboard.datasets import ledger
from dashboard.datasets.models import BudgetEntry
from dashboard.landmarks.promise import masks_of_people
from dashboard.landmarks.report import set_facts
from dashboard.releases import downloads, files, reproduce
from dashboard.releases.kind_report import parameters_of
from dashboard.releases.models import Release
from dashboard.storage.series_cache import line
from privacy_engine import __version__
from privacy_engine.accounting.temporal import temporal_loss
from privacy_engine.analysis.correlation import Correlation
from privacy_engine.analysis.downsampling import decimated, runs
from privacy_engine.analysis.forecast import noise_forecast
from privacy_engine.analysis.losses import highest, levels, undefined
from privacy_engine.analysis.results import listed
from privacy_engine.data import Floats, Mask
from privacy_engine.mechanisms.base.trajectory import TrajectoryMechanism
from privacy_engine.mechanisms.landmark.base import last_draw

POINTS = 1600  # of a curve on paper
STRENGTHS = (("weak", 1.0), ("moderate", 0.1), ("strong", 0.01))
CHARTED = "moderate"
STATES = 2
DIAMETER_M = 1000.0
"""How far apart the adversary's states lie at most, where the reader names no other distance: a constant, no data."""
PACKAGES = ("numpy", "scipy", "pyarrow", "pydantic", "numba")


@dataclass(frozen=True, eq=False)
class _Series:
    """One series of a release, n events: what follows from what it publishes."""

    is_landmark: Mask
    budget: Floats
    noise_m: Floats
    losses: dict[str, Floats]
    level: float
    why_not: str = ""


def software() -> list[tuple[str, str]]:
    """What this Cairn runs on; what the numbers depend on."""
    return [("Cairn", __version__), ("Python", platform.python_version()), *((one, version(one)) for one in PACKAGES)]


def public(row: Release, series: int, diameter_m: float = DIAMETER_M) -> dict[str, Any]:
    """Of one finished release what every recipient may know. ``curves`` are for the charts, the rest for the page.

    Losses are between states at most ``diameter_m`` apart.

    Raises
    ------
    ParameterError
        It has no such series, or ``diameter_m`` is no distance between two places.
    """
    spec, label, found = row.parsed_spec, downloads.label(row), _read(row, series, diameter_m)
    return {
        "id": str(row.pk),
        "title": row.title,
        "label": label,
        "seed": spec.seed,
        "source": row.source,
        "parameters": parameters_of(spec.mechanism),
        "steps": [{"title": step.title, "parameters": parameters_of(step)} for step in spec.postprocess],
        "price_per_km": _price_per_km(row, spec.mechanism) if row.charged else None,
        "summary": row.summary,
        "expected": _expected(row),
        "losses": [(name, s, highest(found.losses[name])) for name, s in STRENGTHS if name in found.losses],
        "losses_undefined": found.why_not,
        "digest": row.spec_digest,
        "sha256": row.data_sha256,
        "request": reproduce.request(row),
        "command": reproduce.command(row),
        "curves": _curves(row, found),
    }


def _price_per_km(row: Release, mechanism: TrajectoryMechanism) -> float:
    epsilon = mechanism.charged_epsilon(downloads.context_of(row)) * ledger.charged_times(row.dataset, mechanism)
    return float(epsilon * 1000 / mechanism.radius_m)


def owners(row: Release, series: int, diameter_m: float = DIAMETER_M) -> dict[str, Any]:
    """What the owner's report adds to :func:`public` of one release."""
    found, read = files.read_curves(row, series), _read(row, series, diameter_m)
    entry = (budget := ledger.budget_of(row.dataset)) and budget.entries.filter(release_id=row.pk, amount__gt=0).first()
    ids = {"dataset": str(row.dataset_id), "landmark_set": str(row.landmark_set_id)}
    return {
        "name": row.name,
        "errors": row.owner_view,
        "entry": entry and _entry(entry),
        "finished_at": row.finished_at,
        "request": reproduce.request(row, ids),
        "curves": _curves(row, read, found.error_m),
    }


def _entry(entry: BudgetEntry) -> dict[str, Any]:
    return {
        "amount_per_km": entry.amount / 1e6,
        "level": entry.level,
        "stability": entry.stability,
        "at": entry.created_at,
    }


def conditions(reports: Sequence[dict[str, Any]], what: str) -> list[tuple[str, str]]:
    """Statement, assumptions or caveats of several releases, each once; with titles if it does not hold for all."""
    found: dict[str, list[str]] = {}
    for one in reports:
        texts = (one["label"]["guarantee"] or {what: []})[what]
        for text in [texts] if isinstance(texts, str) else texts:
            found.setdefault(text, []).append(one["title"])
    return [(text, "" if len(titles) == len(reports) else ", ".join(titles)) for text, titles in found.items()]


def landmarks(row: Release) -> dict[str, Any]:
    """The marks a release was made with: how many and how far apart; which, is public."""
    return set_facts(row.landmark_set)


def owners_set(row: Release) -> dict[str, Any]:
    """How the landmarks were found, and how many of the marks are dummies: the owner's alone."""
    chosen = row.landmark_set
    parameters = {name: value for name, value in chosen.method.items() if isinstance(value, int | float | str)}
    texts = [
        f"{name} {value:g}" if isinstance(value, float) else f"{name} {value}" for name, value in parameters.items()
    ]
    method = ", ".join(texts).removeprefix("name ")  # lists of events and zones would fill pages
    return {"name": chosen.name, "method": method, "selection": chosen.selection, "made": chosen.created_at}


def published(rows: Sequence[Release], series: int) -> dict[str, Any]:
    """When the published events of one series are, over all releases: times are in clear."""
    times = [line(row.data_path, series).time_ms for row in rows]
    known = [one for one in times if one is not None and len(one)]
    if len(known) < len(rows):
        return {"start": None, "end": None}
    return {"start": float(min(one[0] for one in known)) / 1000, "end": float(max(one[-1] for one in known)) / 1000}


def drawn(row: Release, report: dict[str, Any]) -> dict[str, Any]:
    """What the page's script draws of a release."""
    return {
        "id": report["id"],
        "title": report["title"],
        "mechanism": row.mechanism,
        "track": reverse("api:release-track", args=[row.pk]),
        "curves": report["curves"],
    }


def line_styles(rows: Sequence[Release]) -> list[dict[str, Any]]:
    """Colour, dash and marker of each: its mechanism's; of a second one of a mechanism the next that is free."""
    styles = [{"name": name, "index": i, **one} for i, (name, one) in enumerate(palette(rows[0].kind).items())]
    own = {style["name"]: style for style in styles}
    free, given = list(styles), []
    for row in rows:
        style = own[row.mechanism]
        if style not in free and free:
            style = free[-1]
        if style in free:
            free.remove(style)
        given.append(style)
    return given


def _expected(row: Release) -> list[dict[str, Any]]:
    """How far the noise moves landmarks and others, by the description alone; nothing where it would take long."""
    found = noise_forecast(row.parsed_spec.mechanism, masks_of_people(row.landmark_set))
    if found is None:
        return []
    groups = (("Landmarks", found.landmark), ("Other events", found.regular), ("All", found.overall))
    return [{"who": who, "exact": found.exact, "noise": noise} for who, noise in groups if noise.events]


def _read(row: Release, series: int, diameter_m: float) -> _Series:
    person = files.person_of_release(row, series)
    release, is_landmark = files.read_person(row, person)
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


def _curves(row: Release, found: _Series, error_m: Floats | None = None) -> dict[str, Any]:
    """Curves thinned out; ``error_m`` only for the owner: which events are kept then depends on it too."""
    loss = found.losses.get(CHARTED)
    kept = [curve for curve in (found.budget, found.noise_m, loss, error_m) if curve is not None]
    at = decimated(kept, POINTS)
    curves = {
        "event": at.tolist(),
        "n": len(found.budget),
        "landmarks": runs(found.is_landmark),
        "level": found.level,
        "budget": found.budget[at].tolist(),
        "noise_m": listed(found.noise_m[at]),
        "loss": None if loss is None else loss[at].tolist(),
    }
    return curves if error_m is None else curves | {"error_m": listed(error_m[at])}
