"""Maps of areas: for a dataset, the region of a PMTiles archive on another host, fetched once after consent."""

import uuid
from collections.abc import Sequence
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q

from dashboard.datasets.models import Dataset
from dashboard.jobs.models import Job, State, job_constraints
from dashboard.maps.regions import Region
from dashboard.projects.access import ProjectQuerySet
from dashboard.storage.stored_path import StoredRow


class AreaMap(StoredRow, Job):
    """The map of a dataset's area: a job that fetches it, and from then on the file that is served."""

    TASK: ClassVar = "area_maps.fetch"
    STORED_IN: ClassVar = "area-maps"
    FILE_COLUMN: ClassVar = "data_file"
    RELATED: ClassVar = ("dataset",)
    OWNER: ClassVar = "dataset__owner"
    PROJECT: ClassVar = "dataset__project"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="area_maps")
    dataset = models.OneToOneField(Dataset, on_delete=models.CASCADE, related_name="area_map")
    host = models.CharField(max_length=255)  # that was agreed to; empty until another map is used
    region = models.JSONField()  # Region.as_dict: what the host learns
    data_file = models.CharField(max_length=80, default="", blank=True)
    size = models.BigIntegerField(default=0)
    zooms = models.JSONField(default=list, blank=True)  # the lowest and the closest
    bounds = models.JSONField(default=list, blank=True)  # west, south, east, north of its tiles, degrees
    vector = models.BooleanField(default=True)
    attribution = models.CharField(max_length=255, default="", blank=True)

    objects = ProjectQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["-created_at"]
        constraints: ClassVar = [
            *job_constraints("area_map"),
            models.CheckConstraint(
                name="area_map_done_has_data", condition=~Q(state=State.DONE) | ~Q(data_file="") & Q(size__gt=0)
            ),
        ]

    def __str__(self) -> str:
        return f"map of the area of {self.dataset_id}"

    @property
    def job_title(self) -> str:
        """What the list of jobs calls it."""
        return f"Map of the area, {self.dataset.name}"

    @property
    def page_url(self) -> str:
        """The page of its dataset."""
        return self.dataset.page_url

    @property
    def requested(self) -> Region:
        """The region that is requested."""
        return Region(**self.region)

    @property
    def requested_bounds(self) -> Sequence[float]:
        """West, south, east, north of that region in degrees."""
        return self.requested.bounds
