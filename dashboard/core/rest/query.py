"""Query parameters and bodies: those that the schema declares for an operation, given as it declares them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django_filters import CharFilter
from drf_spectacular.utils import OpenApiParameter
from rest_framework.serializers import ListField, Serializer
from rest_framework.views import APIView

from dashboard.core.errors import must_be
from dashboard.core.rest.parsing import CSRF, unknown_name
from privacy_engine.errors import ParameterError, ParameterErrors


@dataclass(frozen=True)
class Declared:
    """How often a parameter may be given, and whether its value may be empty."""

    many: bool = False
    blank: bool = False


UNSAFE = ("POST", "PUT", "PATCH", "DELETE")
_declared: dict[tuple[type[APIView], str, str], Mapping[str, Declared]] = {}
_with_body: dict[tuple[type[APIView], str, str], bool] = {}


def check_query(view: Any) -> None:
    """Refuse a request of ``view`` whose query differs from what the operation declares.

    A serializer or filter would ignore an unknown name, take an empty number, choice or id as left out, and read the
    last of repeated values. What a value must be beside that is checked where it is used.

    Raises
    ------
    ParameterErrors
        One error for each name that is unknown, repeated without being a list, or empty without being text.
    """
    given = view.request.query_params
    if not given or not hasattr(view, _handler_name(view)):
        return
    known = declared_parameters(view)
    errors = [error for name in given if (error := _error(name, given.getlist(name), known))]
    if errors:
        raise ParameterErrors(errors)


def check_no_body(view: Any) -> None:
    """Refuse fields in the body of an operation of ``view`` that declares no body; ``valid`` checks the others.

    Raises
    ------
    ParameterErrors
        One error for each field.
    """
    if view.request.method not in UNSAFE or not hasattr(view, _handler_name(view)) or _takes_body(view):
        return
    data = view.request.data
    errors = [unknown_name(name, data[name], (), sort="field") for name in data if name != CSRF]
    if errors:
        raise ParameterErrors(errors)


def _takes_body(view: Any) -> bool:
    key = (type(view), _handler_name(view), _method(view))
    if key not in _with_body:
        _with_body[key] = _method(view) != "DELETE" and _schema_of(view).get_request_serializer() is not None
    return _with_body[key]


def declared_parameters(view: Any) -> Mapping[str, Declared]:
    """Return the query parameters that the OpenAPI schema has for the operation of ``view.request``, by name."""
    key = (type(view), _handler_name(view), _method(view))
    if key not in _declared:
        _declared[key] = _from_schema(view)
    return _declared[key]


def _method(view: Any) -> str:
    of_get = view.request.method == "HEAD" and hasattr(view, "get")
    return "GET" if of_get else str(view.request.method)


def _handler_name(view: Any) -> str:
    return getattr(view, "action", None) or _method(view).lower()


def _schema_of(view: Any) -> Any:
    """drf-spectacular's, without its extensions, which a web process imports for the schema only."""
    handler = getattr(view, _handler_name(view))
    schema = (getattr(handler, "kwargs", {}).get("schema") or type(type(view).schema))()
    schema.view, schema.method, schema.path = view, _method(view), ""
    return schema


def _from_schema(view: Any) -> dict[str, Declared]:
    schema = _schema_of(view)
    declared = {name: item for parameter in schema.get_override_parameters() for name, item in _described(parameter)}
    if schema.get_filter_backends() and getattr(view, "filterset_class", None):
        filters = view.filterset_class.base_filters.items()
        declared |= {name: Declared(blank=isinstance(filter_, CharFilter)) for name, filter_ in filters}
    if schema._is_list_view() and getattr(view, "paginator", None):
        paginator = view.paginator
        declared |= {name: Declared() for name in (paginator.page_query_param, paginator.page_size_query_param)}
    return declared


def _described(parameter: OpenApiParameter | type[Serializer[Any]]) -> Iterator[tuple[str, Declared]]:
    if not isinstance(parameter, OpenApiParameter):
        for name, field in parameter().fields.items():
            yield name, Declared(many=isinstance(field, ListField), blank=getattr(field, "allow_blank", False))
    elif parameter.location == OpenApiParameter.QUERY and not parameter.response:
        yield parameter.name, Declared(many=bool(parameter.many), blank=parameter.type is str)


def _error(name: str, values: list[str], known: Mapping[str, Declared]) -> ParameterError | None:
    if name not in known:
        return unknown_name(name, values[-1], known, sort="query parameter")
    if len(values) > 1 and not known[name].many:
        return must_be(name, "given once", values)
    if "" in values and not known[name].blank:
        return must_be(name, "a value or left out", "")
    return None
