"""Reads of the area_maps app."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.db.models import QuerySet

from dashboard.area_maps.models import AreaMap
from dashboard.datasets.models import Dataset
from dashboard.jobs.models import State
from dashboard.maps.regions import Region


@dataclass(frozen=True)
class Archive:
    """Where maps of areas come from, as the operator configured it."""

    url: str

    @property
    def host(self) -> str:
        """Who serves it."""
        return urlsplit(self.url).netloc

    @property
    def encrypted(self) -> bool:
        """Whether others on the way learn nothing of what is requested."""
        return self.url.startswith("https://")


def archive() -> Archive | None:
    """The archive that ``CAIRN_MAP_ARCHIVE`` names; None without a name."""
    return Archive(settings.CAIRN_MAP_ARCHIVE) if settings.CAIRN_MAP_ARCHIVE else None


def visible_area_maps(user: Any) -> QuerySet[AreaMap]:
    """Those of the datasets that the user may read, the newest first."""
    return AreaMap.objects.visible_to(user).select_related("dataset")


def owners_maps(user: Any, dataset: Dataset) -> QuerySet[AreaMap]:
    """Those that the user may read of what belongs to the dataset's owner."""
    return visible_area_maps(user).filter(owner=dataset.owner_id)


def kept_map(region: Region, rows: Iterable[AreaMap]) -> AreaMap | None:
    """The first of the rows that is done and holds a region; None without any."""
    return next((row for row in rows if row.state == State.DONE and row.requested.covers(region)), None)


def box_of(dataset: Dataset) -> list[float] | None:
    """West, south, east, north of a dataset in degrees, west > east across the antimeridian; None without places."""
    known = (dataset.summary or {}).get("bounds")
    if known is None and dataset.counted is not None:
        grid = dataset.counted.grid
        return [grid.west, grid.south, grid.east, grid.north]
    return known


def region_of(dataset: Dataset) -> Region | None:
    """The whole tiles of zoom 8 that hold it."""
    box = box_of(dataset)
    return None if box is None else Region.around(box)
