"""Reads of the releases app. Answers hold what was published; what was measured against the original is marked so."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import chain
from typing import Any
from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.db.models import OuterRef, QuerySet, Subquery
from django.http import Http404, HttpRequest

from dashboard.datasets.models import BudgetEntry, Dataset
from dashboard.jobs.models import OPEN, State
from dashboard.landmarks.models import LandmarkSet
from dashboard.releases.models import Release
from dashboard.releases.naming import level_text
from privacy_engine.releases.spec import ReleaseSpec

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


def made(dataset: Dataset, landmark_set: LandmarkSet | None, specs: Sequence[ReleaseSpec]) -> list[str | None]:
    """Return the page of the newest publishable release of each spec, done or open; None where there is none.

    Of a spec that reads landmarks those of the ``landmark_set``; whether the box was chosen by the data is no matter.
    """
    digests = [[spec.model_copy(update={"box_from_data": on}).digest for on in (False, True)] for spec in specs]
    open_or_done = Release.objects.filter(dataset=dataset, seeded=False, state__in=[*OPEN, State.DONE])
    rows = list(open_or_done.filter(spec_digest__in=chain(*digests)).defer("summary", "owner_view"))
    marks = landmark_set.pk if landmark_set else None

    def page(spec: ReleaseSpec, same: Sequence[str]) -> str | None:
        any_set = not spec.mechanism.reads_landmarks
        matching = (row for row in rows if row.spec_digest in same and (any_set or row.landmark_set_id == marks))
        return next((row.page_url for row in matching), None)

    return [page(*pair) for pair in zip(specs, digests, strict=True)]


def requested_releases(user: Any, requested: Sequence[uuid.UUID], **columns: Any) -> list[Release]:
    """The releases requested by id, all with these columns; 404 if any is missing."""
    rows = list(visible_releases(user).filter(pk__in=requested, **columns))
    if len(rows) != len(set(requested)):
        raise Http404("There is no such release.")
    return rows


SHOWN = 30  # on the page of a dataset


def visible_releases(user: Any) -> QuerySet[Release]:
    """Those that the user may read, newest first, each with the number of its ``charge``."""
    charges = BudgetEntry.objects.filter(release_id=OuterRef("pk"), amount__gt=0)
    return (
        Release.objects.visible_to(user)
        .select_related("dataset", "landmark_set__dataset", "landmark_set__source")
        .defer("landmark_set__packed", "landmark_set__source__packed")
        .annotate(charge=Subquery(charges.values("pk")[:1]))
    )


def releases_of_page(request: HttpRequest, dataset: Dataset) -> dict[str, Any]:
    """The releases that the page of a dataset shows, newest first, in the batches they came in."""
    rows = visible_releases(request.user).filter(dataset=dataset).order_by("-created_at", "pk")
    page = Paginator(rows, SHOWN).get_page(request.GET.get("page"))
    grouped = batches(page.object_list)
    return {
        "releases": [row for batch in grouped for row in batch.releases],
        "batches": grouped,
        "release_page": page,
        "release_count": page.paginator.count,
    }
