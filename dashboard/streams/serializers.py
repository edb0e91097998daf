"""Live streams in the API."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from dashboard.core.errors import must_be
from dashboard.core.rest.components import DescriptionField
from dashboard.core.rest.parsing import Anything, Number, Whole
from dashboard.core.rest.row_fields import ObjectField, UrlsField
from dashboard.projects.serializers import PROJECT_HELP
from dashboard.streams.models import LiveStream, PublishedTimestamp
from dashboard.streams.selectors import MOST_AT_ONCE, MOST_COUNTS
from dashboard.streams.services import LONGEST_NAME, MOST_DIMENSIONS, live_spec, stream_names
from privacy_engine.errors import shown
from privacy_engine.mechanisms.base.mechanism import mechanisms


@extend_schema_field({"type": "string", "minLength": 1, "maxLength": LONGEST_NAME})
class NameField(Anything):
    """The name of a stream."""

    def to_internal_value(self, data: Any) -> str:
        if isinstance(data, str) and len(data.strip()) > 0 and len(data) <= LONGEST_NAME:
            return data
        raise must_be("name", f"a text of 1 to {LONGEST_NAME} characters", data, got=f"{shown(data)!r}")


@extend_schema_field(
    {
        "type": "array",
        "minItems": 1,
        "maxItems": MOST_DIMENSIONS,
        "items": {"type": "string", "minLength": 1, "maxLength": LONGEST_NAME},
    }
)
class NamesField(Anything):
    """The names of the dimensions of a stream."""

    def to_internal_value(self, data: Any) -> list[str]:
        if not isinstance(data, list):
            raise must_be("dimensions", "a list of names", data, got=f"{shown(data)!r}")
        return stream_names(data)


class StreamRequest(serializers.Serializer[Any]):
    """What to open: names of the dimensions, and a stream mechanism."""

    name = NameField()
    dimensions = NamesField()
    mechanism = DescriptionField(mechanisms.of("stream"))
    step = Number(
        allow_null=True,
        default=None,
        help_text="What lies between two timestamps, in seconds where times are instants; left out: anything.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Return it with ``spec`` in place of ``mechanism``."""
        return attrs | {"spec": live_spec(attrs.pop("mechanism").model_dump())}


EVENTS = {
    "type": "array",
    "minItems": 1,
    "items": {
        "type": "object",
        "required": ["time", "counts"],
        "properties": {
            "time": {"oneOf": [{"type": "number"}, {"type": "string", "format": "date-time"}]},
            "counts": {
                "oneOf": [
                    {"type": "array", "items": {"type": "integer", "minimum": 0}},
                    {"type": "object", "additionalProperties": {"type": "integer", "minimum": 0}},
                ]
            },
        },
    },
}
"""A list of events in the API's schema; each has its own rules."""


class EventsRequest(serializers.Serializer[Any]):
    """The counts of one timestamp or of several, in the order of time."""

    events = Anything(EVENTS)

    def validate_events(self, value: Any) -> list[Any]:
        """Return the list."""
        if not isinstance(value, list):
            raise must_be("events", "a list of events")
        return value


class EventsQuery(serializers.Serializer[Any]):
    """Which published timestamps to list: from position ``after`` on."""

    after = Whole(default=0, min_value=0, help_text="The first position, from 0.")
    limit = Whole(
        default=MOST_AT_ONCE,
        min_value=1,
        max_value=MOST_AT_ONCE,
        help_text=f"Timestamps at most; a response has at most {MOST_COUNTS:,} counts, thus fewer of many dimensions.",
    )


class TimestampSerializer(serializers.Serializer[PublishedTimestamp]):
    """What was published of one timestamp."""

    position = serializers.IntegerField(help_text="From 0.")
    time = serializers.CharField(source="label", help_text="As it was sent.")
    counts = serializers.ListField(child=serializers.FloatField(), source="numbers")
    budget = serializers.FloatField(help_text="The ε that it spent.")
    published_at = serializers.DateTimeField()


class PublishedSerializer(TimestampSerializer):
    """A published timestamp in the response to its request."""

    repeated = serializers.BooleanField(help_text="True where it was published by an earlier request.")


class TimestampsSerializer(serializers.Serializer[Any]):
    """Some published timestamps, and how many there are."""

    published = serializers.IntegerField()
    state = serializers.CharField()
    window_spent = serializers.FloatField()
    results = TimestampSerializer(many=True)


class PublishResponse(serializers.Serializer[Any]):
    """What was published of each event of a request."""

    published = serializers.IntegerField(help_text="Timestamps published up to now.")
    results = PublishedSerializer(many=True)


class StreamChangeRequest(serializers.Serializer[Any]):
    """Which project it is in."""

    project = serializers.UUIDField(allow_null=True, help_text=PROJECT_HELP)


class StreamSerializer(serializers.ModelSerializer[LiveStream]):
    """A live stream as its owner sees it."""

    project = serializers.UUIDField(source="project_id", allow_null=True)
    mechanism = ObjectField(source="spec.mechanism")
    urls = UrlsField("stream", "events", "live", "data", description="Addresses of a live stream.")

    class Meta:
        model = LiveStream
        fields = (
            *("id", "name", "project", "dimensions", "mechanism", "step", "state"),
            *("published", "last_label", "window_spent"),
            *("engine_version", "created_at", "changed_at", "urls"),
        )
