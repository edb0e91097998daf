"""Landmark sets as the API speaks of them."""

from __future__ import annotations

from typing import Any

from django.urls import reverse
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from dashboard.landmarks.models import LandmarkSet
from dashboard.specs import DescriptionField
from privacy_engine.landmarks import landmark_methods

Runs = {"type": "array", "items": {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2}}

DISTANCE = "Timestamps from a regular event to the nearest landmark or end of its series; the mean over all of them."


class PreviewRequest(serializers.Serializer[Any]):
    """A dataset and a way to mark its landmarks."""

    dataset = serializers.UUIDField()
    method = DescriptionField(landmark_methods)


class MarkRequest(PreviewRequest):
    """The same, to be kept under a name."""

    name = serializers.CharField(max_length=200, required=False, allow_blank=True, default="")


@extend_schema_field(Runs)
class RunsField(serializers.ListField):
    """Half-open [start, end) stretches of landmark events."""


class EventsSerializer(serializers.Serializer[Any]):
    """Which events are landmarks."""

    count = serializers.IntegerField()
    share = serializers.FloatField()
    points = serializers.IntegerField()
    runs = RunsField()
    average_temporal_distance = serializers.FloatField(help_text=DISTANCE)


class LandmarkSetUrls(serializers.Serializer[Any]):
    """Where to go from here."""

    self = serializers.CharField()
    events = serializers.CharField()
    page = serializers.CharField()


class LandmarkSetSerializer(serializers.ModelSerializer[LandmarkSet]):
    """A kept landmark set."""

    dataset = serializers.UUIDField(source="dataset_id")
    method = DescriptionField(landmark_methods)
    share = serializers.FloatField()
    urls = serializers.SerializerMethodField()

    class Meta:
        model = LandmarkSet
        fields = ("id", "dataset", "name", "method", "count", "share", "points", "created_at", "urls")

    @extend_schema_field(LandmarkSetUrls)
    def get_urls(self, row: LandmarkSet) -> dict[str, str]:
        return {
            "self": reverse("api:landmark-set-detail", args=[row.pk]),
            "events": reverse("api:landmark-set-events", args=[row.pk]),
            "page": reverse("landmarks:detail", args=[row.pk]),
        }


class LandmarkSetDetailSerializer(LandmarkSetSerializer):
    """One landmark set, with what takes a look at its events."""

    average_temporal_distance = serializers.FloatField(read_only=True, help_text=DISTANCE)

    class Meta(LandmarkSetSerializer.Meta):
        fields = (*LandmarkSetSerializer.Meta.fields, "average_temporal_distance")


class SeriesQuery(serializers.Serializer[Any]):
    """Which series of the dataset."""

    series = serializers.IntegerField(
        required=False, min_value=0, help_text="Only this series, its events counted from 0; without it the dataset."
    )
