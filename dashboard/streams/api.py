"""REST API of live streams: open a stream, publish the counts of its timestamps, read what was published."""

from typing import Any

from django.http import HttpResponse, HttpResponseBase
from django.urls import reverse
from django_filters import rest_framework as filters
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.decorators import action
from rest_framework.exceptions import Throttled
from rest_framework.request import Request
from rest_framework.response import Response

from dashboard.core.idempotency import sent_key
from dashboard.core.rest.operations import idempotency_key, operation, requested, row_action
from dashboard.core.rest.parsing import AnyAccept, valid
from dashboard.core.rest.views import RowViewSet
from dashboard.jobs.viewsets import Download, download_action
from dashboard.projects.services import move_row
from dashboard.streams import exports, live, selectors, services
from dashboard.streams.models import LiveStream, StreamState
from dashboard.streams.serializers import (
    EventsQuery,
    EventsRequest,
    PublishResponse,
    StreamChangeRequest,
    StreamRequest,
    StreamSerializer,
    TimestampSerializer,
    TimestampsSerializer,
)

IDEMPOTENCY_KEY = idempotency_key()


class StreamFilter(filters.FilterSet):
    """By state, mechanism and project."""

    state = filters.ChoiceFilter(choices=StreamState.choices)
    project = filters.UUIDFilter(field_name="project_id", help_text="In this project.")

    class Meta:
        model = LiveStream
        fields = ("state", "mechanism")


class StreamViewSet(RowViewSet[LiveStream]):
    """Live streams: counts come in one timestamp after the other, and what is published of each is the response."""

    serializer_class = StreamSerializer
    filterset_class = StreamFilter
    visible_to = staticmethod(selectors.visible_streams)

    @operation(StreamRequest, StreamSerializer, status=(200, 201), parameters=[IDEMPOTENCY_KEY])
    def create(self, **params: Any) -> tuple[LiveStream, bool]:
        """Open a stream. With an Idempotency-Key, an equal request returns the same stream with status 200."""
        owner = self.request.user
        return services.open_stream(owner=owner, idempotency_key=sent_key(self.request, owner.pk), **params)

    @operation(StreamChangeRequest, StreamSerializer, row=requested)
    def partial_update(self, row: LiveStream, project: Any) -> LiveStream:
        """Put it into a project, which shares it, or take it out."""
        move_row(user=self.request.user, row=row, project=project)
        return row

    def perform_destroy(self, instance: LiveStream) -> None:
        services.delete_stream(stream=instance)

    @extend_schema(
        methods=["GET"],
        parameters=[EventsQuery],
        responses={200: TimestampsSerializer},
        filters=False,
        operation_id="streams_events_list",
    )
    @extend_schema(
        methods=["POST"],
        request=EventsRequest,
        responses={200: PublishResponse, 201: PublishResponse},
        parameters=[IDEMPOTENCY_KEY],
    )
    @action(detail=True, methods=["get", "post"], pagination_class=None, unsafe_scope="publish")
    def events(self, request: Request, pk: Any = None) -> Response:
        """Publish the counts of one timestamp or of several; or list what was published.

        A request with an Idempotency-Key can be sent again: a key that this user sent to this stream before returns
        what that request published (200), and the body is not read. Without it, a request with a time that is not after
        the last one published is refused with 409, whatever its counts are: they are not read, and the error has what
        was published of its times. A stream that is paused or closed refuses every request with 409. A request is
        published as a whole or not at all.
        """
        row = self.get_object()
        if request.method == "GET":
            return self._list(row, valid(EventsQuery, request.query_params))
        sender = {"stream": row, "user": request.user, "key": sent_key(request, request.user.pk)}
        rows, new = services.repeated(**sender), False
        if rows is None:  # no answer to a known key depends on the body
            rows, new = services.publish_events(events=valid(EventsRequest, request.data)["events"], **sender)
        results = [TimestampSerializer(timestamp).data | {"repeated": not new} for timestamp in rows]
        row.refresh_from_db(fields=["published"])
        body = {"published": row.published, "results": results}
        location = {"Location": reverse("api:stream-events", args=[row.pk])}
        return Response(body, status=201 if new else 200, headers=location)

    def _list(self, row: LiveStream, params: dict[str, Any]) -> Response:
        rows = selectors.published_after(row, params["after"], params["limit"])
        body = {"published": row.published, "state": row.state, "window_spent": row.window_spent, "results": rows}
        return Response(TimestampsSerializer(body).data)

    @extend_schema(
        parameters=[OpenApiParameter("after", int, default=0)],
        responses={(200, live.CONTENT_TYPE): OpenApiTypes.OBJECT},
        filters=False,
    )
    @action(detail=True, content_negotiation_class=AnyAccept)
    def live(self, request: Request, pk: Any = None) -> HttpResponseBase:
        """Send timestamps as they are published, as server-sent events; 429 where the server has no place for it."""
        row = self.get_object()
        if request.method == "HEAD":  # a body that is not read would keep its thread
            return HttpResponse(content_type=live.CONTENT_TYPE)
        query = {"after": request.headers.get("Last-Event-ID") or request.query_params.get("after", "0")}
        response = live.connect(row, valid(EventsQuery, query)["after"])
        if response is None:
            raise Throttled(wait=5, detail="Too many live connections: request the events from time to time.")
        return response

    @row_action(method="POST")
    def pause(self, row: LiveStream) -> LiveStream:
        """Take no counts until the stream is resumed."""
        return services.change_state(stream=row, state=StreamState.PAUSED)

    @row_action(method="POST")
    def resume(self, row: LiveStream) -> LiveStream:
        """Take counts again."""
        return services.change_state(stream=row, state=StreamState.OPEN)

    @row_action(method="POST")
    def close(self, row: LiveStream) -> LiveStream:
        """Take no counts ever again."""
        return services.change_state(stream=row, state=StreamState.CLOSED)

    @download_action({name: export.media_type for name, export in exports.FORMATS.items()}, default="csv")
    def data(self, fmt: str) -> Download:
        """What was published so far, with its label."""
        return exports.export(self.get_object(), fmt)
