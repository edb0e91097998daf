"""Landmark sets: which events of a dataset are landmarks."""

import uuid
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.urls import reverse

from dashboard.core.computing import computed_where
from dashboard.datasets.models import Dataset
from dashboard.projects.access import ProjectQuerySet
from dashboard.storage import parquet
from privacy_engine.core.arrays import Mask
from privacy_engine.landmarks.synthetic import dataset_temporal_distance


class LandmarkSet(models.Model):
    """A mask over all events of a dataset, and the method that made it.

    One with dummies has the ``source`` they were added to; ``selection`` reveals the landmarks: for their owner only.
    ``earlier`` names the release that decided which events are landmarks, and what it spent on them per metre.
    """

    OWNER: ClassVar = "dataset__owner"
    PROJECT: ClassVar = "dataset__project"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="landmark_sets")
    name = models.CharField(max_length=200)
    method = models.JSONField()
    packed = models.BinaryField()
    points = models.PositiveBigIntegerField()
    count = models.PositiveBigIntegerField()
    count_per_person = models.PositiveBigIntegerField(null=True)  # the most that anyone has; null: not counted yet
    source = models.ForeignKey(
        "self", on_delete=models.RESTRICT, related_name="with_dummies", null=True, blank=True, editable=False
    )
    selection = models.JSONField(null=True, blank=True)
    earlier = models.JSONField(null=True, blank=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = ProjectQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["-created_at"]
        constraints: ClassVar = [
            models.CheckConstraint(name="landmark_set_count_within_points", condition=Q(count__lte=F("points"))),
            models.CheckConstraint(
                name="landmark_set_source_with_selection",
                condition=Q(source__isnull=True, selection__isnull=True)
                | Q(source__isnull=False, selection__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def page_url(self) -> str:
        """Its page."""
        return reverse("landmarks:detail", args=[self.pk])

    @property
    def mask(self) -> Mask:
        """True for each landmark event, over the whole dataset, (points,)."""
        return parquet.unpack_mask(self.packed, self.points)

    @property
    def share(self) -> float:
        """Landmarks among all events, 0 to 1."""
        return self.count / self.points if self.points else 0.0

    @property
    def average_temporal_distance(self) -> float | None:
        """Mean distance in timestamps of the regular events of all series to the nearest landmark or end.

        None where the file of points is gone.
        """
        try:
            return _average_distance(self)
        except FileNotFoundError:
            return None


@computed_where(lambda landmark_set: landmark_set.dataset.is_large)
def _average_distance(landmark_set: LandmarkSet) -> float:
    return dataset_temporal_distance(landmark_set.mask, landmark_set.dataset.series_lengths)


class DummyDraw(models.Model):
    """One draw of dummies from the operating system. Never changed, never deleted; it outlives the sets it made.

    ``source_digest`` is a keyed hash of the points and the landmarks, so that a copy of a set is the same source.
    """

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="dummy_draws")
    source_digest = models.CharField(max_length=64, db_index=True)
    method = models.CharField(max_length=60)
    epsilon = models.FloatField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["created_at"]

    def __str__(self) -> str:
        return f"{self.method}, ε = {self.epsilon:g}"
