"""REST API of the audits app."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from dashboard.audits import files, services
from dashboard.audits.models import Audit
from dashboard.audits.serializers import AuditRequest, AuditSerializer
from dashboard.core.rest.parsing import valid
from dashboard.jobs.viewsets import Download, JobFilter, JobViewSet, download_action


class AuditViewSet(JobViewSet[Audit]):
    """Audits: lower bounds of a mechanism's ε from draws alone, beside its claim."""

    serializer_class = AuditSerializer
    filterset_class = JobFilter
    queryset = Audit.objects.none()
    visible_to = Audit.objects.visible_to

    @extend_schema(request=AuditRequest, responses={201: AuditSerializer})
    def create(self, request: Request) -> Response:
        """Start an audit; a worker runs it."""
        row = services.submit_audit(owner=request.user, spec=valid(AuditRequest, request.data)["spec"])
        return Response(self.get_serializer(row).data, status=201)

    @download_action({name: media_type for name, (media_type, _) in files.FORMATS.items()}, default="json")
    def data(self, fmt: str) -> Download:
        """Download the result: as JSON, or as CSV with a row for each pair."""
        return files.export(self.finished_object(), fmt)
