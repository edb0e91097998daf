"""Pages of releases of trajectories: the form of several mechanisms at once, and the comparison on a map."""

from __future__ import annotations

import uuid
from typing import Any

from django.http import HttpRequest
from django.urls import reverse

from dashboard.accounts.services import remember_visit
from dashboard.core import computing
from dashboard.core.ids import uuid_or_404
from dashboard.core.palette import variants
from dashboard.core.templatetags.number_fields import plain_number
from dashboard.datasets import ledger
from dashboard.datasets.models import Dataset
from dashboard.datasets.release_columns import columns_of
from dashboard.datasets.selectors import spending
from dashboard.landmarks.models import LandmarkSet
from dashboard.landmarks.promise import method_of
from dashboard.landmarks.selectors import visible_landmark_sets
from dashboard.releases.common.pages import Pages
from dashboard.releases.models import export_formats
from dashboard.releases.selectors import batches, requested_releases, visible_releases
from dashboard.releases.trajectory import choice
from privacy_engine.accounting.estimation import NOTE
from privacy_engine.analysis.reference_radius import RADII
from privacy_engine.mechanisms.base.mechanism import mechanisms

STYLES = 3
"""Lines that releases of a mechanism have in the form, in turn."""
PICKED = 200
"""Releases that can be chosen for a comparison, the newest."""


class TrajectoryPages(Pages):
    """Pages of trajectories."""

    def form(self, request: HttpRequest, dataset: Dataset) -> dict[str, Any]:
        """Several mechanisms at once over a landmark set, or over none if they read no landmarks."""
        computing.prepare()
        sets = list(visible_landmark_sets(request.user).filter(dataset=dataset)[:20])
        budget = spending(dataset, request.user)
        return {
            "dataset": dataset,
            "epsilon": _requested_level(request),
            "landmark_sets": sets,
            "chosen": choice.chosen_set(request.user, dataset, _requested_set(request), []),
            "budget": budget,
            "page": {
                "palette": {name: styles[:STYLES] for name, styles in variants(dataset.kind).items()},
                "urls": _urls(dataset),
                "sets": {str(row.pk): _set_facts(row) for row in sets},
                "radius_m": budget["radius_m"],
                "radii": [radius.model_dump() for radius in RADII],
                "quote": {"budget": ledger.quote(dataset, []), "mechanisms": []},
            },
        }

    def comparison(self, request: HttpRequest, dataset: Dataset) -> dict[str, Any]:
        """The releases that still run join when they are done."""
        computing.prepare()
        ids = [uuid_or_404(text) for text in request.GET.getlist("release")]
        requested = requested_releases(request.user, ids, dataset=dataset)
        landmark_set = choice.chosen_set(request.user, dataset, _requested_set(request), requested)
        shown = choice.compared(request.user, dataset, landmark_set, requested)
        if dataset.sample and shown:
            remember_visit(user=request.user, what="compared")
        sets = visible_landmark_sets(request.user).filter(dataset=dataset).defer("packed")
        if not visible_releases(request.user).filter(dataset=dataset, landmark_set=None).exists():
            sets = sets.filter(releases__isnull=False).distinct()
        context = {"dataset": dataset, "landmark_set": landmark_set, "landmark_sets": sets, "any": bool(shown)}
        many = 0
        if shown:
            comparable = choice.comparable(request.user, dataset, landmark_set)
            many = comparable.count()
            context |= {"batches": batches(comparable[:PICKED]), "more_releases": many > PICKED, "picked": PICKED}
        context["budget"] = spending(dataset, request.user)
        context["page"] = {
            "releases": [str(pk) for pk in shown],
            "comparable": many,
            "requested": [str(release.pk) for release in requested],
            "palette": variants(dataset.kind),
            "joint": [cls.registered_name() for cls in mechanisms.of(dataset.kind) if "drawn_together" in vars(cls)],
            "note": NOTE,
            "dataset": str(dataset.pk),
            "landmark_set": str(landmark_set.pk) if landmark_set else None,
            "radius_m": context["budget"]["radius_m"],
            "time_zone": dataset.options.get("time_zone") or "UTC",
            "formats": export_formats(dataset.kind),
            "columns": [column._asdict() for column in columns_of("compare", dataset.kind)],
            "urls": _urls(dataset) | (_set_urls(landmark_set) if landmark_set else {}),
        }
        return context


def _requested_set(request: HttpRequest) -> uuid.UUID | None:
    text = request.GET.get("landmark_set")
    return uuid_or_404(text) if text else None


def _requested_level(request: HttpRequest) -> str:
    """The level that the form begins with: that of the address, which the comparison proposes; else 1."""
    text = request.GET.get("epsilon", "")
    try:
        return plain_number(float(text)) if 1e-6 <= float(text) <= 1e4 else "1"
    except ValueError:
        return "1"


def _urls(dataset: Dataset) -> dict[str, str]:
    return {
        "dataset": reverse("api:dataset-detail", args=[dataset.pk]),
        "mechanisms": f"{reverse('api:mechanisms')}?kind=trajectory",
        "postprocesses": reverse("api:postprocesses"),
        "quote": reverse("api:release-forecast"),
        "expected": reverse("api:release-expected-errors"),
        "levels": reverse("api:release-least-levels"),
        "curve": reverse("api:release-curve"),
        "releases": reverse("api:release-list"),
        "attacks": reverse("api:attack-list"),
        "attack_methods": reverse("api:attack-methods"),
        "compare": reverse("releases:compare", args=[dataset.pk]),
        "track": reverse("api:dataset-track", args=[dataset.pk]),
        "home": reverse("api:dataset-home", args=[dataset.pk]),
        "form": reverse("releases:new", args=[dataset.pk]),
        "bundle": reverse("api:bundle"),
        "report": reverse("releases:comparison-report", args=[dataset.pk]),
        "page": reverse("datasets:detail", args=[dataset.pk]),
    }


def _set_urls(landmark_set: LandmarkSet) -> dict[str, str]:
    """Of its events, and of the set its landmarks were marked in: dummies make another."""
    marked = landmark_set.source_id or landmark_set.pk
    return {"events": _events(landmark_set), "marked": reverse("api:landmark-set-detail", args=[marked])}


def _set_facts(landmark_set: LandmarkSet) -> dict[str, Any]:
    """What the form states of a landmark set."""
    reads = method_of(landmark_set).reads
    covered = "" if reads == "positions" else f"by {reads}: covered"
    return {"count": landmark_set.count, "covered": covered, "events": _events(landmark_set)}


def _events(landmark_set: LandmarkSet) -> str:
    """The URL of the events of a landmark set."""
    return reverse("api:landmark-set-events", args=[landmark_set.pk])


ADAPTER = TrajectoryPages()
