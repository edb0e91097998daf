"""Releases as the API speaks of them."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from dashboard.parsing import Anything, Number, Whole
from dashboard.releases import downloads
from dashboard.releases.models import Release
from dashboard.specs import DescriptionField
from privacy_engine.mechanisms import landmark  # noqa: F401  (registers the mechanisms)
from privacy_engine.registry import mechanisms
from privacy_engine.spec import ReleaseSpec


@extend_schema_field({"type": "integer", "nullable": True, "minimum": 0, "maximum": 2**53 - 1})
class SeedField(Anything):
    """A seed; the spec judges it."""


class ReleaseRequest(serializers.Serializer[Any]):
    """What to draw, and from what."""

    dataset = serializers.UUIDField()
    landmark_set = serializers.UUIDField()
    mechanism = DescriptionField(mechanisms)
    seed = SeedField(
        required=False,
        allow_null=True,
        default=None,
        help_text="Makes the run repeatable, and so never private: such a release has no guarantee.",
    )
    name = serializers.CharField(max_length=200, required=False, allow_blank=True, default="")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        attrs["spec"] = ReleaseSpec.parse({"mechanism": attrs.pop("mechanism"), "seed": attrs.pop("seed")})
        return attrs


class ReleaseUrls(serializers.Serializer[Any]):
    """Where to go from here."""

    self = serializers.CharField()
    data = serializers.CharField()
    track = serializers.CharField()
    series = serializers.CharField()
    page = serializers.CharField()


class ReleaseSerializer(serializers.ModelSerializer[Release]):
    """A release as its owner sees it; ``owner_view`` was measured against the original and is not for publication."""

    dataset = serializers.UUIDField(source="dataset_id")
    landmark_set = serializers.UUIDField(source="landmark_set_id")
    mechanism = serializers.SerializerMethodField()
    seed = serializers.SerializerMethodField()
    points = serializers.IntegerField(source="landmark_set.points")
    guarantee = serializers.SerializerMethodField()
    label = serializers.SerializerMethodField()
    eta_s = serializers.FloatField(source="seconds_left", allow_null=True)
    urls = serializers.SerializerMethodField()

    class Meta:
        model = Release
        fields = (
            *("id", "dataset", "landmark_set", "name", "mechanism", "seed", "state", "stage", "progress", "eta_s"),
            *("attempt", "cancel_requested", "error", "created_at", "started_at", "finished_at", "points"),
            *("summary", "owner_view", "guarantee", "label", "urls"),
        )

    @extend_schema_field(OpenApiTypes.OBJECT)
    def get_mechanism(self, row: Release) -> dict[str, Any]:
        return dict(row.spec["mechanism"])

    def get_seed(self, row: Release) -> int | None:
        return row.spec["seed"]

    @extend_schema_field({"type": "object", "nullable": True})
    def get_guarantee(self, row: Release) -> dict[str, Any] | None:
        return downloads.label(row)["guarantee"]

    def get_label(self, row: Release) -> str:
        return str(downloads.label(row)["text"])

    @extend_schema_field(ReleaseUrls)
    def get_urls(self, row: Release) -> dict[str, str]:
        page = reverse("releases:compare", args=[row.dataset_id])
        query = urlencode({"landmark_set": row.landmark_set_id, "release": row.pk})
        doors = {name: reverse(f"api:release-{name}", args=[row.pk]) for name in ("data", "track", "series")}
        return {"self": reverse("api:release-detail", args=[row.pk]), **doors, "page": f"{page}?{query}"}


class SeriesQuery(serializers.Serializer[Any]):
    """Which series, how thin, and how neighbouring positions hang together."""

    series = Whole(default=0)
    points = Whole(default=2000, help_text="At most so many events, each curve's extremes kept.")
    n = Whole(default=2, help_text="States of the smoothing matrix, both ways.")
    s = Number(default=0.1, help_text="How far it is smoothed: 0 is the strongest correlation.")
    backward = serializers.CharField(
        default="", allow_blank=True, help_text="Pr(previous | present) as JSON, [[…], …], instead of n and s."
    )
    forward = serializers.CharField(
        default="", allow_blank=True, help_text="Pr(next | present) as JSON, [[…], …], instead of n and s."
    )


class LossSerializer(serializers.Serializer[Any]):
    """Temporal privacy loss of every event shown."""

    backward = serializers.ListField(child=serializers.FloatField())
    forward = serializers.ListField(child=serializers.FloatField())
    total = serializers.ListField(child=serializers.FloatField())
    s = serializers.FloatField(allow_null=True)
    n = serializers.IntegerField(allow_null=True)
    backward_matrix = serializers.ListField(child=serializers.ListField(child=serializers.FloatField()), required=False)
    forward_matrix = serializers.ListField(child=serializers.ListField(child=serializers.FloatField()), required=False)


class ChartSerializer(serializers.Serializer[Any]):
    """Chart data of one series; null where nothing was published."""

    series = serializers.IntegerField()
    event = serializers.ListField(child=serializers.IntegerField())
    time_s = serializers.ListField(child=serializers.FloatField(allow_null=True), allow_null=True)
    error_m = serializers.ListField(child=serializers.FloatField(allow_null=True), allow_null=True)
    budget = serializers.ListField(child=serializers.FloatField())
    loss = LossSerializer()
    landmarks = serializers.ListField(child=serializers.ListField(child=serializers.IntegerField()))
    points = serializers.IntegerField()
    decimated = serializers.BooleanField()
