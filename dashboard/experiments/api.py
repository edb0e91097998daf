"""REST API of the experiments app."""

from __future__ import annotations

from typing import Any

from django.shortcuts import get_object_or_404
from django_filters import rest_framework as filters
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from dashboard.core.rest.components import listing
from dashboard.core.rest.parsing import UNKEPT, valid
from dashboard.datasets.selectors import visible_datasets
from dashboard.datasets.serializers import KindQuery
from dashboard.experiments import files, results, selectors, services
from dashboard.experiments.models import ITEMS, Experiment
from dashboard.experiments.naming import figure_of
from dashboard.experiments.serializers import (
    ExperimentNameRequest,
    ExperimentRequest,
    ExperimentSerializer,
    PlanSerializer,
    ResultsSerializer,
)
from dashboard.jobs.viewsets import Download, JobFilter, JobViewSet, download_action
from privacy_engine.experiments import FILES, generators, items_of, measures, presets
from privacy_engine.plurals import counted


class ExperimentFilter(JobFilter):
    """By dataset and state."""

    dataset = filters.UUIDFilter(field_name="dataset_id")

    class Meta:
        model = Experiment
        fields = ("dataset", "state")


@extend_schema_view(cancel=extend_schema(description="Stop it. What is computed by then is kept."))
class ExperimentViewSet(JobViewSet[Experiment]):
    """Experiments: grids of parameters, each combination repeated by one seed."""

    serializer_class = ExperimentSerializer
    filterset_class = ExperimentFilter
    queryset = Experiment.objects.none()

    def get_queryset(self) -> Any:
        return selectors.visible_experiments(self.request.user)

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
        found = services.plan(**params)
        spec = found.spec
        items = items_of(spec.kind, found.lengths)
        counts: dict[str, Any] = {"cells": found.cells, "repetitions": spec.repetitions, "events": items}
        counts["size_text"] = counted(items, ITEMS[spec.kind])
        where = {"work_s": found.seconds, "at_once": found.at_once, "parts": found.parts}
        figure = {"figure": figure_of(spec, params["dataset"])}
        return Response({"spec": spec.model_dump(), **counts, **where, **figure})

    @extend_schema(request=ExperimentNameRequest, responses={200: ExperimentSerializer})
    def partial_update(self, request: Request, pk: Any = None) -> Response:
        """Call it something else."""
        renamed = services.rename_experiment(experiment=self.get_object(), **valid(ExperimentNameRequest, request.data))
        return Response(self.get_serializer(renamed).data)

    @extend_schema(request=None)
    @action(detail=True, methods=["post"], url_path="resume", url_name="retry")
    def retry(self, request: Request, pk: Any = None) -> Response:
        """Go on with one that was cancelled or failed, from what is kept."""
        return super().retry(request, pk)

    def cancel_job(self, row: Experiment) -> None:
        services.cancel_experiment(experiment=row)

    def retry_job(self, row: Experiment) -> Experiment:
        return services.resume_experiment(experiment=row)

    def perform_destroy(self, instance: Experiment) -> None:
        services.delete_experiment(experiment=instance)

    @extend_schema(responses={200: ResultsSerializer}, filters=False)
    @action(detail=True)
    def results(self, request: Request, pk: Any = None) -> Response:
        """Its points so far, for charts."""
        return Response(results.results(self.get_object()), headers=UNKEPT)

    @download_action({name: kind.media_type for name, kind in FILES.items()}, default="csv")
    def table(self, fmt: str) -> Download:
        """Its table as Parquet, CSV or LaTeX (pgfplots) once it is done; its spec as JSON, to share, at any time."""
        return files.export(self.get_object() if fmt == "json" else self.finished_object(), fmt)


class PresetsView(APIView):
    """Experiments by name: what they show, and their parameters; of one kind of data with ?kind=."""

    @extend_schema(parameters=[KindQuery], responses={200: OpenApiTypes.OBJECT})
    def get(self, request: Request) -> Response:
        found = _of_kind(presets, request)
        return Response({"results": [listing(cls) | {"metrics": list(cls.metrics)} for cls in found]})


class GeneratorsView(APIView):
    """Generators of data for experiments without a dataset; of one kind of data with ?kind=."""

    @extend_schema(parameters=[KindQuery], responses={200: OpenApiTypes.OBJECT})
    def get(self, request: Request) -> Response:
        return Response({"results": [listing(cls) for cls in _of_kind(generators, request)]})


class MeasuresView(APIView):
    """What an experiment can measure; of one kind of data with ?kind=."""

    @extend_schema(parameters=[KindQuery], responses={200: OpenApiTypes.OBJECT})
    def get(self, request: Request) -> Response:
        return Response({"results": _of_kind(measures, request).listing()})


def _of_kind(registry: Any, request: Request) -> Any:
    kind = valid(KindQuery, request.query_params).get("kind")
    return registry.of(kind) if kind else registry
