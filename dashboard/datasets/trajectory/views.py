"""Pages that only trajectories have."""

from __future__ import annotations

import uuid

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from dashboard.datasets import selectors
from dashboard.datasets.common.rules import rules
from dashboard.datasets.trajectory.stays import stay_fields
from dashboard.jobs.models import State
from dashboard.projects.access import require_role
from dashboard.projects.models import Role


@require_safe
def stays(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """The form that makes check-ins of the stays of a dataset; of one that can have none its own page."""
    dataset = get_object_or_404(selectors.visible_datasets(request.user), pk=pk)
    require_role(request.user, dataset, Role.EDITOR)
    if dataset.state != State.READY or not rules[dataset.kind].has_stays(dataset):
        return redirect("datasets:detail", pk=pk)
    page = {"fields": stay_fields(), "url": reverse("api:dataset-stays", args=[pk])}
    return render(request, "datasets/trajectory/stays.html", {"dataset": dataset, "page": page})
