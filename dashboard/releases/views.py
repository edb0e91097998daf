"""Pages of the releases app: the form that requests releases, and the comparison."""

import uuid

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_safe

from dashboard.datasets.selectors import visible_datasets
from dashboard.jobs.models import State
from dashboard.projects.access import require_role
from dashboard.projects.models import Role
from dashboard.releases.common.pages import pages


@require_safe
def new(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """The form that requests releases."""
    dataset = get_object_or_404(visible_datasets(request.user), pk=pk)
    require_role(request.user, dataset, Role.EDITOR)
    if dataset.state != State.READY:
        return redirect("datasets:detail", pk)
    return render(request, f"releases/{dataset.kind}/new.html", pages[dataset.kind].form(request, dataset))


@require_safe
def compare(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """Original and releases beside each other."""
    dataset = get_object_or_404(visible_datasets(request.user), pk=pk)
    if dataset.state != State.READY:
        return redirect("datasets:detail", pk)
    return render(request, f"releases/{dataset.kind}/compare.html", pages[dataset.kind].comparison(request, dataset))
