"""Pages of the datasets app: the list with its uploads, a dataset."""

import uuid
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from dashboard.accounts.services import remember_visit
from dashboard.core.page_parts import parts_of
from dashboard.core.paging import KeyPaginator, count_of
from dashboard.core.tags import tag_choices
from dashboard.datasets import selectors, services, thumbnails
from dashboard.datasets.aggregation import form_groups, has_stays, stay_fields, uncountable
from dashboard.datasets.common.pages import pages
from dashboard.datasets.filters import DatasetFilter
from dashboard.datasets.lineage_serializers import UNDETECTED
from dashboard.datasets.models import Dataset, Kind
from dashboard.datasets.public_areas import public_areas
from dashboard.datasets.serializers import dataset_urls
from dashboard.jobs.models import State
from dashboard.projects.access import require_role
from dashboard.projects.models import Role
from dashboard.projects.selectors import project_choices
from privacy_engine import formats
from privacy_engine.datatypes import datatypes
from privacy_engine.errors import EngineError

SHOWN_DATASETS = 25
ORDERS = {"": "newest first", "created_at": "oldest first", "name": "name", "-points": "most events", "state": "state"}


@require_http_methods(["GET", "HEAD", "POST"])
def dataset_list(request: HttpRequest) -> HttpResponse:
    """The datasets, and the form that takes more; the form works without scripts too."""
    failures = _import_all(request) if request.method == "POST" else []
    if request.method == "POST" and not failures:
        return redirect("datasets:list")
    mine = selectors.visible_datasets(request.user)
    chosen = DatasetFilter(request.GET, queryset=mine, request=request)
    datasets = chosen.qs if chosen.is_valid() else mine
    page = KeyPaginator(selectors.with_sizes(datasets), SHOWN_DATASETS).get_page(request.GET.get("page"))
    thumbnails.add_missing(page.object_list)
    as_kind = request.POST.get("kind", request.GET.get("upload", ""))
    filtered = any(request.GET.get(name) for name in ("search", "kind", "tag", "state", "project"))
    context = {
        "page": page,
        "filtered": filtered,
        "total": count_of(mine) if filtered else page.paginator.count,
        "orders": ORDERS,
        "choices": [
            ("Kind", "kind", Kind.choices),
            ("Project", "project", project_choices(request.user)),
            ("Tag", "tag", tag_choices(mine)),
        ],
        "failures": failures,
        "option_groups": formats.option_groups(),
        "chosen": request.POST or {"kind": as_kind},
        "upload_kind": datatypes.get(as_kind),
        "formats": [title for _, title in formats.options()["format"].choices],
        "kinds": Kind.choices,
        "data_types": datatypes,
        "limit_bytes": settings.CAIRN_UPLOAD_BYTES,
    }
    return render(request, "datasets/list.html", context, status=400 if failures else 200)


def _import_all(request: HttpRequest) -> list[dict[str, Any]]:
    """Import each of the form's files: what was refused, and why."""
    options = {name: request.POST[name] for name in formats.options() if request.POST.get(name)}
    uploads = request.FILES.getlist("file")
    failures = [] if uploads else [{"file": "", "error": {"message": "No file was chosen.", "rule": "choose a file"}}]
    for upload in uploads:
        try:
            kind = request.POST.get("kind", "")
            dataset = services.import_dataset(owner=request.user, upload=upload, options=options, kind=kind)
            messages.success(request, f"{dataset.name} is uploaded.")
        except EngineError as error:
            failures.append({"file": upload.name, "error": error.as_dict()})
    return failures


@require_safe
def detail(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """One dataset: what it is, what is protected in it, what was released from it."""
    dataset = get_object_or_404(selectors.visible_datasets(request.user), pk=pk)
    if dataset.sample:
        remember_visit(user=request.user, what="looked")
    context = {
        "dataset": dataset,
        **parts_of("datasets:detail", request, dataset),
        "experiment_count": dataset.experiments.count(),
        "budget": selectors.spending(dataset, request.user),
        "undetected": UNDETECTED,
        "decided": _decided(dataset),
        "data_types": datatypes,
        "page": _for_script(dataset),
    }
    if dataset.state != State.READY:
        return render(request, "datasets/detail.html", context)
    of_kind = pages[dataset.kind]
    context |= {"of_kind": of_kind, "facts": of_kind.facts(dataset), **of_kind.context(dataset)}
    return render(request, f"datasets/{dataset.kind}/detail.html", context)


@require_safe
def import_again(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """The first rows of the upload and how it is read, to be changed; of what cannot be read again its own page."""
    dataset = get_object_or_404(selectors.visible_datasets(request.user), pk=pk)
    require_role(request.user, dataset, Role.EDITOR)
    if dataset.open or dataset.sample or dataset.derived or services.in_use(dataset):
        return redirect("datasets:detail", pk=pk)
    context = {
        "dataset": dataset,
        "option_groups": formats.option_groups(),
        "kinds": Kind.choices,
        "chosen": {**dataset.options, "kind": dataset.requested_kind},
        "page": {"cleaning": dataset.cleaning, "used": formats.used_options(), "urls": _urls(dataset)},
    }
    return render(request, "datasets/import.html", context)


@require_safe
def aggregate(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """The form that counts the events of a dataset on a grid; of a dataset that has none to count its own page."""
    dataset = get_object_or_404(selectors.visible_datasets(request.user), pk=pk)
    require_role(request.user, dataset, Role.EDITOR)
    if dataset.state != State.READY or uncountable(dataset):
        return redirect("datasets:detail", pk=pk)
    urls = {
        "aggregate": reverse("api:dataset-aggregate", args=[pk]),
        "preview": reverse("api:dataset-aggregate-preview", args=[pk]),
    }
    page = {"groups": form_groups(dataset), "urls": urls, "areas": public_areas()}
    return render(request, "datasets/aggregate.html", {"dataset": dataset, "page": page})


@require_safe
def stays(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """The form that makes check-ins of the stays of a dataset; of a dataset that can have none its own page."""
    dataset = get_object_or_404(selectors.visible_datasets(request.user), pk=pk)
    require_role(request.user, dataset, Role.EDITOR)
    if dataset.state != State.READY or not has_stays(dataset):
        return redirect("datasets:detail", pk=pk)
    page = {"fields": stay_fields(), "url": reverse("api:dataset-stays", args=[pk])}
    return render(request, "datasets/stays.html", {"dataset": dataset, "page": page})


def _decided(dataset: Dataset) -> list[dict[str, Any]]:
    """What reading the file decided: label and value of each option, and the member of an archive."""
    known = formats.options()
    return [
        {"label": known[name].label if name in known else name.capitalize(), "value": value, "member": member}
        for name, value, member in dataset.decisions.each()
    ]


def _for_script(dataset: Dataset) -> dict[str, Any]:
    """What the page's script draws itself: the map, the reading report."""
    known = dataset.summary or {}
    return {
        "state": dataset.state,
        "kind": dataset.kind,
        "name": dataset.name,
        "error": dataset.error,
        "report": dataset.report,
        "users": known.get("users"),
        "dimensions": len(known["dimensions"]) if "dimensions" in known else None,
        "options": dataset.options,
        "sample": dataset.sample,
        "bounds": known.get("bounds"),
        "series_count": dataset.series_count,
        "points": dataset.points,
        "urls": _urls(dataset),
    }


def _urls(dataset: Dataset) -> dict[str, str | None]:
    return dataset_urls(dataset) | {"read": reverse("api:dataset-read", args=[dataset.pk])}
