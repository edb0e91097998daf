"""REST API of account data: exports."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from dashboard.account_data import selectors, services
from dashboard.account_data.models import AccountExport
from dashboard.account_data.serializers import AccountExportSerializer
from dashboard.core.errors import require_format
from dashboard.core.filenames import file_name
from dashboard.jobs.viewsets import Download, JobFilter, JobViewSet, download_action


class AccountExportViewSet(JobViewSet[AccountExport]):
    """Exports of the account: all that is stored of it as one ZIP, with the originals."""

    serializer_class = AccountExportSerializer
    filterset_class = JobFilter
    queryset = AccountExport.objects.none()
    visible_to = staticmethod(selectors.visible_exports)

    @extend_schema(request=None, responses={201: AccountExportSerializer})
    def create(self, request: Request) -> Response:
        """Start an export; a worker packs it. The one before is deleted."""
        return Response(self.get_serializer(services.request_export(owner=request.user)).data, status=201)

    def perform_destroy(self, instance: AccountExport) -> None:
        services.delete_export(export=instance)

    @download_action({"zip": "application/zip"}, default="zip")
    def data(self, fmt: str) -> Download:
        """Download the ZIP."""
        row = self.finished_object()
        require_format(fmt, ["zip"])
        name = file_name("cairn", row.owner.get_username(), f"{row.finished_at:%Y-%m-%d}", extension="zip")
        return row.path.open(), "application/zip", name
