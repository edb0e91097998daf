"""Pages of the experiments app: the list with its presets, the form that composes an experiment, its results."""

import uuid
from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from dashboard.core.ids import uuid_or_404
from dashboard.core.paging import count_of, first_rows
from dashboard.core.palette import palette, variants
from dashboard.core.tags import tag_choices
from dashboard.datasets.models import Kind, kind_text
from dashboard.datasets.selectors import visible_datasets
from dashboard.experiments import run_results, run_table
from dashboard.experiments.common.pages import pages
from dashboard.experiments.filters import ExperimentFilter
from dashboard.experiments.form_summary import preset_seconds
from dashboard.experiments.models import Experiment
from dashboard.experiments.run_parameters import level_text, values_by_path
from dashboard.experiments.run_results import preset_curves
from dashboard.experiments.selectors import visible_experiments
from dashboard.jobs.models import State
from dashboard.projects.selectors import project_choices
from dashboard.releases.selectors import visible_releases
from privacy_engine.datatypes import datatypes
from privacy_engine.experiments import cells, figure, presets

ORDERS = {"": "newest first", "created": "oldest first", "name": "name", "state": "state", "-duration": "longest first"}
SHOWN = 50  # runs on a page of the table
CHOICES = 50
"""Datasets to try something on, and experiments to compare with, in a list to choose from."""


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """The experiments, and the presets of each kind of data to begin with."""
    groups = [
        {
            "kind": kind,
            "title": title,
            "generated": cells[kind].generated,
            "item": datatypes[kind].item,
            "presets": _presets(kind),
            "datasets": _ready_datasets(request, kind, "id", "name", "kind", "points"),
        }
        for kind, title in Kind.choices
    ]
    return render(request, "experiments/list.html", {"groups": groups, "data": {"urls": _urls()}} | _table(request))


def _table(request: HttpRequest) -> dict[str, Any]:
    """The runs that the filter leaves, in the requested order, with the chosen columns."""
    mine = visible_experiments(request.user)
    chosen = ExperimentFilter(request.GET, queryset=mine, request=request)
    rows = first_rows(chosen.qs if chosen.is_valid() else mine, run_table.MOST)
    run_results.add_missing(rows)
    runs = run_table.runs_of(rows)
    columns = run_table.columns_of(runs)
    ordering = request.GET.get("ordering", "")
    ordered = run_table.in_order(runs, ordering) if ordering else runs
    return {
        "page": Paginator(ordered, SHOWN).get_page(request.GET.get("page")),
        "columns": columns,
        "shown": run_table.chosen_columns(columns, request.GET.getlist("columns")),
        "ordering": ordering,
        "orders": ORDERS,
        "filtered": any(request.GET.get(name) for name in ("search", "kind", "tag", "state", "project")),
        "total": count_of(mine),
        "choices": [
            ("Kind", "kind", Kind.choices),
            ("State", "state", [(value, label.lower()) for value, label in State.choices if value != State.READY]),
            ("Project", "project", project_choices(request.user)),
            ("Tag", "tag", tag_choices(mine)),
        ],
    }


@require_safe
def new(request: HttpRequest) -> HttpResponse:
    """The form: what to sweep, on what; filled by a preset or by an experiment to begin from."""
    requested = request.GET.get("from")
    origin = get_object_or_404(visible_experiments(request.user), pk=uuid_or_404(requested)) if requested else None
    attacked = request.GET.get("release")
    release = get_object_or_404(visible_releases(request.user), pk=uuid_or_404(attacked)) if attacked else None
    attacks = pages[release.kind].attacks_on(release) | {"preset": None} if release else None
    begun = {
        "origin": _described(origin) if origin else attacks,
        "preset": request.GET.get("preset"),
        "dataset": request.GET.get("dataset"),
    }
    kind = _kind_of(request, origin or release)
    own = pages[kind]
    named = [preset | {"seconds": preset_seconds(preset["name"])} for preset in _presets(kind)]
    context = {
        "data": {
            "datasets": [
                {"id": str(dataset.pk), "name": dataset.name, "points": dataset.points} | own.choice(dataset)
                for dataset in _ready_datasets(request, kind)
            ],
            "kind": kind,
            "usual_kind": Kind.values[0],
            "urls": _urls(kind),
            "palette": palette(kind),
            **own.choices(kind),
            **begun,
        },
        "origin": origin,
        "release": release,
        "kind": kind,
        "kinds": Kind.choices,
        "kind_text": kind_text(kind),
        "presets": named,
        "preset": next((preset for preset in named if preset["name"] == begun["preset"]), None),
        "templates": own.templates,
        "script": f"js/pages/{kind}_experiment.js",
    }
    return render(request, "experiments/new.html", context)


