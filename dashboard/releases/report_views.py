"""Pages to print: a report of one release, or of several beside each other. Public unless the owner's is requested."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from dashboard.core.ids import uuid_or_404
from dashboard.core.text import one_line
from dashboard.datasets.models import Kind
from dashboard.datasets.scale import scale_of
from dashboard.datasets.selectors import spending, visible_datasets
from dashboard.jobs.models import State
from dashboard.releases import choice, kind_report, report, reproduce, trajectory_report
from dashboard.releases.models import Release
from dashboard.releases.report import ReleaseReport
from dashboard.releases.selectors import visible_releases
from privacy_engine.accounting.distance import diameter
from privacy_engine.analysis.verdict import rules
from privacy_engine.errors import EngineError

OWNER = "owner"
MOST = 12
"""Releases of a count stream or of check-ins in one report, where none are requested."""


@require_safe
def detail(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """The report of one release."""
    return _answer(request, [get_object_or_404(visible_releases(request.user), pk=pk)])


@require_safe
def comparison(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """The report of several releases of a dataset: those requested, or those the comparison shows that are done."""
    dataset = get_object_or_404(visible_datasets(request.user), pk=pk)
    ids = [uuid_or_404(text) for text in request.GET.getlist("release")]
    rows = choice.requested_releases(request.user, dataset, ids)
    if not ids and dataset.kind != Kind.TRAJECTORY:
        rows = list(visible_releases(request.user).filter(dataset=dataset, state=State.DONE)[:MOST])
    elif not ids:
        chosen = choice.chosen_set(request.user, dataset, None, [])
        shown = choice.compared(request.user, dataset, chosen, [])
        rows = list(visible_releases(request.user).filter(pk__in=shown, state=State.DONE))
    if not rows or len({row.landmark_set_id for row in rows if row.landmark_set_id}) > 1:
        raise Http404("There are no releases of one landmark set to report on.")
    return _answer(request, rows)


@require_safe
def home(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """Where a release is looked at."""
    return redirect(_compared([get_object_or_404(visible_releases(request.user), pk=pk)]))


def _compared(rows: Sequence[Release]) -> str:
    of_set = [("landmark_set", row.landmark_set_id) for row in rows if row.landmark_set_id]
    query = [*of_set[:1], *(("release", row.pk) for row in rows)]
    return f"{reverse('releases:compare', args=[rows[0].dataset_id])}?{urlencode(query)}"


def _answer(request: HttpRequest, rows: Sequence[Release]) -> HttpResponse:
    if any(row.state != State.DONE for row in rows):
        return redirect(_compared(rows))
    of_kind = _of_trajectories if rows[0].kind == Kind.TRAJECTORY else _of_other_kind
    return of_kind(request, report.in_order(rows), owner=request.GET.get("for") == OWNER)


def _context(
    request: HttpRequest, rows: Sequence[Release], reports: Sequence[ReleaseReport], parts: Sequence[Any]
) -> dict[str, Any]:
    """What the pages of every kind show; ``parts`` are the owner's of each release, empty in a public report."""
    styles = report.line_styles(rows)
    context = {
        "owner": bool(parts),
        "kind": rows[0].kind,
        "title": one_line(request.GET.get("title", "")),
        "today": timezone.now(),
        "seeded": any(row.seeded for row in rows),
        "statements": report.conditions(reports, "statement"),
        "assumptions": report.conditions(reports, "assumptions"),
        "caveats": report.conditions(reports, "caveats"),
        "configuration": reproduce.brief(rows),
        "software": report.software(),
        "releases": [
            {"report": one, "owner": part, "style": style}
            for one, part, style in zip(reports, parts or [None] * len(rows), styles, strict=True)
        ],
        "selected": [("release", str(row.pk)) for row in rows] if "release" in request.GET else [],
    }
    if not parts:
        return context
    return context | {"dataset": rows[0].dataset, "spent": spending(rows[0].dataset, request.user)}


def _of_trajectories(request: HttpRequest, rows: Sequence[Release], *, owner: bool) -> HttpResponse:
    """The report of releases of trajectories."""
    series, diameter_m = _series(request, rows[0]), _diameter(request)
    reports = [trajectory_report.public(row, series, diameter_m) for row in rows]
    compared = next((row.landmark_set for row in rows if row.landmark_set), None)
    parts = [trajectory_report.owners(row, series, diameter_m, compared) for row in rows] if owner else []
    context = _context(request, rows, reports, parts) | {
        "series": series,
        "series_count": len(rows[0].dataset.series_lengths),
        "published": trajectory_report.published(rows, series),
        "landmarks": trajectory_report.landmarks(rows),
        "strengths": trajectory_report.STRENGTHS,
        "diameter_m": diameter_m,
    }
    curves = [part.curves for part in parts] or [one.curves for one in reports]
    drawn = [
        trajectory_report.drawn(row, shown) | {"style": one["style"]}
        for row, shown, one in zip(rows, curves, context["releases"], strict=True)
    ]
    context["page"] = {"series": series, "diameter_m": diameter_m, "owner": owner, "releases": drawn}
    if owner:
        context["set"] = trajectory_report.owners_set(compared) if compared else None
        context["scale"] = scale_of(rows[0].dataset)
        context["verdict_rules"] = rules(context["scale"])
        context["page"]["original"] = reverse("api:dataset-track", args=[rows[0].dataset_id])
    return render(request, "releases/report.html", context)


def _of_other_kind(request: HttpRequest, rows: Sequence[Release], *, owner: bool) -> HttpResponse:
    """The report of releases of a count stream or of check-ins."""
    names, text = kind_report.names_of(rows[0]), request.GET.get("series", "")
    which = _number(text, len(names)) if text else None
    reports = [kind_report.public(row) for row in rows]
    parts = [kind_report.owners(row) for row in rows] if owner else []
    context = _context(request, rows, reports, parts) | {
        "series": "" if which is None else which,
        "streams": list(enumerate(names)),
        "stream_name": "all streams together" if which is None else names[which],
    }
    if owner:
        context["facts"] = kind_report.owners_facts(rows[0].dataset)
    styles = [one["style"] for one in context["releases"]]
    lines = [{"id": one.id, "title": one.title, "style": style} for one, style in zip(reports, styles, strict=True)]
    context["page"] = {"kind": rows[0].kind, "releases": lines, **kind_report.drawn(rows, which, owner=owner)}
    return render(request, "releases/kind_report.html", context)


def _number(text: str, below: int) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10 and int(text) < below):
        raise Http404("There is no such series.")
    return int(text)


def _series(request: HttpRequest, row: Release) -> int:
    return _number(request.GET.get("series", "0"), len(row.dataset.series_lengths))


def _diameter(request: HttpRequest) -> float:
    """How far apart the adversary's states lie at most, as the reader states it; it is in the address."""
    try:
        return diameter(float(request.GET.get("diameter_m", "") or trajectory_report.DIAMETER_M))
    except (ValueError, EngineError):
        raise Http404("There is no such distance between states.") from None
