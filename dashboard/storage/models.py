"""What the database holds of the stored files."""

import hmac
import uuid
from typing import ClassVar

from django.db import models
from django.db.models import Q

from dashboard.core.keys import derived_key
from dashboard.storage.read_cache import Content

PURPOSE = "stored file 1"


class Installation(models.Model):
    """The id that this database shares with its files (dashboard/storage/installation.py): at most a single row."""

    number = models.PositiveSmallIntegerField(primary_key=True, default=1)
    id = models.UUIDField(default=uuid.uuid4)
    swept_at = models.DateTimeField(null=True, blank=True)  # as CAIRN_HOME has it, unless either is an older copy

    class Meta:
        constraints: ClassVar = [models.CheckConstraint(name="installation_is_one", condition=Q(number=1))]

    def __str__(self) -> str:
        return str(self.id)


class Removal(models.Model):
    """Stored files that are to be removed, by name: written with what removes their row, before the files go.

    ``key`` is a file or a folder, or ends with "-": then all files of that folder whose names begin so. ``done_at`` is
    when they were removed; a worker may have written another since (dashboard/storage/removals.py).
    """

    key = models.CharField(max_length=255)
    requested_at = models.DateTimeField(auto_now_add=True)
    done_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes: ClassVar = [models.Index(fields=["done_at", "requested_at"], name="removal_by_time")]

    def __str__(self) -> str:
        return self.key


class StoredFile(models.Model):
    """A stored file as it was written. One without a row, or without a digest, was stored before digests were kept."""

    name = models.CharField(max_length=255, unique=True)  # below CAIRN_HOME, or the prefix in the bucket
    folder = models.CharField(max_length=255, db_index=True)  # that the name is in: what is deleted together
    size = models.BigIntegerField(default=0)
    digest = models.CharField(max_length=80, default="", blank=True)  # of digest_of; empty: not known
    stored_at = models.DateTimeField(null=True, blank=True)  # null: before digests were kept
    checked_at = models.DateTimeField(null=True, blank=True, db_index=True)
    damaged_at = models.DateTimeField(null=True, blank=True)  # when its damage was detected; null: none is known

    class Meta:
        indexes: ClassVar = [
            models.Index(fields=["damaged_at"], condition=Q(damaged_at__isnull=False), name="stored_file_damaged")
        ]

    def __str__(self) -> str:
        return self.name

    @staticmethod
    def digest_of(content: Content) -> str:
        """The keyed SHA-256 of a file, after the name of the key: without the key no guess of a file can be tested."""
        return f"{_key_name()}-{hmac.digest(derived_key(PURPOSE), content.sha256.encode(), 'sha256').hex()}"

    @property
    def has_digest(self) -> bool:
        """Whether its digest is known, and can be compared by the key of this installation."""
        return self.digest.startswith(f"{_key_name()}-")

    def is_of(self, content: Content) -> bool:
        """Whether this is what was stored."""
        return self.size == content.size and hmac.compare_digest(self.digest, self.digest_of(content))


def _key_name() -> str:
    return derived_key(f"{PURPOSE} name").hex()[:8]
