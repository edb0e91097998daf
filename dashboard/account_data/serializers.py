"""Exports of an account in the API."""

from typing import Any

from django.urls import reverse
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from dashboard.account_data.models import AccountExport
from dashboard.jobs.models import State
from dashboard.jobs.serializers import JobRowSerializer


class AccountExportUrls(serializers.Serializer[Any]):
    """Addresses of an export."""

    self = serializers.CharField()
    data = serializers.CharField(allow_null=True, help_text="The ZIP, once it is done.")
    page = serializers.CharField()


class AccountExportSerializer(JobRowSerializer[AccountExport]):
    """An export of the account as its owner sees it."""

    expires_at = serializers.DateTimeField(allow_null=True, help_text="When the file is deleted.")
    left_out = serializers.ListField(
        child=serializers.CharField(), help_text="What was deleted while the export was packed, by paths in the ZIP."
    )
    urls = serializers.SerializerMethodField()

    class Meta:
        model = AccountExport
        fields = (
            *("id", "state", "stage", "progress", "eta_s", "queue_position", "attempt", "cancel_requested", "error"),
            *("size_bytes", "sha256", "left_out", "created_at", "started_at", "finished_at", "expires_at", "urls"),
        )

    @extend_schema_field(AccountExportUrls)
    def get_urls(self, row: AccountExport) -> dict[str, str | None]:
        return {
            "self": reverse("api:accountexport-detail", args=[row.pk]),
            "data": reverse("api:accountexport-data", args=[row.pk]) if row.state == State.DONE else None,
            "page": row.page_url,
        }
