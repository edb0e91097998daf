"""Landmark sets: which events of a dataset are landmarks."""

import uuid
from typing import ClassVar

from django.db import models
from django.db.models import F, Q

from dashboard import storage
from dashboard.datasets.models import Dataset
from privacy_engine.data import Mask
from privacy_engine.landmarks.synthetic import dataset_temporal_distance


class LandmarkSet(models.Model):
    """A mask over all events of a dataset, and the method that made it."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="landmark_sets")
    name = models.CharField(max_length=200)
    method = models.JSONField()
    packed = models.BinaryField()
    points = models.PositiveBigIntegerField()
    count = models.PositiveBigIntegerField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["-created_at"]
        constraints: ClassVar = [
            models.CheckConstraint(name="landmark_set_count_within_points", condition=Q(count__lte=F("points"))),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def mask(self) -> Mask:
        """True for each landmark event, over the whole dataset, (points,)."""
        return storage.unpack_mask(self.packed, self.points)

    @property
    def share(self) -> float:
        """Landmarks among all events, 0 to 1."""
        return self.count / self.points if self.points else 0.0

    @property
    def average_temporal_distance(self) -> float:
        """Mean distance in timestamps of the regular events of all series to the nearest landmark or end."""
        return dataset_temporal_distance(self.mask, self.dataset.series_lengths)
