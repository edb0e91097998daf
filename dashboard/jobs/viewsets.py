"""What the API views of every kind of job share: list, retrieve, delete, cancel, retry, download."""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, BinaryIO, TypeVar

from django.http import FileResponse
from django_filters import rest_framework as filters
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from dashboard.core.errors import require_state
from dashboard.core.rest.parsing import AnyAccept, attachment, file_body
from dashboard.core.rest.views import RowViewSet
from dashboard.jobs import queue
from dashboard.jobs.models import Job, State

Row = TypeVar("Row", bound=Job)


class JobFilter(filters.FilterSet):
    """By state."""

    state = filters.ChoiceFilter(choices=[choice for choice in State.choices if choice[0] != State.READY])


def finished(view: Any) -> Any:
    """The row that a request names, as :func:`operation` takes it; it must have succeeded, or the answer is 409."""
    return view.finished_object()


class JobViewSet(RowViewSet[Row]):
    """List, retrieve, delete, cancel and retry the rows of one model.

    A subclass overrides :meth:`cancel_job`, :meth:`retry_job` and :meth:`perform_destroy` where its app does more.
    """

    filterset_class: type[filters.FilterSet] = JobFilter

    def cancel_job(self, row: Any) -> None:
        """Stop ``row``."""
        queue.request_cancel(row)

    def retry_job(self, row: Any) -> Any:
        """Return the row that is tried again: ``row``, or a new one in its place."""
        return queue.retried(row)

    def perform_destroy(self, instance: Any) -> None:
        """Delete the row."""
        queue.delete(instance)

    def finished_object(self) -> Any:
        """Return the requested row, which must have succeeded; 409 otherwise."""
        row = self.get_object()
        require_state(row, row.SUCCEEDED, row._meta.model_name)
        return row

    @extend_schema(request=None)
    @action(detail=True, methods=["post"])
    def cancel(self, request: Request, pk: Any = None) -> Response:
        """Stop it: at once if it waits, within a lease if it runs."""
        self.cancel_job(self.get_object())
        return self.row_response(self.get_object())

    @extend_schema(request=None)
    @action(detail=True, methods=["post"])
    def retry(self, request: Request, pk: Any = None) -> Response:
        """Try it again, after it failed or was cancelled."""
        row = self.get_object()
        again = self.retry_job(row)
        return self.row_response(again, status=200 if again.pk == row.pk else 201)


Download = tuple[BinaryIO, str, str]
"""An open file, its media type and its name."""


def download_action(
    media_types: Mapping[str, str], *, default: str
) -> Callable[[Callable[[Any, str], Download]], Callable[..., FileResponse]]:
    """Decorate a method that takes the format's name and returns a file, to be a GET action with ``?format=``.

    ``media_types`` are those of the formats by their names; ``default`` is the format without a query.
    """

    def decorate(method: Callable[[Any, str], Download]) -> Callable[..., FileResponse]:
        @wraps(method)
        def respond(self: Any, request: Request, pk: Any = None) -> FileResponse:
            return attachment(*method(self, request.query_params.get("format", default)))

        documented = extend_schema(
            parameters=[OpenApiParameter("format", str, enum=list(media_types), default=default)],
            responses={(200, media_type): file_body(media_type) for media_type in media_types.values()},
            filters=False,
        )
        decorated: Callable[..., FileResponse] = documented(
            action(detail=True, content_negotiation_class=AnyAccept, records="download")(respond)
        )
        return decorated

    return decorate
