"""REST API of the landmarks app."""

from typing import Any, ClassVar

from django.http import FileResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django_filters import rest_framework as filters
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request

from dashboard.core.errors import must_be
from dashboard.core.filenames import content_disposition, file_name
from dashboard.core.rest.components import SEED, DescriptionField
from dashboard.core.rest.json_text import json_response
from dashboard.core.rest.operations import CatalogView, operation, requested, row_action
from dashboard.core.rest.parsing import AnyAccept, Anything, JSONBody, RowField, valid
from dashboard.core.rest.row_fields import UrlsField
from dashboard.core.rest.views import ApiView, RowViewSet
from dashboard.core.text import rename
from dashboard.datasets.selectors import visible_datasets
from dashboard.landmarks import selectors, services
from dashboard.landmarks.loss_serializers import LossQuery, PlanRequest
from dashboard.landmarks.models import LandmarkSet
from dashboard.landmarks.report import losses_of, plan_of
from dashboard.landmarks.selectors import visible_landmark_sets
from privacy_engine.analysis.budget_plan import BudgetPlan
from privacy_engine.analysis.loss_report import LossReport
from privacy_engine.landmarks import SelectionSpec, dummy_methods, landmark_methods

Runs = {"type": "array", "items": {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2}}

DISTANCE = "Timestamps from a regular event to the nearest landmark or end of its series; the mean over all of them."


class PreviewRequest(serializers.Serializer[Any]):
    """A dataset and a way to mark its landmarks."""

    dataset = RowField(visible_datasets)
    method = DescriptionField(landmark_methods)


class MarkRequest(PreviewRequest):
    """The same, to be kept under a name."""

    name = serializers.CharField(max_length=200, allow_blank=True, default="")


class RenameRequest(serializers.Serializer[Any]):
    """What may be changed of a landmark set: its name."""

    name = serializers.CharField(max_length=200)


class DuplicateRequest(serializers.Serializer[Any]):
    """What the copy is called; without a name after the set it is a copy of."""

    name = serializers.CharField(max_length=200, allow_blank=True, default="")


@extend_schema_field(Runs)
class RunsField(serializers.ListField):
    """Half-open [start, end) ranges of landmark events."""


class EventsSerializer(serializers.Serializer[Any]):
    """Which events are landmarks."""

    count = serializers.IntegerField()
    share = serializers.FloatField()
    points = serializers.IntegerField()
    runs = RunsField()
    average_temporal_distance = serializers.FloatField(help_text=DISTANCE)
    dummies = RunsField(required=False, help_text="Those that are dummies, where the set has some; the owner's alone.")


class DummiesPreviewRequest(serializers.Serializer[Any]):
    """A way to choose dummies."""

    method = DescriptionField(dummy_methods)


class DummiesRequest(DummiesPreviewRequest):
    """The same, to be drawn and kept."""

    seed = Anything(
        SEED,
        allow_null=True,
        default=None,
        help_text="Makes the selection repeatable, and so never private: a simulation, and labelled so.",
    )
    name = serializers.CharField(max_length=200, allow_blank=True, default="")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        spec = SelectionSpec.parse({name: attrs[name] for name in ("method", "seed")})
        return attrs | {"method": spec.method, "seed": spec.seed}


class CountSerializer(serializers.Serializer[Any]):
    """How likely there are ``first`` to ``last`` dummies, both included."""

    first = serializers.IntegerField()
    last = serializers.IntegerField()
    probability = serializers.FloatField()


class DrawsSerializer(serializers.Serializer[Any]):
    """What was drawn from these landmarks before; a seeded draw is an experiment and not counted."""

    earlier_selections = serializers.IntegerField(help_text="Draws from the same landmarks, deleted ones too.")
    level_spent = serializers.FloatField(help_text="The sum of their levels: a plain number, never per metre.")


