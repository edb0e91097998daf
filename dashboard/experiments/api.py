"""REST API of the experiments app."""

from io import BytesIO
from typing import Any

from django.db import transaction
from django.http import FileResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_view
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from dashboard.core.rest.components import listing
from dashboard.core.rest.parsing import UNKEPT, AnyAccept, attachment, file_body, valid
from dashboard.core.rest.views import PublicFacts
from dashboard.core.tags import tag
from dashboard.core.text import rename
from dashboard.datasets.selectors import visible_datasets
from dashboard.datasets.serializers import KindQuery
from dashboard.experiments import files, results, run_table, selectors, services
from dashboard.experiments.filters import ExperimentFilter
from dashboard.experiments.form_summary import summary_of
from dashboard.experiments.models import Experiment, Part
from dashboard.experiments.naming import distinct_name, figure_of
from dashboard.experiments.serializers import (
    ExperimentChangeRequest,
    ExperimentRequest,
    ExperimentSerializer,
    PlanSerializer,
    ResultsSerializer,
)
from dashboard.jobs import workers
from dashboard.jobs.positions import ahead
from dashboard.jobs.viewsets import Download, JobViewSet, download_action
from dashboard.projects.services import move_row
from privacy_engine.core.plurals import counted
from privacy_engine.experiments import FILES, generators, measures, presets

ORDERING = "`name`, `state`, `duration`, `created` or the key of a column; descending with `-` before it."


@extend_schema_view(cancel=extend_schema(description="Stop it. What is computed by then is kept."))
class ExperimentViewSet(JobViewSet[Experiment]):
    """Experiments: grids of parameters, each combination repeated by one seed."""

    serializer_class = ExperimentSerializer
    filterset_class = ExperimentFilter
    queryset = Experiment.objects.none()
    visible_to = staticmethod(selectors.visible_experiments)

    def _params(self, request: Request) -> dict[str, Any]:
        params = valid(ExperimentRequest, request.data)
        if params["dataset"] is not None:
            params["dataset"] = get_object_or_404(visible_datasets(request.user), pk=params["dataset"])
        return params

    @extend_schema(request=ExperimentRequest, responses={201: ExperimentSerializer})
    def create(self, request: Request) -> Response:
        """Run a small experiment now; a larger one is queued for the workers, block by block."""
        made = services.submit_experiment(owner=request.user, **self._params(request))
        return Response(self.get_serializer(made).data, status=201)

    @extend_schema(request=ExperimentRequest, responses={200: PlanSerializer})
    @action(detail=False, methods=["post"], filterset_class=None, pagination_class=None)
    def plan(self, request: Request) -> Response:
        """What it would come to: cells, work, and where it runs. No position is read, nothing is stored."""
        params = self._params(request)
        params.pop("name")
        title = params.pop("title")
        plan = services.plan(**params)
        spec = plan.spec
        items = spec.cell_type.items_of(plan.lengths)
        counts: dict[str, Any] = {"cells": plan.cells, "repetitions": spec.repetitions, "events": items}
        counts["size_text"] = counted(items, spec.cell_type.item)
        where = {"work_s": plan.seconds, "at_once": plan.at_once, "parts": plan.parts}
        figure = {"figure": figure_of(spec, params["dataset"])}
        described = spec.model_dump()
        name = {"name": distinct_name(request.user, described, params["dataset"], title)}
        title = params["dataset"].name if params["dataset"] else spec.cell_type.generated
        form = {"summary": summary_of(spec, f"{title} · {counts['size_text']}")}
        queue = {"ahead": ahead(Part, request.user.pk), "workers": workers.answering()}
        return Response({"spec": described, **name, **counts, **where, **form, **queue, **figure})

    @extend_schema(request=ExperimentChangeRequest, responses={200: ExperimentSerializer})
    def partial_update(self, request: Request, pk: Any = None) -> Response:
        """Call it something else, group it by other tags, or put it into a project, which shares it."""
        params, row = valid(ExperimentChangeRequest, request.data), self.get_object()
        with transaction.atomic():
            if "name" in params:
                rename(row, params["name"])
            if "tags" in params:
                tag(row, params["tags"])
            if "project" in params:
                move_row(user=request.user, row=row, project=params["project"])
        return Response(self.get_serializer(row).data)

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

    @extend_schema(responses={200: ResultsSerializer}, filters=False)
    @action(detail=True)
    def results(self, request: Request, pk: Any = None) -> Response:
        """Its points so far, for charts."""
        return Response(results.results(self.get_object()), headers=UNKEPT)

    @download_action({name: kind.media_type for name, kind in FILES.items()}, default="csv")
    def table(self, fmt: str) -> Download:
        """Its table as Parquet, CSV or LaTeX (pgfplots) once it is done; its spec as JSON, to share, at any time."""
        return files.export(self.get_object() if fmt == "json" else self.finished_object(), fmt)


class PresetsView(PublicFacts):
    """Experiments by name: what they show, and their parameters; of one kind of data with ?kind=."""

    @extend_schema(parameters=[KindQuery], responses={200: OpenApiTypes.OBJECT})
    def get(self, request: Request) -> Response:
        classes = _of_kind(presets, request)
        return Response({"results": [listing(cls) | {"metrics": list(cls.metrics)} for cls in classes]})


class GeneratorsView(PublicFacts):
    """Generators of data for experiments without a dataset; of one kind of data with ?kind=."""

    @extend_schema(parameters=[KindQuery], responses={200: OpenApiTypes.OBJECT})
    def get(self, request: Request) -> Response:
        return Response({"results": [listing(cls) for cls in _of_kind(generators, request)]})


class MeasuresView(PublicFacts):
    """What an experiment can measure; of one kind of data with ?kind=."""

    @extend_schema(parameters=[KindQuery], responses={200: OpenApiTypes.OBJECT})
    def get(self, request: Request) -> Response:
        return Response({"results": _of_kind(measures, request).listing()})


def _of_kind(registry: Any, request: Request) -> Any:
    kind = valid(KindQuery, request.query_params).get("kind")
    return registry.of(kind) if kind else registry
