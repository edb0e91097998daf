"""Exports of accounts: a job, and the ZIP that it makes."""

import uuid
from datetime import datetime, timedelta
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse

from dashboard.jobs.models import Job, State, job_constraints
from dashboard.storage.stored_path import StoredPath, StoredRow


class AccountExport(StoredRow, Job):
    """An export. Its file is deleted some time after it was made, and whenever a new export is requested."""

    TASK: ClassVar = "account_data.export"
    QUEUE: ClassVar = "batch"
    STORED_IN: ClassVar = "accountexports"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="account_exports")
    size_bytes = models.BigIntegerField(null=True, blank=True)
    sha256 = models.CharField(max_length=64, default="", blank=True)
    left_out = models.JSONField(default=list, blank=True)  # paths of what was deleted while it was packed

    class Meta:
        ordering: ClassVar = ["-created_at"]
        constraints: ClassVar = [
            *job_constraints("accountexport"),
            models.CheckConstraint(
                name="accountexport_done_has_file",
                condition=~Q(state=State.DONE) | Q(size_bytes__isnull=False) & ~Q(sha256=""),
            ),
        ]

    def __str__(self) -> str:
        return "Export of the account"

    @property
    def page_url(self) -> str:
        """The page that shows it."""
        return reverse("accountexports:list")

    @property
    def path(self) -> StoredPath:
        """The stored ZIP."""
        return self.folder / "export.zip"

    @property
    def expires_at(self) -> datetime | None:
        """When it is deleted; None as long as it is not done."""
        return self.finished_at and self.finished_at + timedelta(hours=settings.CAIRN_EXPORT_HOURS)
