"""What the OpenAPI schema contains beyond the views: every operation has the same error responses."""

from __future__ import annotations

from typing import Any

ERROR = {
    "type": "object",
    "required": ["code", "field", "rule", "value", "message"],
    "properties": {
        "code": {"type": "string", "description": "Stable; for programs."},
        "field": {"type": "string", "description": "What was wrong; empty for the request as a whole."},
        "rule": {"type": "string", "description": "The rule it broke."},
        "value": {"nullable": True, "description": "The value that broke it, shortened."},
        "message": {"type": "string", "description": "A sentence for a person."},
        "parameter": {"type": "string", "description": "422: the reading option that decides it."},
        "choices": {"type": "array", "items": {"type": "object"}, "description": "422: its values and their labels."},
        "default": {"type": "string", "nullable": True, "description": "422: the value to preselect."},
        "row": {"type": "integer", "nullable": True, "description": "Where in the file, counted from 1."},
        "column": {"type": "string", "nullable": True},
    },
}
ERRORS = {
    "type": "object",
    "required": ["errors"],
    "properties": {"errors": {"type": "array", "items": {"$ref": "#/components/schemas/Error"}}},
}
REFUSED = {
    "description": "Refused: 400 a value, 401 not logged in, 404 not found, 409 not in this state, 413 too much, "
    "422 a choice is needed, 429 too often.",
    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Errors"}}},
}
VERBS = ("get", "post", "put", "patch", "delete")


def pydantic_schemas(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """drf-spectacular's hook: write what pydantic describes as JSON schema 2020-12 in the terms of OpenAPI 3.0."""
    return _as_openapi_3_0(result)


def _as_openapi_3_0(node: Any) -> Any:
    if isinstance(node, list):
        return [_as_openapi_3_0(one) for one in node]
    if not isinstance(node, dict):
        return node
    node = {key: _as_openapi_3_0(value) for key, value in node.items()}
    if isinstance(node.get("title"), str) and {"type", "anyOf", "$ref"} & node.keys():
        del node["title"]  # made of the field's name
    if "prefixItems" in node:
        node["items"] = node.pop("prefixItems")[0]
    options = node.get("anyOf", [])
    if {"type": "null"} in options:
        del node["anyOf"]
        (option,) = (one for one in options if one != {"type": "null"})
        node = {"allOf": [option], "nullable": True, **node} if "$ref" in option else option | {"nullable": True} | node
    if node.get("default", "") is None:
        del node["default"]
    return node


def refusals(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """drf-spectacular's hook: ``4XX`` for every operation, 304 for those that take an ETag."""
    result["components"]["schemas"] |= {"Error": ERROR, "Errors": ERRORS}
    for path in result["paths"].values():
        for verb in VERBS:
            if verb in path:
                path[verb]["responses"].setdefault("4XX", REFUSED)
                if any(one["name"] == "If-None-Match" for one in path[verb].get("parameters", ())):
                    path[verb]["responses"].setdefault("304", {"description": "Unchanged since that ETag."})
    return result
