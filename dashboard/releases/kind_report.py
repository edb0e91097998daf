"""What a printed report holds of releases of count streams and check-ins, beside what every report holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dashboard.datasets import cells, counts
from dashboard.datasets.kind_facts import facts_of
from dashboard.datasets.models import Dataset, Kind
from dashboard.releases import kinds
from dashboard.releases.models import Release
from dashboard.releases.report import POINTS, Charge, ReleaseReport, charge_of
from dashboard.storage.data_files import cached_data
from privacy_engine.analysis.downsampling import decimated
from privacy_engine.analysis.results import listed
from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.data import CountStream
from privacy_engine.data.stream_release import StreamRelease
from privacy_engine.datatypes import datatypes
from privacy_engine.recommender import PopularityModel, Recommender

PLACES = 20
"""Cells that are listed and drawn."""


@dataclass(frozen=True)
class Fact:
    """Something that a release published, as text."""

    label: str
    text: str


@dataclass(frozen=True)
class Figure:
    """One number measured against the upload: the owner's alone."""

    title: str
    value: float
    unit: str
    summary: str


@dataclass(frozen=True, kw_only=True)
class KindReport(ReleaseReport):
    """What every reader of a release of these kinds may know."""

    facts: list[Fact]
    noise_sd: float
    noise_varies: bool


@dataclass(frozen=True)
class OwnerPart:
    """What the owner's report adds of a release."""

    name: str
    figures: list[Figure]
    charge: Charge | None


def public(row: Release) -> KindReport:
    """What every reader of a finished release may know."""
    mechanism, facts = row.parsed_spec.mechanism, published_facts(kinds.read_release(row))
    return KindReport.of(row, facts=facts, noise_sd=mechanism.noise_sd(), noise_varies=mechanism.noise_varies)


def published_facts(release: StreamRelease | Recommender) -> list[Fact]:
    """What a release published, in a few lines of text."""
    if isinstance(release, StreamRelease):
        spent = np.unique(release.budgets[release.budgets > 0])
        shares = " to ".join(f"{one:.4g}" for one in sorted({spent.min(), spent.max()})) if spent.size else "none"
        fresh = int((release.budgets > 0).sum())
        repeated = "; the others repeat an earlier release" if fresh < len(release) else ""
        first = f"{release.labels[0]} to {release.labels[-1]}" if len(release) else "none"
        return [
            Fact("Timestamps", f"{len(release):,}, {first}"),
            Fact("Streams", f"{len(release.names):,}"),
            Fact("Published counts", _below_zero(release.counts)),
            Fact("Newly sampled", f"{fresh:,} timestamps, ε = {shares} each{repeated}"),
        ]
    grid, masses = release.grid, kinds.masses_of(release)
    what = "counts" if isinstance(release, PopularityModel) else "masses"
    return [
        Fact("Grid", f"{grid.columns:,} × {grid.rows:,} cells over {grid.box_text}"),
        Fact(f"Published {what}", _below_zero(masses)),
        Fact(f"Sum of the {what}", f"{masses.sum():,.0f}"),
    ]


def _below_zero(values: Floats | Ints) -> str:
    return f"{int((values < 0).sum()):,} of {values.size:,} are below zero, as they were released"


def owners(row: Release) -> OwnerPart:
    """What the owner's report adds to :func:`public`."""
    known = row.owner_view or {}
    figures = [
        Figure(cls.title, known[cls.registered_name()], cls.unit, cls.summary)
        for cls in datatypes[row.kind].metrics
        if cls.registered_name() in known
    ]
    return OwnerPart(row.name, figures, charge_of(row))


def names_of(row: Release) -> list[str]:
    """The streams that a release of counts publishes; empty for check-ins."""
    return list(kinds.read_release(row).names) if row.kind == Kind.STREAM else []


def drawn(rows: Sequence[Release], which: int | None, *, owner: bool) -> dict[str, Any]:
    """What the page's script draws: curves of one stream or of the total, or the cells that each release ranks first.

    With ``owner`` the upload's counts are beside them. Which points a public curve keeps depends on what was published
    alone.
    """
    if rows[0].kind == Kind.STREAM:
        original = cached_data(rows[0].kind, rows[0].dataset.points_path) if owner else None
        return {"curves": curves([kinds.read_release(row) for row in rows], which, original)}
    return {"places": [_places(row, owner=owner) for row in rows]}


def curves(releases: Sequence[StreamRelease], which: int | None, original: CountStream | None = None) -> dict[str, Any]:
    """Counts of one stream or of the total, thinned out for a chart, with the ``original``'s beside them if given."""
    found = [counts.curve_of(one, which) for one in releases]
    lines = [values.astype(np.float64) for _, values in found]
    if original is not None:
        lines.append(counts.curve_of(original, which)[1])
    at = decimated(lines, POINTS)
    shown = {
        "name": found[0][0],
        "timestamps": len(releases[0]),
        "index": at.tolist(),
        "labels": [releases[0].labels[i] for i in at],
        "released": [listed(line[at]) for line in lines[: len(releases)]],
    }
    return shown if original is None else shown | {"original": listed(lines[-1][at])}


def _places(row: Release, *, owner: bool) -> list[dict[str, Any]]:
    model = kinds.read_release(row)
    if not owner:
        return places(model)
    uploaded = cells.counted(model.grid, cached_data(row.kind, row.dataset.points_path))
    ranked: list[dict[str, Any]] = cells.ranked(model.grid, kinds.masses_of(model), uploaded, PLACES)["cells"]
    return ranked


def places(model: Recommender) -> list[dict[str, Any]]:
    """The cells that a published model ranks first, by what it published alone."""
    none = np.zeros(len(model.grid), np.int64)
    ranked = cells.ranked(model.grid, kinds.masses_of(model), none, PLACES)["cells"]
    return [{name: one[name] for name in one if name != "uploaded"} for one in ranked]


def owners_facts(dataset: Dataset) -> list[Fact]:
    """The upload that the releases are of."""
    return [Fact(one["label"], one["text"]) for one in facts_of(dataset)]
