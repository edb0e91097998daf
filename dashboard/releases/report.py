"""What printed reports hold of releases of every kind, for either of two readers.

The public part is made from what a release publishes of itself and from its label. It never looks at the original, at
figures measured against it, at names the owner chose, or at the ledger; the owner's part adds those.
"""

import platform
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import version
from typing import Any, ClassVar, NamedTuple, Self

from django.http import Http404, HttpRequest
from django.utils import timezone

from dashboard.core.by_kind import ByKind
from dashboard.core.palette import Assignment, LineStyle, palette
from dashboard.core.text import one_line
from dashboard.datasets import ledger, losses
from dashboard.datasets.models import Dataset, unit_text
from dashboard.datasets.selectors import spending
from dashboard.jobs.models import State
from dashboard.releases import downloads, reproduce
from dashboard.releases.models import Release
from dashboard.releases.selectors import visible_releases
from privacy_engine import __version__
from privacy_engine.core.component import Component

POINTS = 1600
"""Of a curve on paper."""
MOST = 12
"""Releases in a report where none are requested."""
PACKAGES = ("numpy", "scipy", "pyarrow", "pydantic", "numba")


@dataclass(frozen=True)
class Parameter:
    """A parameter as a reader sees it."""

    label: str
    symbol: str
    unit: str
    value: Any
    number: bool


@dataclass(frozen=True, kw_only=True)
class ReleaseReport:
    """What every reader of a release may know, whatever its kind."""

    id: str
    title: str
    mechanism: str
    label: dict[str, Any]
    seed: int | None
    parameters: list[Parameter]
    spec_digest: str
    sha256: str
    request: str
    command: str

    @property
    def values(self) -> dict[str, Any]:
        """What columns of tables show of it, by the keys of datasets/release_columns.py."""
        return self.label

    @classmethod
    def of(cls, row: Release, **own: Any) -> Self:
        """The report of a finished release; ``own`` are the fields that its kind adds."""
        spec = row.parsed_spec
        return cls(
            id=str(row.pk),
            title=row.title,
            mechanism=row.mechanism,
            label=downloads.label(row),
            seed=spec.seed,
            parameters=parameters_of(spec.mechanism),
            spec_digest=row.spec_digest,
            sha256=row.data_sha256,
            request=reproduce.request(row),
            command=reproduce.command(row),
            **own,
        )


@dataclass(frozen=True)
class Charge:
    """What the ledger was charged for a release: ``epsilon`` of ``unit``, per km where that is within a distance."""

    epsilon: float
    unit: str
    level: str
    stability: int
    at: datetime


class Condition(NamedTuple):
    """A text of guarantees, and the titles of the releases it is about; empty where it is about all of them."""

    text: str
    titles: str


def parameters_of(described: Component) -> list[Parameter]:
    """The parameters of a described component that have a value, in the order of forms."""
    shown = []
    for field in described.fields():
        value = getattr(described, field["name"])
        if value is not None:
            named = {choice["value"]: choice["label"] for choice in field["choices"]}
            number = isinstance(value, int | float)
            shown.append(Parameter(field["label"], field["symbol"], field["unit"], named.get(value, value), number))
    return shown


def charge_of(row: Release) -> Charge | None:
    """What was charged for a release; None where nothing was."""
    unit = row.parsed_spec.mechanism.loss().unit
    budget = ledger.budget_of(row.dataset, unit)
    entry = budget and budget.entries.filter(release_id=row.pk, amount__gt=0).first()
    if not entry:
        return None
    return Charge(entry.amount / losses.MICRO, unit_text(unit), entry.level, entry.stability, entry.created_at)


def software() -> list[tuple[str, str]]:
    """What this Cairn runs on; what the numbers depend on."""
    return [("Cairn", __version__), ("Python", platform.python_version()), *((lib, version(lib)) for lib in PACKAGES)]


def conditions(reports: Sequence[ReleaseReport], what: str) -> list[Condition]:
    """Statement, assumptions or caveats of several releases, each once; with titles if it does not hold for all."""
    titles: dict[str, list[str]] = {}
    for report in reports:
        texts = (report.label["guarantee"] or {what: []})[what]
        for text in [texts] if isinstance(texts, str) else texts:
            titles.setdefault(text, []).append(report.title)
    return [Condition(text, "" if len(of) == len(reports) else ", ".join(of)) for text, of in titles.items()]


def line_styles(rows: Sequence[Release]) -> list[LineStyle]:
    """Colour, dash and marker of each: its mechanism's, those of further ones of a mechanism with the same hue."""
    assignment = Assignment(rows[0].kind)
    return [assignment.next(row.mechanism) for row in rows]


def in_order(rows: Sequence[Release]) -> list[Release]:
    """Releases as in a comparison: the palette's order, a mechanism's own release before those with steps."""
    places = {name: place for place, name in enumerate(palette(rows[0].kind))}

    def rank(row: Release) -> Any:
        return places.get(row.mechanism, len(places)), len(row.spec.get("postprocess", ())), row.created_at

    return sorted(rows, key=rank)


class Report(ABC):
    """What reports have of a kind of data; ``report.html`` in its folder extends ``report_base.html``.

    ``several`` names what several releases are of, ``records`` what each of them protects, ``terms`` is the
    template of what the kind has of each release.
    """

    several: ClassVar[str]
    records: ClassVar[str] = "data"
    terms: ClassVar[str] = "releases/common/_report_facts.html"

    def usual(self, user: Any, dataset: Dataset) -> list[Release]:
        """Return the finished releases that a report is of where none are requested."""
        return list(visible_releases(user).filter(dataset=dataset, state=State.DONE)[:MOST])

    @abstractmethod
    def context(self, request: HttpRequest, rows: Sequence[Release], *, owner: bool) -> dict[str, Any]:
        """Return the context of the page; with ``owner`` what was measured against the original is in it."""

    def shared(
        self, request: HttpRequest, rows: Sequence[Release], reports: Sequence[ReleaseReport], parts: Sequence[Any]
    ) -> dict[str, Any]:
        """Return what the pages of every kind show; ``parts`` are the owner's of each release, none if public."""
        context = {
            "adapter": self,
            "owner": bool(parts),
            "title": one_line(request.GET.get("title", "")),
            "today": timezone.now(),
            "seeded": any(row.seeded for row in rows),
            "statements": conditions(reports, "statement"),
            "assumptions": conditions(reports, "assumptions"),
            "caveats": conditions(reports, "caveats"),
            "configuration": reproduce.brief(rows),
            "software": software(),
            "releases": [
                {
                    "report": report,
                    "owner": part,
                    "style": style,
                    "values": report.values | (part.values if part else {}),
                }
                for report, part, style in zip(reports, parts or [None] * len(rows), line_styles(rows), strict=True)
            ],
            "selected": [("release", str(row.pk)) for row in rows] if "release" in request.GET else [],
        }
        if not parts:
            return context
        return context | {"dataset": rows[0].dataset, "spent": spending(rows[0].dataset, request.user)}


reports: ByKind[Report] = ByKind("dashboard.releases", "report")


def number_below(text: str, end: int) -> int:
    """Return the number of a series; none is 404."""
    if not (text.isascii() and text.isdigit() and len(text) < 10 and int(text) < end):
        raise Http404("There is no such series.")
    return int(text)
