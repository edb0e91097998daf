"""A worker's work on a release; no Celery in here."""

from __future__ import annotations

from typing import Any

import numpy as np

from dashboard.datasets.models import Kind
from dashboard.datasets.people import people_of
from dashboard.jobs import leases
from dashboard.landmarks.promise import masks_of_people
from dashboard.releases import derivation, files
from dashboard.releases.models import Release
from dashboard.storage import parquet
from privacy_engine import __version__, data, metrics
from privacy_engine.data import Floats, Trajectory
from privacy_engine.datatypes import datatypes
from privacy_engine.datatypes.base import Watch
from privacy_engine.landmarks.methods import split
from privacy_engine.people import largest_total, most_landmarks

FEW = 8  # distinct budgets that a summary lists one by one
READ, DRAWN, MEASURED = 0.05, 0.75, 0.85  # the share of the work that is over after each stage


def run(pk: Any) -> None:
    """Work off a release, and leave no file of an attempt that published nothing."""
    if draft := leases.run(Release, pk, draw_release):
        files.clear_after(draft)


def draw_release(row: Release, lease: leases.Lease) -> dict[str, Any]:
    """Load, draw (or derive from another release), measure, write; returns what the row stores as it succeeds."""
    row.data_file = files.name_for(lease.token)
    lease.report("Reading", 0.0)
    made = _trajectories(row, lease) if row.kind == Kind.TRAJECTORY else _of_other_kind(row, lease)
    return {"data_file": row.data_file, "engine_version": __version__, **made}


def _of_other_kind(row: Release, lease: leases.Lease) -> dict[str, Any]:
    found = datatypes[row.kind]
    original = found.from_table(parquet.read_table(row.dataset.points_path))
    drawn = found.release(row.parsed_spec, original, watch=_watch(lease))
    lease.report("Measuring", DRAWN)
    figures = found.figures(original, drawn)
    lease.report("Writing", MEASURED)
    parquet.write_table(row.data_path, found.release_to_table(drawn))
    return {
        "data_sha256": found.digest(drawn),
        "summary": {"mechanism": row.mechanism, "points": len(original)},
        "owner_view": figures,
    }


def _trajectories(row: Release, lease: leases.Lease) -> dict[str, Any]:
    if row.source:
        drawn, series = derivation.derived(row, lease), _original(row)
    else:
        series = _original(row)
        landmarks = split(row.landmark_set.mask, [len(one) for one in series])
        drawn = row.parsed_spec.release(series, landmarks, watch=_watch(lease))
    errors: list[Floats] = []
    for i, (truth, release) in enumerate(zip(series, drawn, strict=True)):
        errors.append(metrics.error_m(truth, release))
        lease.report(_stage("Measuring", i, len(series)), DRAWN + (MEASURED - DRAWN) * (i + 1) / len(series))

    lease.report("Writing", MEASURED)
    digest = files.write(row, drawn, errors)
    return {
        "data_sha256": digest,
        "summary": summary(row, drawn),
        "owner_view": datatypes[row.kind].figures(series, drawn) or None,
    }


def _original(row: Release) -> list[Trajectory]:
    return parquet.read_points(row.dataset.points_path)


def _watch(lease: leases.Lease) -> Watch:
    """Return what a mechanism's run calls draw by draw, so that the release of a long series can be stopped too."""

    def watch(share: float) -> None:
        lease.report("Drawing", READ + (DRAWN - READ) * share)

    return watch


def _stage(name: str, i: int, series: int) -> str:
    return name if series == 1 else f"{name} series {i + 1} of {series}"


def summary(row: Release, drawn: list[data.Release]) -> dict[str, Any]:
    """What every recipient of the release may know: it follows from mechanism, landmarks and what is published."""
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
    persons = people_of(row.dataset)
    budgets = [one.budgets for one in drawn]
    return {
        "people": len(persons),
        "landmarks_per_person": most_landmarks(masks_of_people(row.landmark_set)),
        "whole_trace": largest_total([person.joined_values(budgets) for person in persons]),
    }
