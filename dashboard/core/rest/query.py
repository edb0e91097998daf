"""Query parameters of the API: those that the schema declares for an operation, and no others."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework.serializers import Serializer
from rest_framework.views import APIView

from privacy_engine.errors import ParameterError, ParameterErrors

_declared: dict[tuple[type[APIView], str, str], frozenset[str]] = {}


def refuse_unknown_parameters(view: Any) -> None:
    """Refuse a request of ``view`` whose query has a parameter that the operation does not declare.

    Raises
    ------
    ParameterErrors
        One error for each unknown name.
    """
    given = view.request.query_params
    if not given or not hasattr(view, _handler_name(view)):
        return
    known = declared_parameters(view)
    unknown = [_unknown(name, given[name], known) for name in given if name not in known]
    if unknown:
        raise ParameterErrors(unknown)


def declared_parameters(view: Any) -> frozenset[str]:
    """Return the names of the query parameters that the OpenAPI schema has for the operation of ``view.request``."""
    key = (type(view), _handler_name(view), _method(view))
    if key not in _declared:
        _declared[key] = _from_schema(view)
    return _declared[key]


def _method(view: Any) -> str:
    return "GET" if view.request.method == "HEAD" else str(view.request.method)


def _handler_name(view: Any) -> str:
    return getattr(view, "action", None) or _method(view).lower()


def _from_schema(view: Any) -> frozenset[str]:
    """As drf-spectacular lists them, without its extensions, which are loaded by the first thread and break others."""
    handler = getattr(view, _handler_name(view))
    schema = (getattr(handler, "kwargs", {}).get("schema") or type(type(view).schema))()
    schema.view, schema.method, schema.path = view, _method(view), ""
    names = {name for one in schema.get_override_parameters() for name in _names(one)}
    if schema.get_filter_backends() and getattr(view, "filterset_class", None):
        names |= set(view.filterset_class.base_filters)
    if schema._is_list_view() and getattr(view, "paginator", None):
        names |= {view.paginator.page_query_param, view.paginator.page_size_query_param}
    return frozenset(names)


def _names(parameter: OpenApiParameter | type[Serializer[Any]]) -> Iterable[str]:
    if isinstance(parameter, OpenApiParameter):
        declared = parameter.location == OpenApiParameter.QUERY and not parameter.response
        return [parameter.name] if declared else []
    return list(parameter().fields)


def _unknown(name: str, value: str, known: frozenset[str]) -> ParameterError:
    rule = f"one of {', '.join(sorted(known))}" if known else "no query parameter"
    near = get_close_matches(name, known, n=1)
    hint = f"; did you mean {near[0]}?" if near else ""
    message = f"{name:.60} is not a query parameter of this operation, which takes {rule}{hint}"
    return ParameterError(message, field=name, rule=rule, value=value)