class DummiesPreviewSerializer(DrawsSerializer):
    """How many dummies to expect; it reveals the landmarks, so it is their owner's alone."""

    landmarks = serializers.IntegerField()
    points = serializers.IntegerField()
    expected = serializers.FloatField(help_text="The mean number of dummies.")
    counts = CountSerializer(many=True, help_text="All but the unlikeliest ends, 0.1 % together.")


class SeriesCounts(serializers.Serializer[Any]):
    """Series by series, in the dataset's order."""

    landmarks = serializers.ListField(child=serializers.IntegerField())
    dummies = serializers.ListField(child=serializers.IntegerField())


class SelectionSerializer(DrawsSerializer):
    """How the dummies of a set were chosen. It reveals the landmarks: their owner's alone, and in no release."""

    method = DescriptionField(dummy_methods)
    seed = serializers.IntegerField(allow_null=True)
    private = serializers.BooleanField(help_text="False for a seeded draw.")
    one_sided_level = serializers.FloatField(
        allow_null=True,
        help_text="What all draws from these landmarks spent, this one included, where each was of one-sided coins: "
        "releases over such zones or marks of a file add it to their own ε.",
    )
    protects = serializers.CharField()
    caveats = serializers.ListField(child=serializers.CharField())
    landmarks = serializers.IntegerField()
    dummies = serializers.IntegerField()
    series = SeriesCounts()


class LandmarkSetSerializer(serializers.ModelSerializer[LandmarkSet]):
    """A kept landmark set."""

    dataset = serializers.UUIDField(source="dataset_id")
    method = DescriptionField(landmark_methods)
    share = serializers.FloatField()
    source = serializers.UUIDField(source="source_id", allow_null=True, help_text="The set its dummies were added to.")
    selection = serializers.SerializerMethodField()
    urls = UrlsField("landmark-set", "events", "duplicate", "dummies")

    class Meta:
        model = LandmarkSet
        fields: ClassVar[tuple[str, ...]] = (
            *("id", "dataset", "name", "method", "count", "share", "points", "source", "selection", "earlier"),
            *("created_at", "urls"),
        )

    @extend_schema_field(SelectionSerializer(allow_null=True))
    def get_selection(self, row: LandmarkSet) -> dict[str, Any] | None:
        return None if row.selection is None else {"method": row.method, **row.selection}


class LandmarkSetDetailSerializer(LandmarkSetSerializer):
    """One landmark set, with what is computed from its events."""

    average_temporal_distance = serializers.FloatField(read_only=True, allow_null=True, help_text=DISTANCE)

    class Meta(LandmarkSetSerializer.Meta):
        fields: ClassVar[tuple[str, ...]] = (*LandmarkSetSerializer.Meta.fields, "average_temporal_distance")


class SeriesQuery(serializers.Serializer[Any]):
    """Which series of the dataset."""

    series = serializers.IntegerField(
        required=False, min_value=0, help_text="Only this series, its events counted from 0; without it the dataset."
    )


class LandmarkSetFilter(filters.FilterSet):
    """By dataset."""

    dataset = filters.UUIDFilter(field_name="dataset_id")


