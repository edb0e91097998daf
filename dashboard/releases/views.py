"""Pages of the releases app: the form that requests releases, the comparison, the list of models that recommend."""

from __future__ import annotations

import uuid

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from dashboard.accounts.services import remember_visit
from dashboard.core.ids import uuid_or_404
from dashboard.core.page_parts import parts_of
from dashboard.core.paging import KeyPaginator
from dashboard.core.palette import palette, variants
from dashboard.datasets.models import Dataset, Kind
from dashboard.datasets.selectors import spending, visible_datasets
from dashboard.jobs.models import State
from dashboard.landmarks.models import LandmarkSet
from dashboard.landmarks.selectors import visible_landmark_sets
from dashboard.projects.access import require_role
from dashboard.projects.models import Role
from dashboard.releases import choice, kind_pages
from dashboard.releases.batches import batches
from dashboard.releases.models import export_formats
from dashboard.releases.selectors import models_of, visible_releases
from privacy_engine.accounting.estimation import NOTE
from privacy_engine.analysis.reference_radius import PAPER, RADII

PER_PAGE = 20
"""Datasets on a page of the list of models."""
PICKED = 200
"""Releases that can be chosen for a comparison, the newest."""


@require_safe
def new(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """The form: several mechanisms at once over one landmark set, or over none if they read no landmarks."""
    dataset = get_object_or_404(visible_datasets(request.user), pk=pk)
    require_role(request.user, dataset, Role.EDITOR)
    if dataset.state != State.READY:
        return redirect("datasets:detail", pk)
    if dataset.kind != Kind.TRAJECTORY:
        return render(request, "releases/kind_new.html", kind_pages.form(request.user, dataset))
    sets = list(visible_landmark_sets(request.user).filter(dataset=dataset)[:20])
    requested, budget = request.GET.get("landmark_set"), spending(dataset, request.user)
    context = {
        "dataset": dataset,
        "landmark_sets": sets,
        "chosen": choice.chosen_set(request.user, dataset, uuid_or_404(requested) if requested else None, []),
        "budget": budget,
        "page": {
            "palette": palette(),
            "urls": _urls(dataset),
            "events": {str(one.pk): _events(one) for one in sets},
            "radius_m": budget["radius_m"],
            "radii": [one.model_dump() for one in (PAPER, *RADII)],
        },
    }
    return render(request, "releases/trajectory/new.html", context)


@require_safe
def recommend(request: HttpRequest) -> HttpResponse:
    """The check-ins of the user, with the models that recommend the next place."""
    datasets = visible_datasets(request.user).filter(kind=Kind.CHECKINS, state=State.READY)
    page = KeyPaginator(datasets, PER_PAGE).get_page(request.GET.get("page"))
    rows = [{"dataset": one, "models": models_of(request.user, one)} for one in page]
    return render(request, "releases/recommend.html", {"page": page, "rows": rows, "section": "recommend"})


@require_safe
def compare(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """Original and releases beside each other; the releases that still run join when they are done."""
    dataset = get_object_or_404(visible_datasets(request.user), pk=pk)
    if dataset.state != State.READY:
        return redirect("datasets:detail", pk)
    if dataset.kind != Kind.TRAJECTORY:
        context = kind_pages.comparison(request.user, dataset, request.GET.get("release", ""))
        parts = parts_of(f"releases:compare:{dataset.kind}", request, dataset)
        if dataset.kind == Kind.STREAM:
            context |= parts
        else:
            context["section"] = "recommend"
            context["page"] |= parts
        return render(request, f"releases/{dataset.kind}/compare.html", context)
    requested = choice.requested_releases(
        request.user, dataset, [uuid_or_404(text) for text in request.GET.getlist("release")]
    )
    set_id = request.GET.get("landmark_set")
    landmark_set = choice.chosen_set(request.user, dataset, uuid_or_404(set_id) if set_id else None, requested)
    shown = choice.compared(request.user, dataset, landmark_set, requested)
    if dataset.sample and shown:
        remember_visit(user=request.user, what="compared")
    sets = visible_landmark_sets(request.user).filter(dataset=dataset).defer("packed")
    if not visible_releases(request.user).filter(dataset=dataset, landmark_set=None).exists():
        sets = sets.filter(releases__isnull=False).distinct()
    context = {"dataset": dataset, "landmark_set": landmark_set, "landmark_sets": sets, "any": bool(shown)}
    if shown:
        offered = choice.comparable(request.user, dataset, landmark_set)
        context |= {"batches": batches(offered[:PICKED]), "more_releases": offered.count() > PICKED, "picked": PICKED}
    context["budget"] = spending(dataset, request.user)
    context["page"] = {
        "releases": [str(one) for one in shown],
        "requested": [str(one.pk) for one in requested],
        "palette": variants(),
        "note": NOTE,
        "dataset": str(dataset.pk),
        "landmark_set": str(landmark_set.pk) if landmark_set else None,
        "radius_m": context["budget"]["radius_m"],
        "time_zone": dataset.options.get("time_zone") or "UTC",
        "formats": export_formats(dataset.kind),
        "urls": _urls(dataset) | (_set_urls(landmark_set) if landmark_set else {}),
    }
    return render(request, "releases/trajectory/compare.html", context)


def _urls(dataset: Dataset) -> dict[str, str]:
    return {
        "dataset": reverse("api:dataset-detail", args=[dataset.pk]),
        "mechanisms": f"{reverse('api:mechanisms')}?kind=trajectory",
        "postprocesses": reverse("api:postprocesses"),
        "forecast": reverse("api:release-forecast"),
        "errors": reverse("api:release-expected-errors"),
        "levels": reverse("api:release-least-levels"),
        "costs": reverse("api:release-protection-costs"),
        "curve": reverse("api:release-curve"),
        "releases": reverse("api:release-list"),
        "attacks": reverse("api:attack-list"),
        "attack_methods": reverse("api:attack-methods"),
        "compare": reverse("releases:compare", args=[dataset.pk]),
        "track": reverse("api:dataset-track", args=[dataset.pk]),
        "bundle": reverse("api:bundle"),
        "report": reverse("releases:comparison-report", args=[dataset.pk]),
        "page": reverse("datasets:detail", args=[dataset.pk]),
    }


def _set_urls(landmark_set: LandmarkSet) -> dict[str, str]:
    """Of its events, and of the set its landmarks were marked in: dummies make another."""
    marked = landmark_set.source_id or landmark_set.pk
    return {"events": _events(landmark_set), "marked": reverse("api:landmark-set-detail", args=[marked])}


def _events(landmark_set: LandmarkSet) -> str:
    """The URL of the events of a landmark set."""
    return reverse("api:landmark-set-events", args=[landmark_set.pk])
