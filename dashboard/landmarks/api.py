"""REST API of the landmarks app."""

from typing import Any

from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django_filters import rest_framework as filters
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from dashboard.core.rest.components import listing
from dashboard.core.rest.json_text import json_response
from dashboard.core.rest.parsing import JSONBody, valid
from dashboard.core.rest.views import PublicFacts, RowViewSet
from dashboard.core.text import rename
from dashboard.datasets.selectors import visible_datasets
from dashboard.landmarks import dummy_landmarks, selectors, services
from dashboard.landmarks.models import LandmarkSet
from dashboard.landmarks.serializers import (
    DummiesPreviewRequest,
    DummiesPreviewSerializer,
    DummiesRequest,
    DuplicateRequest,
    EventsSerializer,
    LandmarkSetDetailSerializer,
    LandmarkSetSerializer,
    MarkRequest,
    PreviewRequest,
    RenameRequest,
    SeriesQuery,
)
from privacy_engine.landmarks import dummy_methods, landmark_methods


class LandmarkSetFilter(filters.FilterSet):
    """By dataset."""

    dataset = filters.UUIDFilter(field_name="dataset_id")


class LandmarkSetViewSet(RowViewSet[LandmarkSet]):
    """Landmark sets: which events of a dataset are landmarks."""

    serializer_class = LandmarkSetSerializer
    filterset_class = LandmarkSetFilter
    parser_classes = (JSONBody,)
    queryset = LandmarkSet.objects.none()
    visible_to = staticmethod(selectors.visible_landmark_sets)
    reading_actions = ("preview_dummies",)

    def get_serializer_class(self) -> type[LandmarkSetSerializer]:
        return LandmarkSetSerializer if self.action == "list" else LandmarkSetDetailSerializer

    @extend_schema(request=MarkRequest, responses={201: LandmarkSetDetailSerializer})
    def create(self, request: Request) -> Response:
        """Define landmarks and keep the set."""
        params = valid(MarkRequest, request.data)
        dataset = get_object_or_404(visible_datasets(request.user), pk=params.pop("dataset"))
        made = services.mark_landmarks(owner=request.user, dataset=dataset, **params)
        return Response(self.get_serializer(made).data, status=201)

    @extend_schema(request=RenameRequest, responses={200: LandmarkSetDetailSerializer})
    def partial_update(self, request: Request, pk: Any = None) -> Response:
        """Rename it."""
        landmark_set, params = self.get_object(), valid(RenameRequest, request.data)
        rename(landmark_set, params["name"])
        return Response(self.get_serializer(landmark_set).data)

    @extend_schema(request=DuplicateRequest, responses={201: LandmarkSetDetailSerializer})
    @action(detail=True, methods=["post"])
    def duplicate(self, request: Request, pk: Any = None) -> Response:
        """Keep the same marks once more."""
        landmark_set, params = self.get_object(), valid(DuplicateRequest, request.data)
        made = services.duplicate_landmark_set(landmark_set=landmark_set, name=params["name"])
        return Response(self.get_serializer(made).data, status=201)

    @extend_schema(request=PreviewRequest, responses={200: EventsSerializer})
    @action(detail=False, methods=["post"], filterset_class=None, pagination_class=None)
    def preview(self, request: Request) -> HttpResponseBase:
        """What a method would mark, events counted from 0 over the whole dataset; nothing is stored."""
        params = valid(PreviewRequest, request.data)
        dataset = get_object_or_404(visible_datasets(request.user), pk=params["dataset"])
        return json_response(services.preview_json(dataset=dataset, method=params["method"]))

    @extend_schema(parameters=[SeriesQuery], responses={200: EventsSerializer})
    @action(detail=True)
    def events(self, request: Request, pk: Any = None) -> HttpResponseBase:
        """Which events are landmarks."""
        params = valid(SeriesQuery, request.query_params)
        return json_response(selectors.events_json(self.get_object(), **params))

    @extend_schema(request=DummiesRequest, responses={201: LandmarkSetSerializer})
    @action(detail=True, methods=["post"], url_path="dummies", url_name="dummies")
    def add_dummies(self, request: Request, pk: Any = None) -> Response:
        """Sample dummies beside the landmarks and keep both as a new set. Every request is another draw."""
        source = self.get_object()
        made = dummy_landmarks.add_dummies(
            owner=request.user, landmark_set=source, **valid(DummiesRequest, request.data)
        )
        return Response(self.get_serializer(made).data, status=201)

    @extend_schema(request=DummiesPreviewRequest, responses={200: DummiesPreviewSerializer})
    @action(detail=True, methods=["post"], url_path="dummies/preview", url_name="dummies-preview")
    def preview_dummies(self, request: Request, pk: Any = None) -> Response:
        """Probability of each number of dummies; nothing is drawn and nothing stored."""
        source = self.get_object()
        preview = dummy_landmarks.preview_dummies(landmark_set=source, **valid(DummiesPreviewRequest, request.data))
        return Response(preview)

    def perform_destroy(self, instance: LandmarkSet) -> None:
        services.delete_landmark_set(landmark_set=instance)


class LandmarkMethodsView(PublicFacts):
    """Ways to mark landmarks, with their parameters."""

    @extend_schema(responses={200: OpenApiTypes.OBJECT})
    def get(self, request: Request) -> Response:
        return Response({"results": [listing(cls) for cls in landmark_methods]})


class DummyMethodsView(PublicFacts):
    """Selection methods, with their parameters and what each protects."""

    @extend_schema(responses={200: OpenApiTypes.OBJECT})
    def get(self, request: Request) -> Response:
        return Response({"results": [listing(cls) | cls.promise() for cls in dummy_methods]})
