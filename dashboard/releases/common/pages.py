"""What pages of releases have of the kind of data; the templates are in the folder of the kind."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import reverse

from dashboard.core import computing
from dashboard.core.by_kind import ByKind
from dashboard.core.palette import Assignment, LineStyle, variants
from dashboard.core.templatetags.display import number
from dashboard.datasets.models import Dataset
from dashboard.datasets.selectors import has_venues, spending
from dashboard.jobs.models import State
from dashboard.releases.models import Release
from dashboard.releases.selectors import batches, visible_releases
from privacy_engine.mechanisms.base.mechanism import Mechanism, offered


class Pages(ABC):
    """Contexts of the pages of a dataset that is ready."""

    @abstractmethod
    def form(self, request: HttpRequest, dataset: Dataset) -> dict[str, Any]:
        """Return the context of ``new.html``, the form that requests releases."""

    @abstractmethod
    def comparison(self, request: HttpRequest, dataset: Dataset) -> dict[str, Any]:
        """Return the context of ``compare.html``, the original beside its releases."""


pages: ByKind[Pages] = ByKind("dashboard.releases", "pages")


SHOWN = 100
"""Releases on a comparison."""


class QuotedPages(Pages):
    """Pages of a kind of data whose releases are quoted without landmarks.

    ``common`` are the parameters that the form has above its table, ``expected`` is what it forecasts, as
    the API's actions are named.
    """

    common: ClassVar[frozenset[str]]
    expected: ClassVar[str]

    def form(self, request: HttpRequest, dataset: Dataset) -> dict[str, Any]:
        computing.prepare()
        listed = [self._described(cls, dataset) for cls in self.listed(dataset)]
        budget, styles = spending(dataset, request.user), variants(dataset.kind)
        spent = {"spent": budget["spent"], "total": budget["total"], "label": budget["unit"]}
        page = {
            "dataset": str(dataset.pk),
            "mechanisms": [
                mechanism
                | {"fields": [field for field in mechanism["fields"] if field["name"] not in self.common]}
                | {"style": styles[mechanism["name"]][bool(mechanism["own"])]}
                for mechanism in [*listed, *self.weaker(dataset, listed)]
            ],
            "quote": {"budgets": [spent | {"price": 0, "fits": True}], "mechanisms": []},
            "urls": {
                "quote": reverse("api:release-quote"),
                "expected": reverse(f"api:release-expected-{self.expected}s"),
                "levels": reverse(f"api:release-least-{self.expected}-levels"),
                "releases": reverse("api:release-list"),
                "compare": reverse("releases:compare", args=[dataset.pk]),
                "page": reverse("datasets:detail", args=[dataset.pk]),
            },
        }
        return {
            "dataset": dataset,
            "budget": budget,
            "common": {field["name"]: field for field in listed[0]["fields"] if field["name"] in self.common},
            **self.beside_form(dataset),
            "page": page | self.beside_fields(dataset),
        }

    def listed(self, dataset: Dataset) -> list[type[Mechanism]]:
        """Return the mechanisms that the form has a row of, the first choice first."""
        return [cls for cls in offered(dataset.kind) if has_venues(dataset) or not cls.needs_venues]

    def weaker(self, dataset: Dataset, listed: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return further rows of the form, whose promise is weaker."""
        return []

    def _described(self, cls: type[Mechanism], dataset: Dataset) -> dict[str, Any]:
        names = ("title", "summary", "publishable", "better_elsewhere")
        own = {name: getattr(cls, name) for name in names}
        caveats = {"caveats": list(cls.caveats)}
        name = cls.registered_name()
        return {"name": name, **own, "guarantee": caveats, "fields": self.fields(cls, dataset), "own": {}}

    def comparison(self, request: HttpRequest, dataset: Dataset) -> dict[str, Any]:
        releases = visible_releases(request.user).filter(dataset=dataset)
        rows = list(releases[:SHOWN])  # before those that are done: what ends meanwhile is still open in the list
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

    def beside_form(self, dataset: Dataset) -> dict[str, Any]:
        """Return what the form's template needs beside the mechanisms."""
        return {}

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
            "urls": {
                **{name: reverse(f"releases:{name}", args=[row.pk]) for name in ("report", "explain")},
                "publish": None if row.seeded else reverse("publications:new", args=[row.pk]),
            },
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
