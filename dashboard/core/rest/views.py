"""The base of every view of the API: strict queries and bodies, ``Location``, ``ETag`` and ``Cache-Control``."""

from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple, TypeVar

from django.db.models import Model, QuerySet
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response, set_response_etag
from rest_framework import mixins
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView
from rest_framework.viewsets import GenericViewSet

from dashboard.core.rest.parsing import UNKEPT, JSONBody
from dashboard.core.rest.query import check_no_body, check_query

Row = TypeVar("Row", bound=Model)


class Accessed(NamedTuple):
    """What a response has, for the trail of access: "original" or "download", of which rows, and for whom.

    ``auth`` is an API token, or None for a session; ``user`` is None for readers of a public link.
    """

    access: str
    rows: list[Any]
    user: Any = None
    auth: Any = None


class ApiView(APIView):
    """What every operation does.

    - A query parameter or a field of a body that the schema does not declare, or declares otherwise, is refused.
    - 201 has the ``Location`` of what was made, its ``urls.self``.
    - JSON has an ``ETag`` of its content; If-None-Match returns 304.
    - A token needs the scope read for safe methods and ``unsafe_scope`` for the others (accounts/permissions.py).
    - Nothing is stored by caches, as it is the user's own, unless the view or ``cache_control`` differs.
    """

    cache_control = UNKEPT["Cache-Control"]
    unsafe_scope = "write"
    records = ""
    """What the trail of access records of a response: "original" or "download"; see accounts/access_trail.py."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        check_query(self)
        check_no_body(self)

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> HttpResponseBase:
        answer: HttpResponseBase = super().finalize_response(request, response, *args, **kwargs)
        request._request.read_rows = rows = list(getattr(self, "read_rows", ()))
        if self.records and request.method in ("GET", "POST"):
            request._request.accessed = Accessed(self.records, rows, request.user, request.auth)
        if "Cache-Control" not in answer:
            answer["Cache-Control"] = self.cache_control
        if isinstance(answer, Response):
            if answer.status_code == 201 and "Location" not in answer:
                answer["Location"] = answer.data["urls"]["self"]
            if answer.status_code == 200 and request.method in ("GET", "HEAD"):
                answer.add_post_render_callback(lambda rendered: _with_etag(request, rendered))
        return answer


def _with_etag(request: Request, response: Response) -> HttpResponseBase | None:
    set_response_etag(response)
    return get_conditional_response(request._request, etag=response.get("ETag"), response=response)


class PublicFacts(ApiView):
    """Descriptions of what this version offers: the same for every user, kept by browsers and revalidated."""

    cache_control = "private, no-cache"


class ApiViewSet(ApiView, GenericViewSet[Row]):
    """The view set of a model, that of its serializer, whose rows have UUIDs: any other id is an unknown path."""

    lookup_value_converter = "uuid"
    parser_classes: ClassVar = (JSONBody,)
    visible_to: Callable[[Any], QuerySet[Any]]
    """Returns the rows that a user may read."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if serializer := cls.__dict__.get("serializer_class"):
            cls.queryset = serializer.Meta.model._default_manager.none()

    def get_queryset(self) -> Any:
        return type(self).visible_to(self.request.user)

    def get_object(self) -> Any:
        row = super().get_object()
        self.read_rows = [row]
        return row

    def row_response(self, row: Any, status: int = 200) -> Response:
        """Return ``row`` as the API represents it."""
        return Response(self.get_serializer(row).data, status=status)


class RowViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, mixins.DestroyModelMixin, ApiViewSet[Row]):
    """Lists, retrieves and deletes rows."""
