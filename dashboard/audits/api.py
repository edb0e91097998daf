"""REST API of the audits app."""

from collections.abc import Mapping
from typing import Any

from drf_spectacular.types import OpenApiTypes
from rest_framework import serializers

from dashboard.audits import files, services
from dashboard.audits.models import Audit
from dashboard.core.rest.operations import operation
from dashboard.core.rest.parsing import Anything
from dashboard.core.rest.row_fields import ObjectField, UrlsField
from dashboard.jobs.serializers import JobRowSerializer
from dashboard.jobs.viewsets import Download, JobViewSet, download_action
from privacy_engine.audit import AuditSpec, completed
from privacy_engine.errors import ParameterError, ParameterErrors

TRIALS = {"type": "integer", "minimum": 1000, "maximum": 1_000_000, "default": 100_000}


class AuditRequest(serializers.Serializer[Any]):
    """What to audit, and by how many draws of each input."""

    mechanism = Anything(
        OpenApiTypes.OBJECT,
        help_text="As in a release; its name may also be control:half-noise:NAME, control:twice-budget:NAME or "
        "control:numpy-laplace. What is left out beside ε and the radius is the parameter's example.",
    )
    trials = Anything(TRIALS, default=100_000)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Return ``{"spec": AuditSpec}``, its mechanism complete; the engine's errors go to the client."""
        described = attrs["mechanism"]
        if not isinstance(described, Mapping):
            rule = "must be an object"
            raise ParameterErrors([ParameterError(f"mechanism {rule}", field="mechanism", rule=rule)])
        spec = AuditSpec.parse({"mechanism": completed(described)[0], "trials": attrs["trials"]})
        spec.target(field="mechanism")
        return {"spec": spec}


class AuditPairSerializer(serializers.Serializer[Any]):
    """A pair of neighbouring inputs; claimed and lower_bound are log-odds between the two."""

    name = serializers.CharField()
    claimed = serializers.FloatField()
    lower_bound = serializers.FloatField()
    best_event = serializers.CharField()
    verdict = serializers.ChoiceField(choices=["consistent", "violated"])


class AuditResultSerializer(serializers.Serializer[Any]):
    """A result; claimed and lower_bound are ε per radius, window, user or check-in."""

    mechanism = serializers.CharField()
    claimed = serializers.FloatField()
    lower_bound = serializers.FloatField()
    confidence = serializers.FloatField()
    trials = serializers.IntegerField()
    pairs = AuditPairSerializer(many=True)
    verdict = serializers.ChoiceField(choices=["consistent", "violated"])


class AuditSerializer(JobRowSerializer[Audit]):
    """An audit as its owner sees it."""

    mechanism = ObjectField(source="spec.mechanism")
    trials = serializers.IntegerField()
    result = AuditResultSerializer(source="outcome", allow_null=True)
    urls = UrlsField("audit", "data", description="Addresses of an audit.")

    class Meta:
        model = Audit
        fields = (
            *("id", "name", "mechanism", "trials", "result", "state", "stage", "progress", "eta_s", "queue_position"),
            *("attempt", "cancel_requested", "error", "created_at", "started_at", "finished_at"),
            *("engine_version", "urls"),
        )


class AuditViewSet(JobViewSet[Audit]):
    """Audits: lower bounds of a mechanism's ε from draws alone, beside its claim."""

    serializer_class = AuditSerializer
    visible_to = Audit.objects.visible_to

    @operation(AuditRequest, AuditSerializer, status=201)
    def create(self, spec: AuditSpec) -> Audit:
        """Start an audit; a worker runs it."""
        return services.submit_audit(owner=self.request.user, spec=spec)

    @download_action({name: media_type for name, (media_type, _) in files.FORMATS.items()}, default="json")
    def data(self, fmt: str) -> Download:
        """Download the result: as JSON, or as CSV with a row for each pair."""
        return files.export(self.finished_object(), fmt)
