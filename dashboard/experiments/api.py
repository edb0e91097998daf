"""The experiments room's REST doors."""

from __future__ import annotations

from typing import Any

from django.http import FileResponse
from django.shortcuts import get_object_or_404
from django_filters import rest_framework as filters
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import mixins, viewsets
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from dashboard.core.errors import require_state
from dashboard.core.rest.components import listing
from dashboard.core.rest.parsing import UNKEPT, AnyAccept, JSONBody, attachment, file_body, valid
from dashboard.datasets.selectors import visible_datasets
from dashboard.experiments import files, results, selectors, services
from dashboard.experiments.models import Experiment
from dashboard.experiments.naming import figure_of
from dashboard.experiments.serializers import (
    ExperimentNameRequest,
    ExperimentRequest,
    ExperimentSerializer,
    PlanSerializer,
    ResultsSerializer,
)
from dashboard.jobs.models import State
from privacy_engine.experiments import FILES, measures, presets


class ExperimentFilter(filters.FilterSet):
    """By dataset and state."""

    dataset = filters.UUIDFilter(field_name="dataset_id")
    state = filters.ChoiceFilter(choices=[choice for choice in State.choices if choice[0] != State.READY])

    class Meta:
        model = Experiment
        fields = ("dataset", "state")


class ExperimentViewSet(
    mixins.ListModelMixin, mixins.RetrieveModelMixin, mixins.DestroyModelMixin, viewsets.GenericViewSet[Experiment]
):
    """Experiments: grids of parameters, each combination repeated by one seed."""

    serializer_class = ExperimentSerializer
    filterset_class = ExperimentFilter
    parser_classes = (JSONBody,)
    queryset = Experiment.objects.none()

    def get_queryset(self) -> Any:
        return selectors.visible_experiments(self.request.user)

    def _asked(self, request: Request) -> dict[str, Any]:
        asked = valid(ExperimentRequest, request.data)
        if asked["dataset"] is not None:
            asked["dataset"] = get_object_or_404(visible_datasets(request.user), pk=asked["dataset"])
        return asked

    @extend_schema(request=ExperimentRequest, responses={201: ExperimentSerializer})
    def create(self, request: Request) -> Response:
        """Run a small experiment now; a larger one is queued for the workers, block by block."""
        made = services.submit_experiment(owner=request.user, **self._asked(request))
        return Response(self.get_serializer(made).data, status=201)

    @extend_schema(request=ExperimentRequest, responses={200: PlanSerializer})
    @action(detail=False, methods=["post"], filterset_class=None, pagination_class=None)
    def plan(self, request: Request) -> Response:
        """What it would come to: cells, work, and where it runs. No position is read, nothing is stored."""
        asked = self._asked(request)
        asked.pop("name")
        found = services.plan(**asked)
        spec = found.spec
        counts = {"cells": found.cells, "repetitions": spec.repetitions, "events": sum(found.lengths)}
        where = {"work_s": found.seconds, "at_once": found.at_once, "parts": found.parts}
        told = {"figure": figure_of(spec, asked["dataset"])}
        return Response({"spec": spec.model_dump(), **counts, **where, **told})

    @extend_schema(request=ExperimentNameRequest, responses={200: ExperimentSerializer})
    def partial_update(self, request: Request, pk: Any = None) -> Response:
        """Call it something else."""
        renamed = services.rename_experiment(experiment=self.get_object(), **valid(ExperimentNameRequest, request.data))
        return Response(self.get_serializer(renamed).data)

    @extend_schema(request=None, responses={200: ExperimentSerializer})
    @action(detail=True, methods=["post"])
    def cancel(self, request: Request, pk: Any = None) -> Response:
        """Stop it. What is computed by then is kept."""
        services.cancel_experiment(experiment=self.get_object())
        return Response(self.get_serializer(self.get_object()).data)

    @extend_schema(request=None, responses={200: ExperimentSerializer})
    @action(detail=True, methods=["post"], url_path="resume", url_name="retry")
    def resume(self, request: Request, pk: Any = None) -> Response:
        """Go on with one that was cancelled or failed, from what is kept."""
        return Response(self.get_serializer(services.resume_experiment(experiment=self.get_object())).data)

    def perform_destroy(self, instance: Experiment) -> None:
        services.delete_experiment(experiment=instance)

    @extend_schema(responses={200: ResultsSerializer}, filters=False)
    @action(detail=True)
    def results(self, request: Request, pk: Any = None) -> Response:
        """Its points so far, for charts."""
        return Response(results.results(self.get_object()), headers=UNKEPT)

    @extend_schema(
        parameters=[OpenApiParameter("format", str, enum=list(FILES), default="csv")],
        responses={(200, kind.media_type): file_body(kind.media_type) for kind in FILES.values()},
        filters=False,
    )
    @action(detail=True, content_negotiation_class=AnyAccept)
    def table(self, request: Request, pk: Any = None) -> FileResponse:
        """Its table as Parquet, CSV or LaTeX (pgfplots) once it is done; its spec as JSON, to share, at any time."""
        row, fmt = self.get_object(), request.query_params.get("format", "csv")
        if fmt != "json":
            require_state(row, State.DONE, "experiment")
        return attachment(*files.export(row, fmt))


class PresetsView(APIView):
    """Experiments by name: what they show, and their parameters."""

    @extend_schema(responses={200: OpenApiTypes.OBJECT})
    def get(self, request: Request) -> Response:
        return Response({"results": [listing(cls) | {"metrics": list(cls.metrics)} for cls in presets]})


class MeasuresView(APIView):
    """What an experiment can measure."""

    @extend_schema(responses={200: OpenApiTypes.OBJECT})
    def get(self, request: Request) -> Response:
        return Response({"results": measures.listing()})
