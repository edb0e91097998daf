"""What the pages of releases of count streams and check-ins show: form and comparison."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.template.loader import render_to_string
from django.urls import reverse

from dashboard.core.palette import Assignment, LineStyle
from dashboard.core.templatetags.display import number
from dashboard.datasets.models import Dataset, Kind, Unit
from dashboard.datasets.public_areas import public_areas
from dashboard.datasets.selectors import has_venues, spending
from dashboard.jobs.models import State
from dashboard.releases import checkin_pages, stream_pages
from dashboard.releases.batches import batches
from dashboard.releases.models import Release
from dashboard.releases.selectors import visible_releases
from privacy_engine.core.component import Component
from privacy_engine.mechanisms.base.mechanism import offered

SHOWN = 100
"""Releases on a comparison."""


def form(user: Any, dataset: Dataset) -> dict[str, Any]:
    """Return the context of the form of a release."""
    urls = {
        "quote": reverse("api:release-quote"),
        "releases": reverse("api:release-list"),
        "compare": reverse("releases:compare", args=[dataset.pk]),
    }
    listed = [
        {"name": cls.registered_name(), "title": cls.title, "summary": cls.summary, "fields": _fields(cls, dataset)}
        for cls in offered(dataset.kind)
        if has_venues(dataset) or not getattr(cls, "needs_venues", False)
    ]
    return {
        "dataset": dataset,
        "budget": spending(dataset, user),
        "mechanisms": listed,
        "page": {
            "dataset": str(dataset.pk),
            "mechanisms": listed,
            "urls": urls,
            "areas": public_areas() if dataset.kind == Kind.CHECKINS else [],
            "averages": _averages(dataset),
        },
    }


def _averages(dataset: Dataset) -> list[float]:
    """Return the average count of each dimension of a stream, ascending: what noise is compared with."""
    if dataset.kind != Kind.STREAM or not dataset.summary:
        return []
    timestamps = max(dataset.summary["timestamps"], 1)
    return sorted(float(f"{one['total'] / timestamps:.4g}") for one in dataset.summary["dimensions"])


def _fields(cls: type[Component], dataset: Dataset) -> list[dict[str, Any]]:
    """Return the parameters of a mechanism; of counted events the sensitivity is theirs or more.

    The default of a hierarchy is the one that the names of the streams show.
    """
    tree, counted = dataset.tree, dataset.counted
    fields = [field | {"default": tree.get(field["name"], field["default"])} for field in cls.fields()]
    if dataset.stay_detection is not None:  # one event can change any number of stays
        users = [one for field in fields for one in field["choices"] if one["value"] == Unit.USER]
        return [field | {"choices": users} if field["name"] == "privacy_unit" else field for field in fields]
    if counted is None:
        return fields
    least = {"default": counted.sensitivity, "minimum": counted.sensitivity, "help": counted.sensitivity_text}
    return [field | least if field["name"] == "sensitivity" else field for field in fields]


def comparison(user: Any, dataset: Dataset, requested: str = "") -> dict[str, Any]:
    """Return the context of the comparison of a dataset with its releases, of which one may be ``requested``."""
    releases = visible_releases(user).filter(dataset=dataset)
    rows = list(releases[:SHOWN])  # read before those that are done: one that ends meanwhile is still open in the list
    done = list(releases.filter(state=State.DONE)[:SHOWN])
    styles = _styles(done)
    listed = [
        {
            "id": str(row.pk),
            "title": row.name or row.title,
            "heading": row.name or row.parsed_spec.title,
            "mechanism": row.mechanism,
            "level": _level_text(row),
            "style": style,
        }
        for row, style in zip(done, styles, strict=True)
    ]
    context = {
        "dataset": dataset,
        "budget": spending(dataset, user),
        "releases": rows,
        "batches": batches(rows),
        "release_count": releases.count(),
        "page": {"releases": listed},
    }
    if dataset.kind == Kind.STREAM and listed:
        context |= stream_pages.comparison(dataset, done, listed)
    elif listed:
        context |= checkin_pages.comparison(dataset, done, listed, requested)
    return context


def _styles(rows: Sequence[Release]) -> list[LineStyle]:
    """Return the style of each release, of which the oldest of a mechanism has the mechanism's own."""
    if not rows:
        return []
    assignment = Assignment(rows[0].kind)
    return [assignment.next(row.mechanism) for row in reversed(rows)][::-1]


def _level_text(row: Release) -> str:
    """Return the level of a release, as the list of releases shows it, and the sensitivity."""
    mechanism: Any = row.parsed_spec.mechanism
    level = render_to_string(row.protects_template, {"mechanism": mechanism}).strip()
    return f"{level}, sensitivity {number(mechanism.sensitivity, 6)}"
