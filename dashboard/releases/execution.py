"""A worker's work on a release; no Celery in here."""

from __future__ import annotations

from typing import Any

import numpy as np

from dashboard.datasets.models import Kind
from dashboard.datasets.people import people_of
from dashboard.jobs import leases
from dashboard.landmarks.promise import masks_of_people
from dashboard.releases import derivation, files, kinds
from dashboard.releases.models import Release
from dashboard.storage import parquet
from privacy_engine import __version__, data, metrics
from privacy_engine.data import Floats, Trajectory
from privacy_engine.landmarks.methods import split
from privacy_engine.people import largest_total, most_landmarks
from privacy_engine.spec import ReleaseSpec

FEW = 8  # distinct budgets that a summary lists one by one
READ, DRAWN, MEASURED = 0.05, 0.75, 0.85  # the share of the work that is over after each stage


def run(pk: Any) -> None:
    """Work off a release, and leave no file of an attempt that published nothing."""
    if draft := leases.run(Release, pk, draw_release):
        files.clear_after(draft)


def draw_release(row: Release, lease: leases.Lease) -> dict[str, Any]:
    """Load, draw (or derive from another release), measure, write; returns what the row stores as it succeeds."""
    row.data_file = files.name_for(lease.token)
    if row.kind != Kind.TRAJECTORY:
        return kinds.draw(row, lease)
    spec = row.parsed_spec
    lease.report("Reading", 0.0)
    if row.source:
        drawn, series = derivation.derived(row, lease), _original(row)
    else:
        series = _original(row)
        drawn = _drawn(spec, series, split(row.landmark_set.mask, [len(one) for one in series]), lease)
    errors: list[Floats] = []
    for i, (truth, release) in enumerate(zip(series, drawn, strict=True)):
        errors.append(metrics.error_m(truth, release))
        lease.report(_stage("Measuring", i, len(series)), DRAWN + (MEASURED - DRAWN) * (i + 1) / len(series))

    lease.report("Writing", MEASURED)
    digest = files.write(row, drawn, errors)
    return {
        "data_file": row.data_file,
        "data_sha256": digest,
        "engine_version": __version__,
        "summary": summary(row, drawn),
        "owner_view": owner_view(np.concatenate(errors)),
    }


def _original(row: Release) -> list[Trajectory]:
    return parquet.read_points(row.dataset.points_path)


def _drawn(
    spec: ReleaseSpec, series: list[Trajectory], landmarks: list[data.LandmarkSet], lease: leases.Lease
) -> list[data.Release]:
    """The mechanism's run; it is watched draw by draw, so that a long series can be stopped too."""

    def watch(share: float) -> None:
        lease.report("Drawing", READ + (DRAWN - READ) * share)

    return spec.release(series, landmarks, watch=watch)


def _stage(word: str, i: int, series: int) -> str:
    return word if series == 1 else f"{word} series {i + 1} of {series}"


def summary(row: Release, drawn: list[data.Release]) -> dict[str, Any]:
    """What anybody who has the release may know: it follows from the mechanism, the landmarks and what is published."""
    budgets = np.concatenate([one.budgets for one in drawn])
    values, events = np.unique(budgets, return_counts=True)
    listed = [{"budget": float(v), "events": int(k)} for v, k in zip(values, events, strict=True)]
    return {
        "mechanism": row.mechanism,
        "points": len(budgets),
        "series": len(drawn),
        "landmarks": row.landmark_set.count,
        **_per_person(row, drawn),
        "published": sum(len(one.series) for one in drawn),
        "drawn": int(sum(np.count_nonzero(one.fresh) for one in drawn)),
        "budgets": {
            "min": float(budgets.min()),
            "max": float(budgets.max()),
            "distinct": listed if len(listed) <= FEW else None,
        },
    }


def _per_person(row: Release, drawn: list[data.Release]) -> dict[str, Any]:
    """How many people there are, and the most landmarks and the largest sum of budgets that any one of them has."""
    everybody = people_of(row.dataset)
    budgets = [one.budgets for one in drawn]
    return {
        "people": len(everybody),
        "landmarks_per_person": most_landmarks(masks_of_people(row.landmark_set)),
        "whole_trace": largest_total([person.joined_values(budgets) for person in everybody]),
    }


def owner_view(errors: Floats) -> dict[str, float] | None:
    """Errors against the original in metres: a disclosure, and so the owner's alone."""
    if not errors.size:
        return None
    median, p95 = np.quantile(errors, [0.5, 0.95])
    figures = {"mae_m": errors.mean(), "median_error_m": median, "p95_error_m": p95, "max_error_m": errors.max()}
    return {name: round(float(value), 3) for name, value in figures.items()}
