"""The write of the area_maps app: fetch."""

from typing import Any

from django.db import transaction

from dashboard.accounts.base_map import choose_base_map
from dashboard.accounts.models import BaseMapChoice
from dashboard.area_maps import selectors
from dashboard.area_maps.models import AreaMap
from dashboard.core.errors import Conflict, must_be, require_state
from dashboard.datasets.models import Dataset
from dashboard.jobs import queue
from dashboard.jobs.models import OPEN, State
from dashboard.maps.area_extract import require_extent
from dashboard.projects.access import require_role
from dashboard.projects.models import Role


@transaction.atomic
def fetch_area_map(*, user: Any, dataset: Dataset, host: str) -> tuple[AreaMap, bool]:
    """Let a worker fetch the map of a dataset's area from ``host``, to which the user agreed, and show it to them.

    Without a ``host`` it is taken from a map of the dataset's owner that holds it, and nothing is requested.

    The row, and whether it is new: a row of the same region and host stays, unless it failed or was cancelled.

    Raises
    ------
    Conflict
        The operator named no archive, or the dataset has no places, or is not ready.
    ParameterError
        ``host`` is not that of the archive; or it is empty, and there is no map that holds the area.
    TooMuch
        The data lie too far apart.
    """
    require_role(user, dataset, Role.EDITOR)
    require_state(dataset, State.READY, "dataset")
    archive = selectors.archive()
    if archive is None:
        raise Conflict("This Cairn has no archive of maps.", field="host", rule="an archive (CAIRN_MAP_ARCHIVE)")
    region = selectors.region_of(dataset)
    if region is None:
        raise Conflict("This dataset has no places.", field="dataset", rule="a dataset with places")
    kept = not host and selectors.kept_map(region, selectors.owners_maps(user, dataset))
    if host != archive.host and not kept:
        raise must_be("host", f"{archive.host}, the host that is agreed to", host)
    require_extent(region)
    Dataset.objects.select_for_update().get(pk=dataset.pk)  # two requests at once: a single row
    choose_base_map(user=user, choice=BaseMapChoice.AREA)
    there = AreaMap.objects.filter(dataset=dataset, state__in=[*OPEN, State.DONE], region=region.as_dict()).first()
    if there and (kept or there.host == host):
        return there, False
    AreaMap.objects.filter(dataset=dataset).delete()
    row = AreaMap.objects.create(owner_id=dataset.owner_id, dataset=dataset, host=host, region=region.as_dict())
    queue.submit_on_commit(row, row.owner)
    return row, True
