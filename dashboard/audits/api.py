"""REST API of the audits app."""

from __future__ import annotations

from typing import Any

from django.http import FileResponse
from django_filters import rest_framework as filters
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import mixins, viewsets
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from dashboard.audits import files, selectors, services
from dashboard.audits.models import Audit
from dashboard.audits.serializers import AuditRequest, AuditSerializer
from dashboard.core.errors import require_state
from dashboard.core.rest.parsing import AnyAccept, JSONBody, attachment, file_body, valid
from dashboard.jobs.models import State


class AuditFilter(filters.FilterSet):
    """By state."""

    state = filters.ChoiceFilter(choices=[choice for choice in State.choices if choice[0] != State.READY])

    class Meta:
        model = Audit
        fields = ("state",)


class AuditViewSet(
    mixins.ListModelMixin, mixins.RetrieveModelMixin, mixins.DestroyModelMixin, viewsets.GenericViewSet[Audit]
):
    """Audits: lower bounds of a mechanism's ε from draws alone, beside its claim."""

    serializer_class = AuditSerializer
    filterset_class = AuditFilter
    parser_classes = (JSONBody,)
    queryset = Audit.objects.none()

    def get_queryset(self) -> Any:
        return selectors.visible_audits(self.request.user)

    @extend_schema(request=AuditRequest, responses={201: AuditSerializer})
    def create(self, request: Request) -> Response:
        """Start an audit; a worker runs it."""
        row = services.submit_audit(owner=request.user, spec=valid(AuditRequest, request.data)["spec"])
        return Response(self.get_serializer(row).data, status=201)

    @extend_schema(request=None, responses={200: AuditSerializer})
    @action(detail=True, methods=["post"])
    def cancel(self, request: Request, pk: Any = None) -> Response:
        """Stop it: at once if it waits, within a lease if it runs."""
        services.cancel_audit(audit=self.get_object())
        return Response(self.get_serializer(self.get_object()).data)

    @extend_schema(request=None, responses={200: AuditSerializer})
    @action(detail=True, methods=["post"])
    def retry(self, request: Request, pk: Any = None) -> Response:
        """Run it again, after it failed or was cancelled."""
        return Response(self.get_serializer(services.retry_audit(audit=self.get_object())).data)

    def perform_destroy(self, instance: Audit) -> None:
        services.delete_audit(audit=instance)

    @extend_schema(
        parameters=[OpenApiParameter("format", str, enum=list(files.FORMATS), default="json")],
        responses={(200, media_type): file_body(media_type) for media_type, _ in files.FORMATS.values()},
        filters=False,
    )
    @action(detail=True, content_negotiation_class=AnyAccept)
    def data(self, request: Request, pk: Any = None) -> FileResponse:
        """Download the result: as JSON, or as CSV with a row for each pair."""
        row = self.get_object()
        require_state(row, State.DONE, "audit")
        return attachment(*files.export(row, request.query_params.get("format", "json")))
