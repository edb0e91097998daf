"""Operations of the API, described once: what each takes and returns, for its schema and for its requests."""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, ClassVar

from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from pydantic import BaseModel
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer

from dashboard.core.idempotency import HEADER
from dashboard.core.rest.binary import CONTENT_TYPE
from dashboard.core.rest.components import listing
from dashboard.core.rest.parsing import AnyAccept, valid
from dashboard.core.rest.views import PublicFacts

Handler = Callable[..., Any]
Row = Callable[[Any], Any]
BINARY = {(200, CONTENT_TYPE): OpenApiTypes.BINARY}
SAFE = ("GET", "HEAD")
_UNFILTERED = {"filterset_class": None, "pagination_class": None}  # or a parameter of its own could filter the rows


def requested(view: Any) -> Any:
    """The row that the request of a view set names."""
    return view.get_object()


def idempotency_key(description: str = "") -> OpenApiParameter:
    """The header that makes an operation repeatable."""
    return OpenApiParameter(HEADER, str, OpenApiParameter.HEADER, description=description)


def operation(
    takes: Any = None,
    returns: Any = None,
    *,
    method: str = "POST",
    status: int | tuple[int, ...] = 200,
    row: Row | None = None,
    **schema: Any,
) -> Callable[[Handler], Handler]:
    """Decorate a method of a view: it is called with what ``row`` returns, and with the fields of ``takes`` by name.

    ``takes`` is a serializer of the query of a GET, of the body otherwise; a body of a form is ``{media type: it}``.
    The method returns a response, or a row of the view set, or what ``returns`` describes: a result of pydantic, or
    what a serializer represents. With two ``status`` it returns a pair: also whether that is new, the second status.
    """
    statuses = status if isinstance(status, tuple) else (status,)
    serializer = next(iter(takes.values())) if isinstance(takes, Mapping) else takes
    if takes is not None and method == "GET":
        schema["parameters"] = [takes, *schema.get("parameters", ())]
    elif takes is not None or method != "GET":
        schema["request"] = takes
    if returns is not None:
        schema["responses"] = returns if isinstance(returns, dict) else dict.fromkeys(statuses, returns)

    def decorate(handler: Handler) -> Handler:
        @wraps(handler)
        def respond(self: Any, request: Request, *args: Any, **kwargs: Any) -> HttpResponseBase:
            rows = () if row is None else (row(self),)
            data = request.query_params if request.method in SAFE else request.data
            params = valid(serializer, data, request.user) if serializer else {}
            answer, new = handler(self, *rows, **params), False
            if len(statuses) == 2:
                answer, new = answer
            return _response(self, answer, returns, statuses[new])

        decorated: Handler = extend_schema(**schema)(respond)
        return decorated

    return decorate


def _response(view: Any, answer: Any, returns: Any, status: int) -> HttpResponseBase:
    """The response that has ``answer``, as ``returns`` describes it."""
    if isinstance(answer, HttpResponseBase):
        return answer
    if isinstance(answer, BaseModel):
        return Response(answer.model_dump(), status=status)
    if hasattr(view, "row_response") and isinstance(answer, view.queryset.model):
        response: Response = view.row_response(answer, status)
        return response
    described = isinstance(returns, type) and issubclass(returns, Serializer) and not isinstance(answer, Mapping)
    return Response(returns(answer).data if described else answer, status=status)


def row_action(
    takes: Any = None,
    returns: Any = None,
    *,
    method: str = "GET",
    status: int | tuple[int, ...] = 200,
    row: Row | None = requested,
    schema: Mapping[str, Any] | None = None,
    **options: Any,
) -> Callable[[Handler], Handler]:
    """Decorate a method as :func:`operation` does, to be an action of a view set: of a row, or of all if that is None.

    ``options`` are those of REST framework's ``action``; ``schema`` has more arguments of its ``extend_schema``.
    """
    if returns == BINARY:
        options.setdefault("content_negotiation_class", AnyAccept)
    described = operation(takes, returns, method=method, status=status, row=row, **{"filters": False, **(schema or {})})

    def decorate(handler: Handler) -> Handler:
        placed = action(detail=row is not None, methods=[method], **_UNFILTERED | options)
        return described(placed(handler))

    return decorate


class CatalogView(PublicFacts):
    """Every class of a registry, as the API lists it."""

    registry: ClassVar[Any]

    @extend_schema(responses={200: OpenApiTypes.OBJECT})
    def get(self, request: Request) -> Response:
        return Response({"results": self.listed(self.registry)})

    def facts(self, cls: Any) -> dict[str, Any]:
        """What the list has of a class beside."""
        return {}

    def listed(self, registry: Any) -> list[dict[str, Any]]:
        """An entry of the list for each class."""
        return [listing(cls) | self.facts(cls) for cls in registry]
