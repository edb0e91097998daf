"""Pages of releases of count streams: the form, and the comparison with its table of releases and the zero row."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any, ClassVar

from django.http import HttpRequest
from django.urls import reverse

from dashboard.core.computing import computed_where
from dashboard.core.page_parts import parts_of
from dashboard.core.templatetags.display import NARROW, days, number
from dashboard.datasets.models import Dataset
from dashboard.datasets.stream.counts import shown_names
from dashboard.releases.common.pages import QuotedPages
from dashboard.releases.downloads import context_of
from dashboard.releases.models import Release
from dashboard.releases.stream.comparisons import ZERO_METRICS, count_errors, figures_of_zeros
from dashboard.storage.data_files import cached_data
from privacy_engine.analysis.stream_comparison import column_edges
from privacy_engine.analysis.utility_verdict import count_verdict
from privacy_engine.core.plurals import plural
from privacy_engine.mechanisms.base.mechanism import Mechanism, mechanisms
from privacy_engine.metrics import StreamPearson
from privacy_engine.metrics.stream import SANITY

COLUMNS = (*ZERO_METRICS, StreamPearson())
"""The metrics of the table of releases; it is sorted by the first."""
DIGITS = (3, 1, 1, 2)
URLS = {"heat_map": "heat-map", "comparison": "comparison", "grouping": "grouping", "detection": "detection"}


STEPS = {60.0: "minute", 3600.0: "hour", 86_400.0: "day", 604_800.0: "week"}
"""What a timestamp is called, by the seconds to the next."""


class StreamPages(QuotedPages):
    """Pages of count streams."""

    common: ClassVar = frozenset({"epsilon", "window", "sensitivity"})
    expected: ClassVar = "count"

    def fields(self, cls: type[Mechanism], dataset: Dataset) -> list[dict[str, Any]]:
        """Of counted events the sensitivity is theirs or more; the usual hierarchy is what the streams' names show."""
        tree, counted = dataset.tree, dataset.counted
        fields = [field | {"default": tree.get(field["name"], field["default"])} for field in cls.fields()]
        if counted is None:
            return fields
        least = {"default": counted.sensitivity, "minimum": counted.sensitivity, "help": counted.sensitivity_text}
        return [field | least if field["name"] == "sensitivity" else field for field in fields]

    def listed(self, dataset: Dataset) -> list[type[Mechanism]]:
        """With those that have no guarantee, which can be simulated alone."""
        unsound = [cls for cls in mechanisms.of(dataset.kind) if not cls.publishable]
        return [*super().listed(dataset), *unsound]

    def _described(self, cls: type[Mechanism], dataset: Dataset) -> dict[str, Any]:
        described = super()._described(cls, dataset)
        return described | {"title": _short_title(described["title"])}

    def beside_form(self, dataset: Dataset) -> dict[str, Any]:
        step = step_of(dataset)
        return {"step": step, "steps": plural(step), "section": "streams", "dates": _dates(dataset.start, dataset.end)}

    def comparison(self, request: HttpRequest, dataset: Dataset) -> dict[str, Any]:
        return super().comparison(request, dataset) | self.beside_form(dataset)

    def beside_fields(self, dataset: Dataset) -> dict[str, Any]:
        facts = {"step": step_of(dataset), "timestamps": (dataset.summary or {})["timestamps"]}
        return facts | {"preview": reverse("api:release-count-preview"), "floor": floor_text(dataset)}

    def compared(
        self, request: HttpRequest, dataset: Dataset, rows: Sequence[Release], listed: Sequence[dict[str, Any]]
    ) -> dict[str, Any]:
        zeros = figures_of_zeros(dataset)
        shown = [_release_row(row, entry, zeros) for row, entry in zip(rows, listed, strict=True)]
        table = sorted([*shown, _zero_row(zeros)], key=_by_first_figure)
        for row in table:
            row["cells"] = [_cell(row, metric.name, digits) for metric, digits in zip(COLUMNS, DIGITS, strict=True)]
        listed_best = sorted((row for row in table if row["id"]), key=lambda row: row["seeded"])
        best = [row["id"] for row in listed_best][:2]
        headings = Counter(row["heading"] for row in shown)
        for row in shown:
            row["visible"] = row["id"] in best
            row["brief"] = row["heading"] if headings[row["heading"]] == 1 else row["title"]
        grouped = [row.errors_path.exists() for row in rows if str(row.pk) in best]
        return {
            "table": table,
            "groupings": sum(grouped),
            "columns": [{"name": metric.name, "short": metric.short, "summary": metric.summary} for metric in COLUMNS],
            "floor": floor_text(dataset),
            "page": {
                "answer": _answer(rows, listed_best[0]),
                "form": reverse("releases:new", args=[dataset.pk]),
                "releases": [row for row in table if row["id"]],
                "zeros": zeros,
                "columns": [{"name": metric.name, "short": metric.short} for metric in COLUMNS],
                "dataset": dataset.name,
                "truth": reverse("api:dataset-heat-map", args=[dataset.pk]),
                "axis": _axis(dataset),
                "grid": _grid(dataset),
                "dimensions": _dimensions(dataset),
            },
            **parts_of("releases:compare:stream", request, dataset),
        }


