"""Query parameters of the API: those that the schema declares for an operation, and no others."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

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
    from drf_spectacular.plumbing import ComponentRegistry

    handler = getattr(view, _handler_name(view))
    kind = getattr(handler, "kwargs", {}).get("schema") or type(type(view).schema)
    schema = kind()
    schema.view, schema.method, schema.path, schema.registry = view, _method(view), "", ComponentRegistry()
    return frozenset(one["name"] for one in schema._get_parameters() if one["in"] == "query")


def _unknown(name: str, value: str, known: frozenset[str]) -> ParameterError:
    rule = f"one of {', '.join(sorted(known))}" if known else "no query parameter"
    near = get_close_matches(name, known, n=1)
    hint = f"; did you mean {near[0]}?" if near else ""
    message = f"{name:.60} is not a query parameter of this operation, which takes {rule}{hint}"
    return ParameterError(message, field=name, rule=rule, value=value)
