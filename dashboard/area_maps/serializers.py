"""Maps of areas in the API."""

from typing import Any

from django.urls import reverse
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from dashboard.area_maps.models import AreaMap
from dashboard.core.rest.parsing import RowField
from dashboard.core.rest.row_fields import UrlsField
from dashboard.datasets.selectors import visible_datasets
from dashboard.jobs.models import State
from dashboard.jobs.serializers import JobRowSerializer


class AreaMapRequest(serializers.Serializer[Any]):
    """Of which dataset, and the host that is agreed to."""

    dataset = RowField(visible_datasets)
    host = serializers.CharField(
        max_length=255,
        allow_blank=True,
        help_text="That of the archive (CAIRN_MAP_ARCHIVE): it learns the region and this server's address. Empty: "
        "a map of another dataset of its owner, which holds the region, is used, and nothing is requested.",
    )


class AreaMapSerializer(JobRowSerializer[AreaMap]):
    """The map of a dataset's area; once it is done, its tiles are served to all maps of the dataset."""

    dataset = serializers.UUIDField(source="dataset_id")
    tiles = serializers.SerializerMethodField(help_text="With {z}, {x} and {y}; null before it is done.")
    zooms = serializers.ListField(child=serializers.IntegerField(), help_text="The lowest and the closest.")
    bounds = serializers.ListField(child=serializers.FloatField(), help_text="Of its tiles: west, south, east, north.")
    requested_bounds = serializers.ListField(
        child=serializers.FloatField(), help_text="The region that the host learned: west, south, east, north; degrees."
    )
    urls = UrlsField("areamap")

    class Meta:
        model = AreaMap
        fields = (
            *("id", "dataset", "host", "requested_bounds", "tiles", "zooms", "bounds", "vector", "size", "attribution"),
            *("state", "stage", "progress", "eta_s", "queue_position", "attempt", "cancel_requested", "error"),
            *("created_at", "started_at", "finished_at", "urls"),
        )

    @extend_schema_field({"type": "string", "nullable": True})
    def get_tiles(self, row: AreaMap) -> str | None:
        if row.state != State.DONE:
            return None
        return reverse("area-tile", args=[row.pk, 0, 0, 0]).removesuffix("0/0/0") + "{z}/{x}/{y}"
