"""Query parameters of the API: those that the schema declares for an operation, given as it declares them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from django_filters import CharFilter
from drf_spectacular.utils import OpenApiParameter
from rest_framework.serializers import ListField, Serializer
from rest_framework.views import APIView

from privacy_engine.errors import ParameterError, ParameterErrors


@dataclass(frozen=True)
class Declared:
    """How often a parameter may be given, and whether its value may be empty."""

    many: bool = False
    blank: bool = False


_declared: dict[tuple[type[APIView], str, str], Mapping[str, Declared]] = {}


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


def declared_parameters(view: Any) -> Mapping[str, Declared]:
    """Return the query parameters that the OpenAPI schema has for the operation of ``view.request``, by name."""
    key = (type(view), _handler_name(view), _method(view))
    if key not in _declared:
        _declared[key] = _from_schema(view)
    return _declared[key]


def _method(view: Any) -> str:
    return "GET" if view.request.method == "HEAD" else str(view.request.method)


def _handler_name(view: Any) -> str:
    return getattr(view, "action", None) or _method(view).lower()


def _from_schema(view: Any) -> dict[str, Declared]:
    """As drf-spectacular lists them, without its extensions, which a web process imports for the schema only."""
    handler = getattr(view, _handler_name(view))
    schema = (getattr(handler, "kwargs", {}).get("schema") or type(type(view).schema))()
    schema.view, schema.method, schema.path = view, _method(view), ""
    found = {name: one for parameter in schema.get_override_parameters() for name, one in _described(parameter)}
    if schema.get_filter_backends() and getattr(view, "filterset_class", None):
        filters = view.filterset_class.base_filters.items()
        found |= {name: Declared(blank=isinstance(one, CharFilter)) for name, one in filters}
    if schema._is_list_view() and getattr(view, "paginator", None):
        paginator = view.paginator
        found |= {name: Declared() for name in (paginator.page_query_param, paginator.page_size_query_param)}
    return found


def _described(parameter: OpenApiParameter | type[Serializer[Any]]) -> Iterator[tuple[str, Declared]]:
    if not isinstance(parameter, OpenApiParameter):
        for name, field in parameter().fields.items():
            yield name, Declared(many=isinstance(field, ListField), blank=getattr(field, "allow_blank", False))
    elif parameter.location == OpenApiParameter.QUERY and not parameter.response:
        yield parameter.name, Declared(many=bool(parameter.many), blank=parameter.type is str)


def _error(name: str, values: list[str], known: Mapping[str, Declared]) -> ParameterError | None:
    if name not in known:
        return _unknown(name, values[-1], known)
    if len(values) > 1 and not known[name].many:
        return _refused(name, "given once", values)
    if "" in values and not known[name].blank:
        return _refused(name, "a value or left out", "")
    return None


def _refused(name: str, rule: str, value: str | list[str]) -> ParameterError:
    return ParameterError(f"{name} must be {rule}, got {value!r:.60}", field=name, rule=rule, value=value)


def _unknown(name: str, value: str, known: Mapping[str, Declared]) -> ParameterError:
    rule = f"one of {', '.join(sorted(known))}" if known else "no query parameter"
    near = get_close_matches(name, known, n=1)
    hint = f"; did you mean {near[0]}?" if near else ""
    message = f"{name:.60} is not a query parameter of this operation, which takes {rule}{hint}"
    return ParameterError(message, field=name, rule=rule, value=value)
