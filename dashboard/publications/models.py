"""Published releases: a public link each, and a copy of what is published that outlives the dataset."""

import secrets
import uuid
from base64 import urlsafe_b64encode
from datetime import UTC, datetime
from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.urls import reverse
from django.utils.crypto import salted_hmac

from dashboard.core.idempotency import one_per_key
from dashboard.core.keys import digest_of
from dashboard.datasets.models import Kind
from dashboard.projects.access import ProjectQuerySet
from dashboard.releases.models import Release, export_formats
from dashboard.storage.stored_path import StoredPath, StoredRow
from privacy_engine.datatypes import datatypes

SALT = "dashboard.publications.link"
LICENCES = {
    "CC-BY-4.0": ("CC BY 4.0", "https://creativecommons.org/licenses/by/4.0/"),
    "CC0-1.0": ("CC0 1.0", "https://creativecommons.org/publicdomain/zero/1.0/"),
    "ODbL-1.0": ("ODbL 1.0", "https://opendatacommons.org/licenses/odbl/1-0/"),
}
"""Titles of licences and where their texts are, by their SPDX identifiers; other terms are texts of the publisher."""


def make_nonce() -> str:
    """128 random bits of the operating system."""
    return secrets.token_hex(16)


class Publication(StoredRow, models.Model):
    """A release under a public link.

    ``facts`` are what the page shows beside the label; they and the files follow from what the release publishes. The
    link's token is an HMAC of ``nonce`` under the secret key: whoever reads the database alone cannot open the page.
    """

    OWNER: ClassVar = "owner"
    STORED_IN: ClassVar = "publications"
    PROJECT: ClassVar = "release__dataset__project"  # none once the release is discarded

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="publications")
    release = models.ForeignKey(
        Release, on_delete=models.SET_NULL, null=True, blank=True, related_name="publications"
    )  # null once it is discarded
    kind = models.CharField(max_length=20, choices=Kind.choices)
    mechanism = models.CharField(max_length=60)
    method = models.CharField(max_length=200)  # the title of the release: mechanism, steps and level
    file_stem = models.CharField(max_length=200)
    title = models.CharField(max_length=200, default="", blank=True)
    author = models.CharField(max_length=100, default="", blank=True)  # as readers see it; "" names no author
    licence = models.CharField(max_length=200, default="", blank=True)  # of LICENCES or other terms, "" without
    facts = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True)
    expires_on = models.DateField(null=True, blank=True)  # the last day, UTC
    nonce = models.CharField(max_length=32, default=make_nonce)
    digest = models.CharField(max_length=64, unique=True)
    idempotency_key = models.CharField(max_length=100, default="", blank=True)

    objects = ProjectQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["-created_at"]
        constraints: ClassVar = [
            one_per_key("publication"),
        ]

    def __str__(self) -> str:
        return self.shown_title

    @property
    def shown_title(self) -> str:
        """The public title, or the method where none was given."""
        return self.title or self.method

    @property
    def terms(self) -> tuple[str, str]:
        """The title of the licence and where its text is; other terms as they were entered, without an address."""
        return LICENCES.get(self.licence, (self.licence, ""))

    @property
    def token(self) -> str:
        """The token of the link, 256 bits; it differs from that given out if the secret key changed meanwhile."""
        made = salted_hmac(SALT, self.nonce, algorithm="sha256").digest()
        return urlsafe_b64encode(made).decode().rstrip("=")

    @property
    def path(self) -> str:
        """The path of the public page; empty where the secret key changed and the token cannot be computed again."""
        return reverse("publications:page", args=[self.token]) if digest_of(self.token) == self.digest else ""

    @property
    def expired(self) -> bool:
        """True after the last day of the link."""
        return self.expires_on is not None and self.expires_on < datetime.now(UTC).date()

    @property
    def formats(self) -> list[dict[str, Any]]:
        """Name, title, group and use of each format of its downloads."""
        return export_formats(self.kind)

    def file_name(self, fmt: str) -> str:
        """What its download in a format is called."""
        return f"{self.file_stem}.{datatypes[self.kind].exports[fmt].extension}"

    @property
    def first_file(self) -> str:
        """What its download in the first format is called."""
        return self.file_name(next(iter(datatypes[self.kind].exports)))

    @property
    def data_path(self) -> StoredPath:
        """What is published."""
        return self.folder / "data.parquet"

    def export_path(self, fmt: str) -> StoredPath:
        """The copy in a format, once it was downloaded."""
        return self.folder / f"export.{fmt}"

    @property
    def label_path(self) -> StoredPath:
        """The privacy label as JSON."""
        return self.folder / "label.json"
