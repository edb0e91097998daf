"""Pages of the landmarks app: the editor, a set, dummies beside a set."""

import uuid

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from dashboard.core import computing
from dashboard.core.errors import Conflict
from dashboard.core.ids import uuid_or_404
from dashboard.core.palette import palette
from dashboard.datasets.people import series_rows
from dashboard.datasets.selectors import markable, visible_datasets
from dashboard.jobs.models import State
from dashboard.landmarks import report, selectors, services
from dashboard.landmarks.generated_samples import load_samples
from dashboard.landmarks.promise import promise_context
from dashboard.landmarks.selectors import visible_landmark_sets
from dashboard.projects.access import require_role
from dashboard.projects.models import Role
from privacy_engine.accounting.estimation import NOTE
from privacy_engine.landmarks import StayPoints

MOST_SERIES = 2_000
"""Series of which any can be chosen."""


@require_safe
def report_page(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """What mechanisms would leak over the set; budgets for a target. The script gets the numbers from the API."""
    landmark_set = get_object_or_404(visible_landmark_sets(request.user), pk=pk)
    computing.prepare()
    dataset = landmark_set.dataset
    choice = promise_context(dataset, landmark_set, landmarks=0).choice
    context = {
        "landmark_set": landmark_set,
        "dataset": dataset,
        "same": choice.same,
        "provided": choice.provided,
        "not_covered": choice.not_covered,
        "facts": report.set_facts(landmark_set),
        "series": series_rows(dataset, range(min(dataset.series_count, MOST_SERIES))),
        "page": {
            "landmark_set": str(pk),
            "palette": palette(dataset.kind),
            "note": NOTE,
            "time_zone": (dataset.options.get("time_zone") or "UTC") if dataset.has_time else None,
            "urls": {
                "loss": reverse("api:landmark-set-loss", args=[pk]),
                "plan": reverse("api:budget-plans"),
                "events": reverse("api:landmark-set-events", args=[pk]),
                "track": reverse("api:dataset-track", args=[dataset.pk]),
                "mechanisms": f"{reverse('api:mechanisms')}?kind={dataset.kind}",
            },
        },
    }
    return render(request, "landmarks/report.html", context)


@require_POST
def samples(request: HttpRequest) -> HttpResponse:
    """Give the user the generated samples that they do not have, and show the newest that can have landmarks."""
    load_samples(owner=request.user)
    newest = markable(visible_datasets(request.user)).filter(owner=request.user, sample=True).first()
    return redirect("datasets:detail", newest.pk) if newest else redirect("datasets:list")


@require_safe
def new(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """The editor: every way to mark, or a copy of a set to go on from; beside another set if it is named."""
    dataset = get_object_or_404(visible_datasets(request.user), pk=pk)
    require_role(request.user, dataset, Role.EDITOR)
    if dataset.state != State.READY or not dataset.data_type.has_landmarks:
        return redirect("datasets:detail", pk)
    computing.prepare()
    sets = selectors.visible_landmark_sets(request.user).filter(dataset=dataset)
    source, against = (
        get_object_or_404(sets, pk=uuid_or_404(requested)) if (requested := request.GET.get(name)) else None
        for name in ("from", "against")
    )
    urls = {
        "dataset": reverse("api:dataset-detail", args=[pk]),
        "methods": reverse("api:landmark-methods"),
        "preview": reverse("api:landmark-set-preview"),
        "save": reverse("api:landmark-set-list"),
        "sets": f"{reverse('api:landmark-set-list')}?dataset={pk}",
        "releases": f"{reverse('api:release-list')}?dataset={pk}&page_size=200",
        "page": reverse("datasets:detail", args=[pk]),
        "release": reverse("releases:new", args=[pk]),
        "source": reverse("api:landmark-set-detail", args=[source.pk]) if source else None,
    }
    if dataset.has_time:
        urls["stay_counts"] = reverse("api:dataset-stay-counts", args=[pk])
    page = {"urls": urls, "stay_points": StayPoints.registered_name(), "against": against and str(against.pk)}
    return render(request, "landmarks/new.html", {"dataset": dataset, "source": source, "page": page})


@require_http_methods(["GET", "HEAD", "POST"])
def detail(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """A set is shown on its dataset's page; a POST deletes it."""
    landmark_set = get_object_or_404(selectors.visible_landmark_sets(request.user), pk=pk)
    page = reverse("datasets:detail", args=[landmark_set.dataset_id])
    if request.method == "POST":
        require_role(request.user, landmark_set, Role.OWNER)
        try:
            services.delete_landmark_set(landmark_set=landmark_set)
            messages.success(request, f"The landmark set {landmark_set.name} is forgotten.")
        except Conflict as error:
            messages.error(request, str(error))
    return redirect(f"{page}#landmark-sets")


@require_safe
def dummies(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """Selection methods beside the landmarks of a set, and a draw; a set with dummies leads to its source."""
    landmark_set = get_object_or_404(selectors.visible_landmark_sets(request.user), pk=pk)
    require_role(request.user, landmark_set, Role.EDITOR)
    if landmark_set.source_id is not None:
        return redirect("landmarks:dummies", landmark_set.source_id)
    computing.prepare()
    urls = {
        "methods": reverse("api:dummy-methods"),
        "preview": reverse("api:landmark-set-dummies-preview", args=[pk]),
        "draw": reverse("api:landmark-set-dummies", args=[pk]),
        "release": reverse("releases:new", args=[landmark_set.dataset_id]),
    }
    context = {"dataset": landmark_set.dataset, "landmark_set": landmark_set, "page": {"urls": urls}}
    return render(request, "landmarks/dummies.html", context)
