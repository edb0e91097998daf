"""Releases in the batches they were submitted in: the form submits one release for each mechanism, at one level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from dashboard.releases.models import Release
from dashboard.releases.naming import level_text

GAP = timedelta(minutes=1)
"""Releases of one level that were submitted closer to each other are of one batch."""


@dataclass(frozen=True)
class Batch:
    """Releases of one level, submitted together at ``at``; ``derived`` ones are made from other releases."""

    level: str
    simulated: bool
    derived: bool
    at: datetime
    releases: list[Release] = field(default_factory=list)


def batches(rows: Sequence[Release]) -> list[Batch]:
    """Group releases; newest batches first, simulations after what may be published, within each the oldest first."""
    found: dict[tuple[str, bool, bool], list[Batch]] = {}
    for row in sorted(rows, key=lambda one: one.created_at):
        level, simulated, derived = level_text(row.parsed_spec.mechanism), row.seeded, row.source is not None
        known = found.setdefault((level, simulated, derived), [])
        if not known or row.created_at - known[-1].releases[-1].created_at > GAP:
            known.append(Batch(level, simulated, derived, row.created_at))
        known[-1].releases.append(row)
    newest = sorted((one for known in found.values() for one in known), key=lambda one: one.at, reverse=True)
    return sorted(newest, key=lambda one: one.simulated)