def _kind_of(request: HttpRequest, origin: Any) -> str:
    """The kind of data of a new experiment: that of what it begins with, or the requested kind."""
    if origin is not None:
        return origin.kind
    preset = request.GET.get("preset")
    if preset in [cls.registered_name() for cls in presets]:
        return presets[preset].kind
    requested = request.GET.get("kind", "")
    return requested if requested in Kind.values else Kind.values[0]


@require_safe
def detail(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """One experiment: its charts, which fill in while it runs, beside those of another if that is requested."""
    row = get_object_or_404(visible_experiments(request.user), pk=pk)
    requested = request.GET.get("with")
    other = get_object_or_404(visible_experiments(request.user), pk=uuid_or_404(requested)) if requested else None
    context = {
        "experiment": row,
        "other": other,
        "levels": level_text(values_by_path(row.spec)),
        "has_landmarks": cells[row.kind].has_landmarks,
        "measure": figure(row.parsed_spec)["measures"][0]["title"],
        "others": first_rows(visible_experiments(request.user).exclude(pk=pk), CHOICES),
        "data": {
            "experiment": _described(row),
            "other": None if other is None else _described(other),
            "palette": variants(row.kind),
        },
    }
    return render(request, "experiments/detail.html", context)


def _ready_datasets(request: HttpRequest, kind: str, *columns: str) -> Any:
    """The newest datasets of a kind, with the named columns or all."""
    rows = visible_datasets(request.user).select_related(None).only(*columns)
    return first_rows(rows.filter(state=State.READY, kind=kind), CHOICES)


def _presets(kind: str) -> list[dict[str, Any]]:
    curves = preset_curves()
    known = [(cls.registered_name(), cls) for cls in presets.of(kind)]
    return [
        {"name": name, "title": cls.title, "summary": cls.summary, "curves": curves.get(name, [])}
        for name, cls in known
    ]


def _described(row: Experiment) -> dict[str, Any]:
    endpoints = ("detail", "results", "cancel", "retry", "table")
    return {
        "id": str(row.pk),
        "name": row.name,
        "dataset": None if row.dataset_id is None else str(row.dataset_id),
        "preset": row.preset,
        "spec": row.spec,
        "state": row.state,
        "urls": {name: reverse(f"api:experiment-{name}", args=[row.pk]) for name in endpoints},
    }


def _urls(kind: str = Kind.values[0]) -> dict[str, str]:
    query = f"?kind={kind}"
    return {
        "experiments": reverse("api:experiment-list"),
        "plan": reverse("api:experiment-plan"),
        "presets": reverse("api:experiment-presets") + query,
        "generators": reverse("api:experiment-generators") + query,
        "mechanisms": reverse("api:mechanisms") + query,
        "postprocesses": reverse("api:postprocesses"),
        "landmarks": reverse("api:landmark-methods"),
        "landmark_sets": reverse("api:landmark-set-list"),
        "dummies": reverse("api:dummy-methods"),
        "measures": reverse("api:experiment-measures") + query,
        "upload": reverse("datasets:list"),
        "list": reverse("experiments:list"),
        "runs": reverse("api:experiment-runs"),
    }
