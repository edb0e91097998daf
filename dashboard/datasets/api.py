"""REST API of the datasets app."""

from typing import Any

from django.db import transaction
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework.decorators import action
from rest_framework.parsers import BaseParser, MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from dashboard.core.rest.components import listing
from dashboard.core.rest.parsing import UNKEPT, JSONBody, valid
from dashboard.core.rest.views import PublicFacts
from dashboard.core.tags import tag
from dashboard.core.text import rename
from dashboard.datasets import aggregation, ledger, lineage, resumable, selectors, services
from dashboard.datasets.common.api import actions
from dashboard.datasets.filters import DatasetFilter
from dashboard.datasets.lineage_serializers import UNDETECTED, DecisionSerializer, LineageSerializer
from dashboard.datasets.models import Dataset
from dashboard.datasets.previews import PreviewQuery, PreviewSerializer
from dashboard.datasets.serializers import (
    AggregationRequest,
    ChangeSerializer,
    DatasetRowSerializer,
    DatasetSerializer,
    ExpectedCountsSerializer,
    GeometrySerializer,
    OptionsSerializer,
    StaysRequest,
    UploadSerializer,
)
from dashboard.datasets.stays import stays_dataset
from dashboard.jobs.viewsets import JobViewSet
from dashboard.projects.access import require_own
from dashboard.projects.services import move_row
from privacy_engine.cleaning import cleaning_steps
from privacy_engine.errors import ParameterError


