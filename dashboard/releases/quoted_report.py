"""What a printed report holds of releases that need the upload alone, beside what every report holds."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest

from dashboard.core.computing import computed_where
from dashboard.datasets.common.pages import pages as dataset_pages
from dashboard.releases.common.release_data import read_release
from dashboard.releases.models import Release
from dashboard.releases.report import Charge, ReleaseReport, Report, charge_of
from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.datatypes import datatypes


@dataclass(frozen=True)
class Fact:
    """Something that a release published, as text."""

    label: str
    text: str


@dataclass(frozen=True)
class Figure:
    """One number measured against the upload: the owner's alone."""

    title: str
    value: float
    unit: str
    summary: str


@dataclass(frozen=True, kw_only=True)
class PublicPart(ReleaseReport):
    """What every reader of a release may know."""

    facts: list[Fact]
    noise_sd: float
    noise_varies: bool

    @property
    def values(self) -> dict[str, Any]:
        return super().values | {"noise_sd": (self.noise_sd, self.noise_varies)}


@dataclass(frozen=True)
class OwnerPart:
    """What the owner's report adds of a release."""

    name: str
    figures: list[Figure]
    charge: Charge | None

    @property
    def values(self) -> dict[str, Any]:
        """Figures have a table of their own."""
        return {}


class QuotedReport(Report):
    """Reports of a kind of data whose releases are quoted without landmarks."""

    @abstractmethod
    def facts(self, published: Any) -> list[Fact]:
        """Return what a release published, in a few lines of text."""

    @abstractmethod
    def figure(self, request: HttpRequest, rows: Sequence[Release], *, owner: bool) -> dict[str, Any]:
        """Return what the page shows of the figure, and with ``drawn`` what its script draws.

        With ``owner`` what was uploaded is beside what was published.
        """

    def context(self, request: HttpRequest, rows: Sequence[Release], *, owner: bool) -> dict[str, Any]:
        parts = [self.owners(row) for row in rows] if owner else []
        context = self.shared(request, rows, [self.public(row) for row in rows], parts)
        context |= self.figure(request, rows, owner=owner)
        if owner:
            context["facts"] = [
                Fact(fact["label"], fact["text"]) for fact in dataset_pages[rows[0].kind].facts(rows[0].dataset)
            ]
        lines = [
            {"id": row["report"].id, "title": row["report"].title, "style": row["style"]} for row in context["releases"]
        ]
        return context | {"page": {"releases": lines, **context["drawn"]}}

    def public(self, row: Release) -> PublicPart:
        """Return what every reader of a finished release may know."""
        mechanism: Any = row.parsed_spec.mechanism
        facts = _facts(self, row)
        return PublicPart.of(row, facts=facts, noise_sd=mechanism.noise_sd(), noise_varies=mechanism.noise_varies)

    def owners(self, row: Release) -> OwnerPart:
        """Return what the owner's report adds to :meth:`public`."""
        known = row.owner_view or {}
        figures = [
            Figure(cls.title, known[cls.registered_name()], cls.unit, cls.summary)
            for cls in datatypes[row.kind].metrics
            if cls.registered_name() in known
        ]
        return OwnerPart(row.name, figures, charge_of(row))


@computed_where(lambda _, row: row.dataset.is_large)
def _facts(report: QuotedReport, row: Release) -> list[Fact]:
    return report.facts(read_release(row))


def below_zero(values: Floats | Ints) -> str:
    """Return how many values are published, and how many of them below zero if any are, as text."""
    below = int((values < 0).sum())
    return f"{below:,} of {values.size:,} are below zero, as they were released" if below else f"{values.size:,}"
