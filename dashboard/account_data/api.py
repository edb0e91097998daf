"""REST API of account data: exports."""

from django.urls import reverse
from rest_framework import serializers

from dashboard.account_data import services
from dashboard.account_data.models import AccountExport
from dashboard.core.errors import require_format
from dashboard.core.filenames import file_name
from dashboard.core.rest.operations import operation
from dashboard.core.rest.row_fields import PAGE, Address, UrlsField
from dashboard.jobs.models import State
from dashboard.jobs.serializers import JobRowSerializer
from dashboard.jobs.viewsets import Download, JobViewSet, download_action


def _data_url(row: AccountExport) -> str | None:
    return reverse("api:accountexport-data", args=[row.pk]) if row.state == State.DONE else None


ADDRESSES = {"data": Address(_data_url, "The ZIP, once it is done."), **PAGE}


class AccountExportSerializer(JobRowSerializer[AccountExport]):
    """An export of the account as its owner sees it."""

    expires_at = serializers.DateTimeField(allow_null=True, help_text="When the file is deleted.")
    left_out = serializers.ListField(
        child=serializers.CharField(), help_text="What was deleted while the export was packed, by paths in the ZIP."
    )
    urls = UrlsField(
        "accountexport", others=ADDRESSES, description="Addresses of an export.", component="AccountExportUrls"
    )

    class Meta:
        model = AccountExport
        fields = (
            *("id", "state", "stage", "progress", "eta_s", "queue_position", "attempt", "cancel_requested", "error"),
            *("size_bytes", "sha256", "left_out", "created_at", "started_at", "finished_at", "expires_at", "urls"),
        )


class AccountExportViewSet(JobViewSet[AccountExport]):
    """Exports of the account: all that is stored of it as one ZIP, with the originals."""

    serializer_class = AccountExportSerializer
    visible_to = staticmethod(services.visible_exports)

    @operation(returns=AccountExportSerializer, status=201)
    def create(self) -> AccountExport:
        """Start an export; a worker packs it. The one before is deleted."""
        return services.request_export(owner=self.request.user)

    def perform_destroy(self, instance: AccountExport) -> None:
        services.delete_export(export=instance)

    @download_action({"zip": "application/zip"}, default="zip")
    def data(self, fmt: str) -> Download:
        """Download the ZIP."""
        row = self.finished_object()
        require_format(fmt, ["zip"])
        name = file_name("cairn", row.owner.get_username(), f"{row.finished_at:%Y-%m-%d}", extension="zip")
        return row.path.open(), "application/zip", name