@extend_schema_view(
    destroy=extend_schema(description="Remove it with its landmark sets, releases and files."),
    cancel=extend_schema(
        description="Stop reading the upload: at once if it waits, within a lease if it is being read."
    ),
    retry=extend_schema(
        description="Read the kept upload again with the same options, after that failed or was cancelled."
    ),
)
class DatasetViewSet(*actions.values(), JobViewSet[Dataset]):  # type: ignore[misc]  # bases by kind
    """Datasets: what came in."""

    filterset_class = DatasetFilter
    queryset = Dataset.objects.none()
    reading_actions = ("aggregate_preview",)

    def get_parsers(self) -> list[BaseParser]:
        """JSON; for a new dataset a form with its file too."""
        # a request is parsed before its action is set; the schema has actions without requests
        action = getattr(self, "action", None) or self.action_map.get(str(self.request.method).lower())
        return [JSONBody(), MultiPartParser()] if action == "create" else [JSONBody()]

    def get_serializer_class(self) -> type[DatasetSerializer]:
        return DatasetRowSerializer if self.action == "list" else DatasetSerializer

    def get_queryset(self) -> Any:
        return selectors.with_ledger(selectors.visible_datasets(self.request.user))

    def row_response(self, row: Dataset, status: int = 200) -> Response:
        dataset = selectors.with_ledger(Dataset.objects.all()).get(
            pk=row.pk
        )  # who took it out of a project sees it no more
        data = self.get_serializer(dataset).data
        return Response(data, status=status, headers={"Location": data["urls"]["self"]} if status == 201 else None)

    @extend_schema(request={"multipart/form-data": UploadSerializer}, responses={201: DatasetSerializer})
    def create(self, request: Request) -> Response:
        """Make a dataset of a file, or of a whole upload. Small ones are read at once; larger ones are queued."""
        params = valid(UploadSerializer, request.data)
        if "upload" in params:
            whole = get_object_or_404(selectors.visible_uploads(request.user), pk=params.pop("upload"))
            return self.row_response(resumable.finish(upload=whole, **params), status=201)
        params.pop("sha256", None)
        return self.row_response(
            services.import_dataset(owner=request.user, upload=params.pop("file"), **params), status=201
        )

    @extend_schema(request=ChangeSerializer, responses={200: DatasetSerializer})
    def partial_update(self, request: Request, pk: Any = None) -> Response:
        """Rename it, tag it, set what its releases may leak together, or put it into a project, which shares it."""
        dataset, params = self.get_object(), valid(ChangeSerializer, request.data)
        with transaction.atomic():
            if "name" in params:
                rename(dataset, params["name"])
            if "tags" in params:
                tag(dataset, params["tags"])
            if "budget" in params:
                require_own(request.user, dataset, "set its budget")
                given = params["budget"] is not None
                total = ledger.parse_total(dataset, params["budget"]) if given else {"epsilon": None}
                services.set_budget(dataset=dataset, **total)
            if "project" in params:
                move_row(user=request.user, row=dataset, project=params["project"])
        return self.row_response(dataset)

    def perform_destroy(self, instance: Dataset) -> None:
        services.delete_dataset(dataset=instance)

    @extend_schema(request=OptionsSerializer, responses={200: DatasetSerializer})
    @action(detail=True, methods=["post"])
    def read(self, request: Request, pk: Any = None) -> Response:
        """Read the kept upload again with other options."""
        dataset, params = self.get_object(), valid(OptionsSerializer, request.data)
        return self.row_response(services.reread_dataset(dataset=dataset, **params))

    @extend_schema(parameters=[PreviewQuery], responses={200: PreviewSerializer}, filters=False)
    @action(detail=True, filterset_class=None, pagination_class=None, records="original")
    def preview(self, request: Request, pk: Any = None) -> Response:
        """The first rows of the kept upload, and what each column would be read as with these options."""
        preview = services.preview_upload(dataset=self.get_object(), **valid(PreviewQuery, request.query_params))
        return Response(PreviewSerializer(preview).data, headers=UNKEPT)

    def retry_job(self, row: Dataset) -> Dataset:
        return services.retry_import(dataset=row)

    @extend_schema(methods=["get"], responses={200: LineageSerializer}, filters=False)
    @extend_schema(methods=["post"], request=DecisionSerializer, responses={200: LineageSerializer})
    @action(detail=True, methods=["get", "post"], filterset_class=None, pagination_class=None)
    def lineage(self, request: Request, pk: Any = None) -> Response:
        """Return the uploads that share its budget, or record that it is of other people than they are."""
        dataset = self.get_object()
        if request.method == "POST":
            require_own(request.user, dataset, "record whose data its uploads are")
            params = valid(DecisionSerializer, request.data)
            lineage.record_other_people(dataset=dataset, others=params.get("others"))
            dataset = self.get_object()
        answer = {
            "upload": dataset.source_file_id,
            "others": selectors.shared_with(dataset, request.user),
            "recorded": selectors.recorded(dataset, request.user),
            "not_recognised": UNDETECTED,
        }
        return Response(LineageSerializer(answer).data, headers=UNKEPT)

    @extend_schema(responses={200: GeometrySerializer}, filters=False)
    @action(detail=True, filterset_class=None, pagination_class=None)
    def geometry(self, request: Request, pk: Any = None) -> Response:
        """Return the cells of counts that were made on a grid, for a map."""
        dataset = self.get_object()
        selectors.require_ready(dataset)
        counted = dataset.counted
        if counted is None:
            rule = "counts on a grid"
            raise ParameterError(f"dataset must hold {rule}", field="dataset", rule=rule, value=dataset.kind)
        return Response({"cells": counted.grid.boxes().tolist()}, headers=UNKEPT)

    @extend_schema(request=AggregationRequest, responses={201: DatasetSerializer})
    @action(detail=True, methods=["post"], filterset_class=None, pagination_class=None)
    def aggregate(self, request: Request, pk: Any = None) -> Response:
        """Count its events on a grid: a new dataset, a count stream, which a worker makes."""
        dataset, params = self.get_object(), valid(AggregationRequest, request.data)
        return self.row_response(aggregation.aggregate_dataset(dataset=dataset, **params), status=201)

    @extend_schema(request=StaysRequest, responses={201: DatasetSerializer})
    @action(detail=True, methods=["post"], filterset_class=None, pagination_class=None)
    def stays(self, request: Request, pk: Any = None) -> Response:
        """Detect the stays of its people: a new dataset, check-ins, which a worker makes."""
        dataset, params = self.get_object(), valid(StaysRequest, request.data)
        return self.row_response(stays_dataset(dataset=dataset, **params), status=201)

    @extend_schema(request=AggregationRequest, responses={200: ExpectedCountsSerializer})
    @action(detail=True, methods=["post"], url_path="aggregate/preview", filterset_class=None, pagination_class=None)
    def aggregate_preview(self, request: Request, pk: Any = None) -> Response:
        """Return how large such a count stream would be, and its sensitivity; nothing is stored."""
        params = valid(AggregationRequest, request.data)
        return Response(aggregation.expected(self.get_object(), params["spec"]), headers=UNKEPT)


class CleaningStepsView(PublicFacts):
    """Cleaning steps: parameters, and what each reads of the data."""

    @extend_schema(responses={200: OpenApiTypes.OBJECT})
    def get(self, request: Request) -> Response:
        return Response({"results": [listing(cls) | {"reads": cls.reads} for cls in cleaning_steps]})
