"""A release made from another by post-processing: it reads that release's own files, and no others."""

from __future__ import annotations

from collections.abc import Sequence

from dashboard.core.errors import Conflict
from dashboard.jobs import leases
from dashboard.releases import files
from dashboard.releases.common.drawing import DRAWN
from dashboard.releases.models import Release
from privacy_engine import data
from privacy_engine.core.progress import reported
from privacy_engine.data.releases import releases_of
from privacy_engine.releases.spec import processed


def derived(row: Release, lease: leases.Lease) -> Sequence[data.Release]:
    """The source's releases after the steps that ``row`` adds, a release for each series.

    Raises
    ------
    Conflict
        The source is discarded.
    """
    source = _source(row)
    steps = row.steps_after(source)
    try:
        made = list(files.read_releases(source))
    except FileNotFoundError:  # discarded after its row was read and before its files were
        raise _gone() from None
    persons = files.people_of_release(source)
    names = [part.series.name for part in made]
    for i, person in enumerate(reported(persons)):
        stage = "Smoothing" if len(persons) == 1 else f"Smoothing person {i + 1} of {len(persons)}"
        lease.report(stage, DRAWN * i / len(persons))
        after = processed(person.joined_release(made), steps)
        for series, release in zip(person.members, person.cut(after, names), strict=True):
            made[series] = release
    return releases_of(made)


def _source(row: Release) -> Release:
    if row.derived_from is None:
        raise _gone()
    return row.derived_from


def _gone() -> Conflict:
    return Conflict(
        "The release that this one was to be made from is discarded.",
        code="source-gone",
        field="derived_from",
        rule="a release that is there",
    )
