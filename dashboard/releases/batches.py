"""Releases in the batches they were submitted in: the form submits a release for each mechanism, at the same level.

A batch is of a single landmark set, so that its releases can be compared.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from dashboard.releases.models import Release
from dashboard.releases.naming import level_text

GAP = timedelta(minutes=1)
"""Releases of the same level that were submitted closer to each other are of the same batch."""


@dataclass(frozen=True)
class Batch:
    """Releases of a level, submitted together at ``at``; ``derived`` ones are made from other releases."""

    level: str
    simulated: bool
    derived: bool
    at: datetime
    releases: list[Release] = field(default_factory=list)

    @property
    def is_several(self) -> bool:
        """Whether it has a heading in lists: a single release needs none."""
        return len(self.releases) > 1

    @property
    def query(self) -> str:
        """The query of the comparison of its releases."""
        first = self.releases[0]
        chosen = [("landmark_set", first.landmark_set_id)] if first.landmark_set_id else []
        return urlencode([*chosen, *(("release", row.pk) for row in self.releases)])


def batches(rows: Sequence[Release]) -> list[Batch]:
    """Group releases; newest batches first, simulations after what may be published, within each the oldest first."""
    groups: dict[tuple[Any, ...], list[Batch]] = {}
    for row in sorted(rows, key=lambda release: release.created_at):
        level, simulated, derived = level_text(row.parsed_spec.mechanism), row.seeded, row.source is not None
        known = groups.setdefault((level, simulated, derived, row.landmark_set_id), [])
        if not known or row.created_at - known[-1].releases[-1].created_at > GAP:
            known.append(Batch(level, simulated, derived, row.created_at))
        known[-1].releases.append(row)
    newest = sorted((batch for known in groups.values() for batch in known), key=lambda batch: batch.at, reverse=True)
    return sorted(newest, key=lambda batch: batch.simulated)
