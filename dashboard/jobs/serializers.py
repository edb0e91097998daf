"""Fields of jobs that the API views of every kind of job share."""

from typing import Any, TypeVar

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from dashboard.core.rest.parsing import FailureField
from dashboard.jobs.models import Job, State
from dashboard.jobs.positions import positions

Row = TypeVar("Row", bound=Job)


@extend_schema_field({"type": "integer", "nullable": True, "minimum": 1})
class QueuePositionField(serializers.Field[Any, Any, Any, Any]):
    """The place in the queue, from 1; null where the job does not wait. A list counts the queue once."""

    def __init__(self, **kwargs: Any) -> None:
        text = "The place in the queue, from 1; null where it does not wait."
        super().__init__(source="*", read_only=True, help_text=text, **kwargs)

    def to_representation(self, value: Job) -> int | None:
        if value.state != State.QUEUED:
            return None
        if "queue_positions" not in self.context:
            self.context["queue_positions"] = positions()
        position: int | None = self.context["queue_positions"].get(value.pk)
        return position


class JobRowSerializer(serializers.ModelSerializer[Row]):
    """What the representation of a job has of its work."""

    eta_s = serializers.FloatField(source="seconds_left", allow_null=True)
    queue_position = QueuePositionField()
    error = FailureField()
