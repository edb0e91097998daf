"""Audits of mechanisms. They draw on inputs of their own and read no dataset."""

import uuid
from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q

from dashboard.jobs.models import Job, State, job_constraints
from privacy_engine.audit import AuditSpec, claimed_per
from privacy_engine.registry import stored


class Audit(Job):
    """One audit: its spec, and once it is done the result."""

    TASK: ClassVar = "audits.run"
    QUEUE: ClassVar = "batch"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="audits")
    name = models.CharField(max_length=200)
    spec = models.JSONField()
    result = models.JSONField(null=True, blank=True)
    engine_version = models.CharField(max_length=40, default="", blank=True)

    class Meta:
        ordering: ClassVar = ["-created_at"]
        constraints: ClassVar = [
            *job_constraints("audit"),
            models.CheckConstraint(
                name="audit_done_has_result", condition=~Q(state=State.DONE) | Q(result__isnull=False)
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def parsed_spec(self) -> AuditSpec:
        """The spec this row stores."""
        return AuditSpec.parse(self.spec)

    @property
    def claimed_per(self) -> str:
        """What the ε of the result is claimed for, any of these."""
        with stored():
            return claimed_per(self.parsed_spec)

    @property
    def trials(self) -> int:
        """Draws of each input."""
        return int(self.spec["trials"])

    @property
    def violated(self) -> bool:
        """True where the audit is done and refutes the claim."""
        return self.result is not None and self.result["verdict"] == "violated"

    @property
    def outcome(self) -> dict[str, Any] | None:
        """The result once there is any."""
        return self.result if self.state == State.DONE else None
