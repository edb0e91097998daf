"""What the scripts of maps receive of the map of a dataset's area: what there is, or which consent is needed."""

from typing import Any

from django import template
from django.template.context import Context
from django.urls import reverse
from django.utils.html import json_script
from django.utils.safestring import SafeString

from dashboard.accounts.models import BaseMapChoice
from dashboard.area_maps import selectors
from dashboard.area_maps.models import AreaMap
from dashboard.area_maps.serializers import AreaMapSerializer
from dashboard.datasets.models import Dataset
from dashboard.jobs.models import State
from dashboard.maps.area_extract import MOST_BYTES, require_extent
from dashboard.maps.remote_archive import TooMuch
from dashboard.projects.access import may
from dashboard.projects.models import Role

register = template.Library()


@register.simple_tag(takes_context=True)
def area_map_data(context: Context) -> SafeString:
    """What static/js/map/basemap_choice.js reads beside the base map; nothing for a page without a dataset."""
    user, dataset = getattr(context.get("request"), "user", None), context.get("dataset")
    if user is None or not user.is_authenticated or not isinstance(dataset, Dataset):
        return SafeString("")
    config = area_map_config(user, dataset)
    return json_script(config, "area-map") if config else SafeString("")


def area_map_config(user: Any, dataset: Dataset) -> dict[str, Any] | None:
    """The map there is, and what a user who may change the dataset may agree to; None without both."""
    row = AreaMap.objects.filter(dataset=dataset).select_related("dataset").first()
    offer = _offer(user, dataset) if may(user, dataset, Role.EDITOR) else None
    if offer is None and (row is None or row.state != State.DONE):
        return None
    return {
        "api": reverse("api:areamap-list"),
        "dataset": str(dataset.pk),
        "shown": user.base_map in ("", BaseMapChoice.AREA),
        "row": AreaMapSerializer(row).data if row else None,
        "offer": offer,
    }


def _offer(user: Any, dataset: Dataset) -> dict[str, Any] | None:
    """Which host has which region; None where no archive is configured, or the dataset has no places.

    ``kept`` where a map of the owner's, which the user may read, holds the region: nothing needs to be requested.
    """
    archive, region = selectors.archive(), selectors.region_of(dataset)
    if archive is None or region is None:
        return None
    try:
        require_extent(region)
        refused = ""
    except TooMuch as error:
        refused = error.message
    return {
        "host": archive.host,
        "encrypted": archive.encrypted,
        "box": selectors.box_of(dataset),
        "region": region.bounds,
        "tiles": region.tiles,
        "most_mb": MOST_BYTES // 1_000_000,
        "refused": refused,
        "kept": selectors.kept_map(region, selectors.owners_maps(user, dataset)) is not None,
    }
