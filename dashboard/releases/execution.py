"""A worker's work on a release; no Celery in here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from dashboard.core.database_errors import patiently
from dashboard.datasets.people import people_of
from dashboard.datasets.scale import scale_of
from dashboard.jobs import leases
from dashboard.landmarks.promise import masks_of_people
from dashboard.releases import derivation, files
from dashboard.releases.models import Release
from dashboard.storage.data_files import read_data
from privacy_engine import __version__, data
from privacy_engine.analysis.forecast import has_known_budgets, noise_forecast, noise_p95_m
from privacy_engine.core.progress import reported
from privacy_engine.data.people import largest_total, most_landmarks
from privacy_engine.data.stored_releases import each
from privacy_engine.datatypes import datatypes
from privacy_engine.datatypes.base import Watch
from privacy_engine.landmarks.methods import split

FEW = 8  # distinct budgets that a summary lists one by one
READ, DRAWN, MEASURED = 0.05, 0.75, 0.85  # the share of the work that is over after each stage


def run(pk: Any) -> bool:
    """Work off a release, and leave no file of an attempt that published nothing; False if it did not wait."""
    if draft := leases.run(Release, pk, draw_release):
        patiently(lambda: files.clear_after(draft))
    return draft is not None


def draw_release(row: Release, lease: leases.Lease) -> dict[str, Any]:
    """Load, draw (or derive from another release), measure, write; returns what the row stores as it succeeds."""
    row.data_file = files.name_for(lease.token)
    lease.report("Reading", 0.0)
    found, original = datatypes[row.kind], read_data(row.kind, row.dataset.points_path)
    if row.source:
        drawn = derivation.derived(row, lease)
    else:
        drawn = found.release(row.parsed_spec, original, _landmarks(row, original), watch=_watch(lease))
    lease.report("Measuring", DRAWN)
    figures = found.figures(original, drawn)
    lease.report("Writing", MEASURED)
    files.write(row, original, drawn)
    return {
        "data_file": row.data_file,
        "engine_version": __version__,
        "data_sha256": found.digest(drawn),
        "summary": {"mechanism": row.mechanism, "points": found.size(original), **_of_events(row, drawn)},
        "owner_view": figures | _beside_errors(row) if figures else None,
    }


def _landmarks(row: Release, original: Any) -> list[data.LandmarkSet] | None:
    """The landmarks that the mechanism reads of each series; None where it reads none."""
    read = row.set_read
    return None if read is None else split(read.mask, [len(one) for one in original])


def _watch(lease: leases.Lease) -> Watch:
    """Return what a mechanism's run calls draw by draw, so that the release of a long series can be stopped too."""

    def watch(share: float) -> None:
        lease.report("Drawing", READ + (DRAWN - READ) * share)

    return watch


def _of_events(row: Release, drawn: Any) -> dict[str, Any]:
    """What recipients may also know of trajectories: it follows from mechanism, landmarks it reads, and points."""
    if not row.of_trajectories:
        return {}
    read, published, fresh = row.set_read, 0, 0
    ends, events = list[float](), Counter[float]()
    for one in reported(drawn):
        published += len(one.series)
        fresh += int(np.count_nonzero(one.fresh))
        values, counts = (of.tolist() for of in np.unique(one.budgets, return_counts=True))
        ends += values[:1] + values[-1:]
        if len(events) <= FEW:
            events.update(dict(zip(values[: FEW + 1], counts, strict=False)))
    listed = [{"budget": value, "events": events[value]} for value in sorted(events)]
    return {
        "series": len(drawn),
        "landmarks": read.count if read else 0,
        **_per_person(row, drawn),
        "published": published,
        "drawn": fresh,
        "budgets": {"min": min(ends), "max": max(ends), "distinct": listed if len(listed) <= FEW else None},
    }


def _beside_errors(row: Release) -> dict[str, float]:
    """What the verdict on errors needs beside them: half of the noise is at most ``noise_m``, where that is known."""
    if not row.of_trajectories:
        return {}
    scale_of(row.dataset)  # recorded, so that the verdict has it
    mechanism = row.parsed_spec.mechanism
    if not has_known_budgets(mechanism):
        return {}
    noise = noise_forecast(mechanism, masks_of_people(row.dataset, row.set_read))
    return {"noise_m": noise.overall.median_m} if noise and noise.overall.median_m else {}


def _per_person(row: Release, drawn: Sequence[data.Release]) -> dict[str, Any]:
    """How many people there are, and the most landmarks and the largest sum of budgets that any one of them has."""
    persons = people_of(row.dataset)
    masks, spec = masks_of_people(row.dataset, row.set_read), row.parsed_spec
    budgets = each(drawn, lambda one: one.budgets)
    return {
        "people": len(persons),
        "landmarks_per_person": most_landmarks(masks),
        "noise_p95_m": None if row.source or spec.postprocess else noise_p95_m(spec.mechanism, masks),
        "whole_trace": largest_total(person.joined_values(budgets) for person in persons),
    }
