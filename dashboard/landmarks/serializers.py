"""Landmark sets in the API."""

from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from dashboard.core.rest.components import DescriptionField, SeedField
from dashboard.core.rest.row_fields import UrlsField
from dashboard.landmarks.models import LandmarkSet
from privacy_engine.landmarks import SelectionSpec, dummy_methods, landmark_methods

Runs = {"type": "array", "items": {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2}}

DISTANCE = "Timestamps from a regular event to the nearest landmark or end of its series; the mean over all of them."


class PreviewRequest(serializers.Serializer[Any]):
    """A dataset and a way to mark its landmarks."""

    dataset = serializers.UUIDField()
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

    seed = SeedField(
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
