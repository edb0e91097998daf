"""What the database holds of the stored files."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.db import models
from django.db.models import Q


class Installation(models.Model):
    """The id that this database shares with its files (dashboard/storage/installation.py): at most one row."""

    number = models.PositiveSmallIntegerField(primary_key=True, default=1)
    id = models.UUIDField(default=uuid.uuid4)
    swept_at = models.DateTimeField(null=True, blank=True)  # as CAIRN_HOME has it, unless one of them is an older copy

    class Meta:
        constraints: ClassVar = [models.CheckConstraint(name="installation_is_one", condition=Q(number=1))]

    def __str__(self) -> str:
        return str(self.id)


class Removal(models.Model):
    """Stored files that are to be removed, by name: written with what removes their row, before the files go.

    ``key`` is a file or a folder, or ends with "-": then all files of that folder whose names begin so. ``done_at`` is
    when they were removed; a worker may have written another one since (dashboard/storage/removals.py).
    """

    key = models.CharField(max_length=255)
    requested_at = models.DateTimeField(auto_now_add=True)
    done_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes: ClassVar = [models.Index(fields=["done_at", "requested_at"], name="removal_by_time")]

    def __str__(self) -> str:
        return self.key