class LandmarkSetViewSet(RowViewSet[LandmarkSet]):
    """Landmark sets: which events of a dataset are landmarks."""

    serializer_class = LandmarkSetSerializer
    filterset_class = LandmarkSetFilter
    visible_to = staticmethod(selectors.visible_landmark_sets)
    reading_actions = ("preview_dummies",)

    def get_serializer_class(self) -> type[LandmarkSetSerializer]:
        return LandmarkSetSerializer if self.action == "list" else LandmarkSetDetailSerializer

    @operation(MarkRequest, LandmarkSetDetailSerializer, status=201)
    def create(self, **params: Any) -> LandmarkSet:
        """Define landmarks and keep the set."""
        return services.mark_landmarks(owner=self.request.user, **params)

    @operation(RenameRequest, LandmarkSetDetailSerializer, row=requested)
    def partial_update(self, landmark_set: LandmarkSet, name: str) -> LandmarkSet:
        """Rename it."""
        rename(landmark_set, name)
        return landmark_set

    @row_action(DuplicateRequest, LandmarkSetDetailSerializer, method="POST", status=201)
    def duplicate(self, landmark_set: LandmarkSet, name: str) -> LandmarkSet:
        """Keep the same marks once more."""
        return services.duplicate_landmark_set(landmark_set=landmark_set, name=name)

    @row_action(PreviewRequest, EventsSerializer, method="POST", row=None)
    def preview(self, **params: Any) -> HttpResponseBase:
        """What a method would mark, events counted from 0 over the whole dataset; nothing is stored."""
        return json_response(services.preview_json(**params))

    @row_action(SeriesQuery, EventsSerializer)
    def events(self, landmark_set: LandmarkSet, series: int | None = None) -> HttpResponseBase:
        """Which events are landmarks."""
        return json_response(selectors.events_json(landmark_set, series=series))

    @row_action(
        DummiesRequest, LandmarkSetSerializer, method="POST", status=201, url_path="dummies", url_name="dummies"
    )
    def add_dummies(self, source: LandmarkSet, **params: Any) -> LandmarkSet:
        """Sample dummies beside the landmarks and keep both as a new set. Every request is another draw."""
        return services.add_dummies(owner=self.request.user, landmark_set=source, **params)

    @row_action(
        DummiesPreviewRequest,
        DummiesPreviewSerializer,
        method="POST",
        url_path="dummies/preview",
        url_name="dummies-preview",
    )
    def preview_dummies(self, source: LandmarkSet, **params: Any) -> dict[str, Any]:
        """Probability of each number of dummies; nothing is drawn and nothing stored."""
        return services.preview_dummies(landmark_set=source, **params)

    def perform_destroy(self, instance: LandmarkSet) -> None:
        services.delete_landmark_set(landmark_set=instance)


class LandmarkMethodsView(CatalogView):
    """Ways to mark landmarks, with their parameters."""

    registry = landmark_methods


class DummyMethodsView(CatalogView):
    """Selection methods, with their parameters and what each protects."""

    registry = dummy_methods

    def facts(self, cls: Any) -> dict[str, Any]:
        promise: dict[str, Any] = cls.promise()
        return promise


FORMATS = ("json", "csv")


class LandmarkSetLossView(ApiView):
    """What mechanisms would leak over a landmark set under correlation; no position is read unless cell_m is given."""

    content_negotiation_class = AnyAccept

    @extend_schema(
        parameters=[
            LossQuery,
            OpenApiParameter(
                "format", str, enum=list(FORMATS), description="As a file: json is this answer, csv has every event."
            ),
        ],
        responses={(200, "application/json"): LossReport, (200, "text/csv"): OpenApiTypes.BINARY},
    )
    def get(self, request: Request, pk: Any = None) -> Any:
        row = get_object_or_404(visible_landmark_sets(request.user), pk=pk)
        self.read_rows = [row]
        query = request.query_params.copy()
        form = _format(query.pop("format", [""])[-1])
        params = valid(LossQuery, query)
        content = losses_of(row, params, form)
        if form == "csv":
            answer: Any = FileResponse(content, content_type="text/csv; charset=utf-8")
        else:
            answer = json_response(content)
        if form:
            answer["Content-Disposition"] = content_disposition(
                file_name(row.dataset.name, row.name, "landmark loss", extension=form)
            )
        answer["Cache-Control"] = "private, no-store"
        return answer


class BudgetPlanView(ApiView):
    """Budgets whose temporal loss stays at a target. Nothing is stored or spent."""

    parser_classes = (JSONBody,)

    @operation(PlanRequest, BudgetPlan)
    def post(self, **params: Any) -> BudgetPlan:
        return plan_of(params.pop("landmark_set", None), params)


def _format(text: str) -> str:
    if text and text not in FORMATS:
        raise must_be("format", " or ".join(FORMATS), text)
    return text
