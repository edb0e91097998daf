"""Pages of releases that need the upload alone: the form of one mechanism with its quote, and the list to compare."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import reverse

from dashboard.core.palette import Assignment, LineStyle
from dashboard.core.templatetags.display import number
from dashboard.datasets.models import Dataset
from dashboard.datasets.selectors import has_venues, spending
from dashboard.jobs.models import State
from dashboard.releases.batches import batches
from dashboard.releases.common.pages import Pages
from dashboard.releases.models import Release
from dashboard.releases.selectors import visible_releases
from privacy_engine.mechanisms.base.mechanism import Mechanism, offered

SHOWN = 100
"""Releases on a comparison."""


class QuotedPages(Pages):
    """Pages of a kind of data whose releases are quoted without landmarks."""

    def form(self, request: HttpRequest, dataset: Dataset) -> dict[str, Any]:
        listed = [
            {
                "name": cls.registered_name(),
                "title": cls.title,
                "summary": cls.summary,
                "fields": self.fields(cls, dataset),
            }
            for cls in offered(dataset.kind)
            if has_venues(dataset) or not cls.needs_venues
        ]
        page = {
            "dataset": str(dataset.pk),
            "mechanisms": listed,
            "urls": {
                "quote": reverse("api:release-quote"),
                "releases": reverse("api:release-list"),
                "compare": reverse("releases:compare", args=[dataset.pk]),
            },
        }
        return {
            "dataset": dataset,
            "budget": spending(dataset, request.user),
            "mechanisms": listed,
            "page": page | self.beside_fields(dataset),
        }

    def comparison(self, request: HttpRequest, dataset: Dataset) -> dict[str, Any]:
        releases = visible_releases(request.user).filter(dataset=dataset)
        rows = list(releases[:SHOWN])  # before those that are done: one that ends meanwhile is still open in the list
        done = list(releases.filter(state=State.DONE)[:SHOWN])
        context = {
            "dataset": dataset,
            "budget": spending(dataset, request.user),
            "releases": rows,
            "batches": batches(rows),
            "release_count": releases.count(),
            "page": {"releases": []},
        }
        return context | (self.compared(request, dataset, done, _listed(done)) if done else {})

    def fields(self, cls: type[Mechanism], dataset: Dataset) -> list[dict[str, Any]]:
        """Return the parameters of a mechanism as the form of a dataset has them."""
        return list(cls.fields())

    @abstractmethod
    def beside_fields(self, dataset: Dataset) -> dict[str, Any]:
        """Return what the form's script needs beside the mechanisms."""

    @abstractmethod
    def compared(
        self, request: HttpRequest, dataset: Dataset, rows: Sequence[Release], listed: Sequence[dict[str, Any]]
    ) -> dict[str, Any]:
        """Return what the comparison of finished releases has; ``listed`` is what every kind's has of each."""


def _listed(rows: Sequence[Release]) -> list[dict[str, Any]]:
    return [
        {
            "id": str(row.pk),
            "title": row.name or row.title,
            "heading": row.name or row.parsed_spec.title,
            "mechanism": row.mechanism,
            "level": _level_text(row),
            "style": style,
        }
        for row, style in zip(rows, _styles(rows), strict=True)
    ]


def _styles(rows: Sequence[Release]) -> list[LineStyle]:
    """Return the style of each release, of which the oldest of a mechanism has the mechanism's own."""
    assignment = Assignment(rows[0].kind)
    return [assignment.next(row.mechanism) for row in reversed(rows)][::-1]


def _level_text(row: Release) -> str:
    """Return the level of a release, as the list of releases shows it, and the sensitivity."""
    mechanism: Any = row.parsed_spec.mechanism
    level = render_to_string(row.protects_template, {"mechanism": mechanism}).strip()
    return f"{level}, sensitivity {number(mechanism.sensitivity, 6)}"
