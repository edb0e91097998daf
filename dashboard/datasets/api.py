"""REST API of the datasets app."""

from typing import Any

from django.db import transaction
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework.decorators import action
from rest_framework.parsers import BaseParser, MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from dashboard.core.rest.operations import CatalogView, operation, requested, row_action
from dashboard.core.rest.parsing import JSONBody, valid
from dashboard.datasets import aggregation, ledger, lineage, resumable, selectors, services
from dashboard.datasets.aggregation import stays_dataset
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
from dashboard.jobs.viewsets import JobViewSet
from dashboard.projects.access import require_own
from dashboard.projects.services import change_row
from privacy_engine.aggregation import AggregationSpec
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

    serializer_class = DatasetSerializer
    filterset_class = DatasetFilter
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

    @operation({"multipart/form-data": UploadSerializer}, DatasetSerializer, status=201)
    def create(self, **params: Any) -> Dataset:
        """Make a dataset of a file, or of a whole upload. Small ones are read at once; larger ones are queued."""
        if "upload" in params:
            whole = get_object_or_404(selectors.visible_uploads(self.request.user), pk=params.pop("upload"))
            return resumable.finish(upload=whole, **params)
        params.pop("sha256", None)
        return services.import_dataset(owner=self.request.user, upload=params.pop("file"), **params)

    @operation(ChangeSerializer, DatasetSerializer, row=requested)
    def partial_update(self, dataset: Dataset, **params: Any) -> Dataset:
        """Rename it, tag it, set what its releases may leak together, or put it into a project, which shares it."""
        with transaction.atomic():
            change_row(user=self.request.user, row=dataset, changes=params)
            if "budget" in params:
                require_own(self.request.user, dataset, "set its budget")
                given = params["budget"] is not None
                total = ledger.parse_total(dataset, params["budget"]) if given else {"epsilon": None}
                services.set_budget(dataset=dataset, **total)
        return dataset

    def perform_destroy(self, instance: Dataset) -> None:
        services.delete_dataset(dataset=instance)

    @row_action(OptionsSerializer, DatasetSerializer, method="POST")
    def read(self, dataset: Dataset, **params: Any) -> Dataset:
        """Read the kept upload again with other options."""
        return services.reread_dataset(dataset=dataset, **params)

    @row_action(PreviewQuery, PreviewSerializer, records="original")
    def preview(self, dataset: Dataset, **params: Any) -> Any:
        """The first rows of the kept upload, and what each column would be read as with these options."""
        return services.preview_upload(dataset=dataset, **params)

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
        return Response(LineageSerializer(answer).data)

    @row_action(returns=GeometrySerializer)
    def geometry(self, dataset: Dataset) -> dict[str, Any]:
        """Return the cells of counts that were made on a grid, for a map."""
        selectors.require_ready(dataset)
        counted = dataset.counted
        if counted is None:
            rule = "counts on a grid"
            raise ParameterError(f"dataset must hold {rule}", field="dataset", rule=rule, value=dataset.kind)
        return {"cells": counted.grid.boxes().tolist()}

    @row_action(AggregationRequest, DatasetSerializer, method="POST", status=201)
    def aggregate(self, dataset: Dataset, **params: Any) -> Dataset:
        """Count its events on a grid: a new dataset, a count stream, which a worker makes."""
        return aggregation.aggregate_dataset(dataset=dataset, **params)

    @row_action(StaysRequest, DatasetSerializer, method="POST", status=201)
    def stays(self, dataset: Dataset, **params: Any) -> Dataset:
        """Detect the stays of its people: a new dataset, check-ins, which a worker makes."""
        return stays_dataset(dataset=dataset, **params)

    @row_action(AggregationRequest, ExpectedCountsSerializer, method="POST", url_path="aggregate/preview")
    def aggregate_preview(self, dataset: Dataset, spec: AggregationSpec, name: str) -> dict[str, Any]:
        """Return how large such a count stream would be, and its sensitivity; nothing is stored."""
        return aggregation.expected(dataset, spec)


class CleaningStepsView(CatalogView):
    """Cleaning steps: parameters, and what each reads of the data."""

    registry = cleaning_steps

    def facts(self, cls: Any) -> dict[str, Any]:
        return {"reads": cls.reads}
