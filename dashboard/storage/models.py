"""What is known of stored files: their digests, and when they were last compared."""

from __future__ import annotations

from typing import ClassVar

from django.db import models


class StoredFile(models.Model):
    """A stored file as it was written. One without a row, or without a digest, was stored before digests were kept."""

    name = models.CharField(max_length=255, unique=True)  # below CAIRN_HOME, or the prefix in the bucket
    folder = models.CharField(max_length=255, db_index=True)  # that the name is in: what is deleted together
    size = models.BigIntegerField(default=0)
    sha256 = models.CharField(max_length=64, default="", blank=True)
    stored_at = models.DateTimeField(null=True, blank=True)  # null: before digests were kept
    checked_at = models.DateTimeField(null=True, blank=True, db_index=True)
    damaged_at = models.DateTimeField(null=True, blank=True)  # when its damage was found; null: none is known

    class Meta:
        indexes: ClassVar = [
            models.Index(
                fields=["damaged_at"], condition=models.Q(damaged_at__isnull=False), name="stored_file_damaged"
            )
        ]

    def __str__(self) -> str:
        return self.name