def floor_text(dataset: Dataset) -> str:
    """Return what the relative error divides by at least, beside the mean count: the ARE of long streams is small."""
    share = f"{100 * SANITY:g}{NARROW}% of a dimension’s total"
    return f"{share}, here {number(SANITY * dataset.points, 3)} × its mean count"


def _answer(rows: Sequence[Release], best: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the errors measured of the best release, and of how many it is; None where they are not known."""
    if best["verdict"] is None:
        return None
    row = next(row for row in rows if str(row.pk) == best["id"])
    return {"id": best["id"], "of": sum(not row.seeded for row in rows), **count_errors(row)}


def _dates(start: str | None, end: str | None) -> str:
    """Return the days of two labels, or the labels where they are no times."""
    try:
        for label in (start or "", end or ""):
            datetime.fromisoformat(label)
    except ValueError:
        return f"{start} to {end}" if start else ""
    return days(start, end)


def step_of(dataset: Dataset) -> str:
    """Return what a timestamp of a dataset is called: week, or timestamp where the times are others."""
    return STEPS.get((dataset.summary or {}).get("interval_s") or 0.0, "timestamp")


def _release_row(row: Release, listed: dict[str, Any], zeros: Mapping[str, float]) -> dict[str, Any]:
    mechanism: Any = row.parsed_spec.mechanism
    are = COLUMNS[0].name
    figures: dict[str, Any] = {metric.name: (row.owner_view or {}).get(metric.name) for metric in COLUMNS}
    return {
        **{name: listed[name] for name in ("id", "mechanism", "level", "style")},
        "title": _short_title(listed["title"]),
        "heading": _short_title(listed["heading"]),
        "short": _short_level(mechanism),
        "epsilon": mechanism.epsilon,
        "window": mechanism.window,
        "seeded": row.seeded,
        "unsound": mechanism.unsound,
        "statement": mechanism.guarantee(context_of(row)).statement,
        "figures": figures,
        "worse": [name for name, value in zeros.items() if (figures[name] or 0.0) > value],
        "verdict": None
        if figures[are] is None
        else count_verdict(figures[are], zeros[are], unsound=bool(mechanism.unsound)).model_dump(),
        "urls": listed["urls"] | {key: reverse(f"api:release-{name}", args=[row.pk]) for key, name in URLS.items()},
    }


def _short_title(title: str) -> str:
    """Return a title without the kind of data, which the page is about."""
    rest = title.removeprefix("Stream ")
    return rest[:1].upper() + rest[1:]


def _short_level(mechanism: Any) -> str:
    """Return level, window and, where it is not 1, sensitivity as a table has space for them."""
    parts = [f"ε {number(mechanism.epsilon, 6)}", f"w {mechanism.window:,}"]
    return " · ".join(parts if mechanism.sensitivity == 1 else [*parts, f"Δ {mechanism.sensitivity}"])


def _zero_row(zeros: Mapping[str, float]) -> dict[str, Any]:
    figures = {metric.name: zeros.get(metric.name) for metric in COLUMNS}
    return {"id": "", "heading": "Publish zeros", "figures": figures, "worse": []}


def _cell(row: Mapping[str, Any], name: str, digits: int) -> dict[str, Any]:
    value = row["figures"][name]
    return {"text": "–" if value is None else f"{value:,.{digits}f}".removeprefix("0"), "worse": name in row["worse"]}


def _by_first_figure(row: Mapping[str, Any]) -> tuple[bool, float]:
    value = row["figures"][COLUMNS[0].name]
    return value is None, value or 0.0


@computed_where(lambda dataset: dataset.is_large)
def _axis(dataset: Dataset) -> dict[str, Any]:
    """Where the columns of the heat map lie: the number, label and time of the first timestamp of each."""
    stream = cached_data(dataset.kind, dataset.points_path)
    edges = column_edges(*stream.counts.shape)
    first = edges[:-1]
    return {
        "timestamps": len(stream),
        "edges": edges.tolist(),
        "labels": [stream.labels[i] for i in first],
        "time_s": None if stream.time_s is None else stream.time_s[first].tolist(),
    }


def _grid(dataset: Dataset) -> dict[str, Any] | None:
    """Return the grid whose cells the dimensions are, for the map; None of counts that were uploaded."""
    counted = dataset.counted
    return None if counted is None else asdict(counted.grid)


def _dimensions(dataset: Dataset) -> dict[str, Any]:
    known = (dataset.summary or {})["dimensions"]
    return {"names": shown_names(dataset), "totals": [dimension["total"] for dimension in known]}


ADAPTER = StreamPages()
