"""REST API of the experiments app."""

from io import BytesIO
from typing import Any

from django.http import FileResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_view
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from dashboard.core.rest.components import DescriptionField
from dashboard.core.rest.operations import operation, requested, row_action
from dashboard.core.rest.parsing import AnyAccept, Anything, RowField, attachment, file_body
from dashboard.core.rest.row_fields import ObjectField, ObjectOrNullField, UrlsField
from dashboard.datasets.catalog import CatalogByKindView
from dashboard.datasets.models import Dataset
from dashboard.datasets.selectors import visible_datasets
from dashboard.experiments import files, results, run_table, selectors, services
from dashboard.experiments.filters import ExperimentFilter
from dashboard.experiments.form_summary import summary_of
from dashboard.experiments.models import Experiment
from dashboard.experiments.naming import distinct_name, figure_of
from dashboard.jobs import workers
from dashboard.jobs.positions import ahead
from dashboard.jobs.serializers import JobRowSerializer
from dashboard.jobs.viewsets import Download, JobViewSet, download_action
from dashboard.projects.serializers import PROJECT_HELP
from dashboard.projects.services import change_row
from privacy_engine.core.plurals import quantity
from privacy_engine.experiments import FILES, ExperimentSpec, generators, measures, presets


class ExperimentRequest(serializers.Serializer[Any]):
    """What to try, and on what."""

    dataset = RowField(visible_datasets, allow_null=True, default=None)
    preset = DescriptionField(
        presets,
        allow_null=True,
        default=None,
        help_text="Describes the series where the spec does not: its part of the dataset, or without one what it "
        "generates. Without a spec it is the experiment too. GET /api/v1/experiment-presets/ lists them.",
    )
    spec = Anything(OpenApiTypes.OBJECT, allow_null=True, default=None)
    name = serializers.CharField(
        max_length=200, allow_blank=True, default="", help_text="If empty, one is made of what differs."
    )
    title = serializers.CharField(
        max_length=100,
        allow_blank=True,
        default="",
        help_text="What such a name begins with, as that of a preset, in place of mechanisms and levels.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs["spec"] is not None:
            attrs["spec"] = ExperimentSpec.parse(attrs["spec"])
        return attrs


class PlanSerializer(serializers.Serializer[Any]):
    """What an experiment would come to."""

    spec = Anything(OpenApiTypes.OBJECT)
    name = serializers.CharField(help_text="What it is called where no name is given.")
    cells = serializers.IntegerField(help_text="Different combinations; each is repeated.")
    repetitions = serializers.IntegerField()
    events = serializers.IntegerField(help_text="Events, counts or check-ins that cells are run on.")
    size_text = serializers.CharField(help_text="The same with their noun.")
    work_s = serializers.FloatField(help_text="About how long it takes on one core.")
    at_once = serializers.BooleanField(help_text="Whether it is run in the request; otherwise workers share it.")
    parts = serializers.IntegerField(help_text="About how many parts workers take it in; 0 where they need not.")
    summary = serializers.DictField(
        child=serializers.CharField(), help_text="A line for data, mechanisms, sweep and measures each."
    )
    ahead = serializers.IntegerField(help_text="Experiments that wait now; those with more parts to come included.")
    workers = serializers.IntegerField(help_text="How many workers answer.")
    figure = serializers.JSONField(help_text="Axes and measures, as in the results.")


class ExperimentChangeRequest(serializers.Serializer[Any]):
    """What to call it, the tags to group it by, and the project it is in."""

    name = serializers.CharField(max_length=200, allow_blank=True, trim_whitespace=False, required=False)
    tags = serializers.ListField(child=serializers.CharField(), required=False)
    project = serializers.UUIDField(required=False, allow_null=True, help_text=PROJECT_HELP)


class ExperimentSerializer(JobRowSerializer[Experiment]):
    """An experiment as its owner sees it. Seeded simulations against the original: never private, never published."""

    dataset = serializers.UUIDField(source="dataset_id", allow_null=True)
    project = serializers.UUIDField(source="project_id", allow_null=True)
    preset = ObjectOrNullField()
    tags = serializers.ListField(child=serializers.CharField(), read_only=True)
    spec = ObjectField()
    kind = serializers.CharField(help_text="The kind of data.")
    urls = UrlsField("experiment", "results", "table")
    cairn = serializers.CharField(source="engine_version", help_text="The version of the engine that computed it.")

    class Meta:
        model = Experiment
        fields = (
            *("id", "name", "kind", "dataset", "project", "data_title", "preset", "spec", "spec_digest", "data_digest"),
            *("events", "tags"),
            *("state", "stage", "progress", "eta_s", "queue_position", "work_s", "error"),
            *("created_at", "started_at", "finished_at", "table_sha256", "cairn", "urls"),
        )


class ResultsSerializer(serializers.Serializer[Any]):
    """Charts' worth of an experiment; what is not computed yet is null."""

    axes = serializers.ListField(child=serializers.JSONField())
    along = serializers.IntegerField(allow_null=True, help_text="The axis that lies horizontally.")
    marked = serializers.BooleanField(help_text="Whether the measured share of marked events lies horizontally.")
    shares = serializers.BooleanField(help_text="Whether points have a share of marked events: those of trajectories.")
    measures = serializers.ListField(child=serializers.JSONField())
    band = serializers.ListField(child=serializers.FloatField(), help_text="The quantiles low and high are.")
    level = serializers.JSONField(
        allow_null=True,
        help_text="{reference_m, axis, radii}: the radius that charts state levels at; the radii in metres of the "
        "values of an axis, or of all cells where axis is null. Null where no release has a radius.",
    )
    points = serializers.ListField(child=serializers.JSONField(), help_text="{at, cell, share, values} in grid order.")


ORDERING = "`name`, `state`, `duration`, `created` or the key of a column; descending with `-` before it."


@extend_schema_view(cancel=extend_schema(description="Stop it. What is computed by then is kept."))
class ExperimentViewSet(JobViewSet[Experiment]):
    """Experiments: grids of parameters, each combination repeated by one seed."""

    serializer_class = ExperimentSerializer
    filterset_class = ExperimentFilter
    visible_to = staticmethod(selectors.visible_experiments)

    @operation(ExperimentRequest, ExperimentSerializer, status=201)
    def create(self, **params: Any) -> Experiment:
        """Run a small experiment now; a larger one is queued for the workers, block by block."""
        return services.submit_experiment(owner=self.request.user, **params)

    @row_action(ExperimentRequest, PlanSerializer, method="POST", row=None)
    def plan(self, dataset: Dataset | None, name: str, title: str, **params: Any) -> dict[str, Any]:
        """What it would come to: cells, work, and where it runs. No position is read, nothing is stored."""
        plan = services.plan(dataset=dataset, **params)
        spec = plan.spec
        items = spec.cell_type.items_of(plan.lengths)
        counts: dict[str, Any] = {"cells": plan.cells, "repetitions": spec.repetitions, "events": items}
        counts["size_text"] = quantity(items, spec.cell_type.item)
        where = {"work_s": plan.seconds, "at_once": plan.at_once, "parts": plan.parts}
        figure = {"figure": figure_of(spec, dataset)}
        described = spec.model_dump()
        names = {"name": distinct_name(self.request.user, described, dataset, title)}
        data = dataset.name if dataset else spec.cell_type.generated
        form = {"summary": summary_of(spec, f"{data} · {counts['size_text']}")}
        queue = {"ahead": ahead(Experiment, self.request.user.pk), "workers": workers.answering()}
        return {"spec": described, **names, **counts, **where, **form, **queue, **figure}

    @operation(ExperimentChangeRequest, ExperimentSerializer, row=requested)
    def partial_update(self, row: Experiment, **params: Any) -> Experiment:
        """Call it something else, group it by other tags, or put it into a project, which shares it."""
        change_row(user=self.request.user, row=row, changes=params)
        return row

    @extend_schema(
        parameters=[OpenApiParameter("ordering", str, description=ORDERING)],
        responses={(200, "text/csv"): file_body("text/csv")},
        filters=True,
    )
    @action(detail=False, pagination_class=None, content_negotiation_class=AnyAccept)
    def runs(self, request: Request) -> FileResponse:
        """The table of runs as CSV: parameters, and of each measure the least and the largest mean over the cells."""
        rows = list(self.filter_queryset(self.get_queryset())[: run_table.MOST])
        runs, ordering = run_table.runs_of(rows), request.query_params.get("ordering")
        text = run_table.as_csv(run_table.in_order(runs, ordering) if ordering else runs)
        return attachment(BytesIO(text.encode()), "text/csv", "experiments.csv")

    @extend_schema(request=None)
    @action(detail=True, methods=["post"], url_path="resume", url_name="retry")
    def retry(self, request: Request, pk: Any = None) -> Response:
        """Go on with one that was cancelled or failed, from what is kept."""
        return super().retry(request, pk)

    def cancel_job(self, row: Experiment) -> None:
        services.cancel_experiment(experiment=row)

    def retry_job(self, row: Experiment) -> Experiment:
        return services.resume_experiment(experiment=row)

    @row_action(returns=ResultsSerializer)
    def results(self, row: Experiment) -> dict[str, Any]:
        """Its points so far, for charts."""
        return results.results(row)

    @download_action({name: kind.media_type for name, kind in FILES.items()}, default="csv")
    def table(self, fmt: str) -> Download:
        """Its table as Parquet, CSV or LaTeX (pgfplots) once it is done; its spec as JSON, to share, at any time."""
        return files.export(self.get_object() if fmt == "json" else self.finished_object(), fmt)


class PresetsView(CatalogByKindView):
    """Experiments by name: what they show, and their parameters; of one kind of data with ?kind=."""

    registry = presets

    def facts(self, cls: Any) -> dict[str, Any]:
        return {"metrics": list(cls.metrics)}


class GeneratorsView(CatalogByKindView):
    """Generators of data for experiments without a dataset; of one kind of data with ?kind=."""

    registry = generators


class MeasuresView(CatalogByKindView):
    """What an experiment can measure; of one kind of data with ?kind=."""

    registry = measures

    def listed(self, registry: Any) -> list[dict[str, Any]]:
        entries: list[dict[str, Any]] = registry.listing()
        return entries
