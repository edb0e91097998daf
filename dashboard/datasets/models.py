"""Datasets and the budget ledger of their content. Points live in a file, never in rows."""

import uuid
from pathlib import Path
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from dashboard import storage
from dashboard.jobs import Job, State, job_constraints


class Kind(models.TextChoices):
    """What sort of data a dataset holds; mechanisms, pictures and metrics follow from it through the registry."""

    TRAJECTORY = "trajectory", "Trajectories"


class Dataset(Job):
    """What came in. Its series lie end to end in one file; an event's number counts over the whole dataset."""

    SUCCEEDED = State.READY

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="datasets")
    name = models.CharField(max_length=200)
    kind = models.CharField(max_length=20, choices=Kind.choices, default=Kind.TRAJECTORY)
    file_name = models.CharField(max_length=255, default="", blank=True)
    size_bytes = models.BigIntegerField(default=0)
    options = models.JSONField(default=dict, blank=True)
    cleaning = models.JSONField(default=list, blank=True)  # steps between the file as it was read and the points
    report = models.JSONField(null=True, blank=True)
    points = models.PositiveBigIntegerField(default=0)
    summary = models.JSONField(null=True, blank=True)  # series, bounds, span, length: facts to show
    points_file = models.CharField(max_length=80, default="", blank=True)
    content_digest = models.CharField(max_length=64, default="", blank=True, db_index=True)
    sample = models.BooleanField(default=False)

    class Meta:
        ordering: ClassVar = ["-created_at"]
        constraints: ClassVar = [
            *job_constraints("dataset"),
            models.CheckConstraint(
                name="dataset_ready_has_points_file",
                condition=~Q(state=State.READY) | ~Q(points_file="") & ~Q(content_digest="") & Q(points__gt=0),
            ),
            models.CheckConstraint(name="dataset_known_kind", condition=Q(kind__in=Kind.values)),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def folder(self) -> Path:
        """Where its files lie."""
        return storage.dataset_dir(self.pk)

    @property
    def original_path(self) -> Path:
        """The upload as it came, kept so that it can be read again in another way."""
        return self.folder / "original"

    @property
    def points_path(self) -> Path:
        """The points as they were understood."""
        return self.folder / self.points_file

    @property
    def series_lengths(self) -> list[int]:
        """Events of each series, in order."""
        return [one["points"] for one in (self.summary or {}).get("series", [])]

    @property
    def has_time(self) -> bool:
        """True if its events have times."""
        return bool((self.summary or {}).get("has_time"))

    @property
    def has_landmark_column(self) -> bool:
        """True if its file said of each event whether it is a landmark."""
        return (self.summary or {}).get("marked") is not None


class Upload(models.Model):
    """A file on its way in, piece by piece; a dataset is made of it once it is whole.

    ``received`` bytes of ``length`` lie in a file of its own. Who loses the connection goes on from there.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="uploads")
    file_name = models.CharField(max_length=255, default="", blank=True)
    length = models.PositiveBigIntegerField()
    received = models.PositiveBigIntegerField(default=0)
    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    touched_at = models.DateTimeField(auto_now_add=True, db_index=True)

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(name="upload_received_within_length", condition=Q(received__lte=F("length"))),
        ]

    def __str__(self) -> str:
        return f"upload {self.pk}"

    @property
    def path(self) -> Path:
        """Where its bytes lie."""
        return storage.home("uploads") / str(self.pk)


class Budget(models.Model):
    """What the releases of one content have leaked so far, and may leak.

    Keyed by owner and content, so a second upload of the same points shares it and deleting the dataset does not
    forget it. Amounts are integer micro-ε per kilometre: a release with level ε within r metres leaks ε·1000/r per km.
    """

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="budgets")
    content_digest = models.CharField(max_length=64)
    spent = models.BigIntegerField(default=0)
    total = models.BigIntegerField(null=True, blank=True)
    total_epsilon = models.FloatField(null=True, blank=True)  # the total as the owner wrote it
    total_radius_m = models.FloatField(null=True, blank=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["owner", "content_digest"], name="budget_one_per_content"),
            models.CheckConstraint(name="budget_spent_not_negative", condition=Q(spent__gte=0)),
            models.CheckConstraint(
                name="budget_spent_within_total", condition=Q(total__isnull=True) | Q(spent__lte=F("total"))
            ),
        ]

    def __str__(self) -> str:
        return f"budget {self.pk}"


class BudgetEntry(models.Model):
    """One charge or refund. Never changed, never deleted; it outlives the release it stands for."""

    budget = models.ForeignKey(Budget, on_delete=models.CASCADE, related_name="entries")
    release_id = models.UUIDField(db_index=True)
    mechanism = models.CharField(max_length=60)
    level = models.CharField(max_length=20)
    amount = models.BigIntegerField()
    epsilon = models.FloatField()
    radius_m = models.FloatField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["created_at"]
        constraints: ClassVar = [
            models.CheckConstraint(name="budget_entry_not_zero", condition=~Q(amount=0)),
            models.UniqueConstraint(
                fields=["release_id"], condition=Q(amount__gt=0), name="budget_entry_one_charge_per_release"
            ),
            models.UniqueConstraint(
                fields=["release_id"], condition=Q(amount__lt=0), name="budget_entry_one_refund_per_release"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.amount:+d} for {self.release_id}"
