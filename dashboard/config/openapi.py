"""What the OpenAPI schema contains beyond the views: errors, and headers of every operation."""

from typing import Any

from drf_spectacular.generators import EndpointEnumerator, SchemaGenerator

from dashboard.config.api_schema import TAGS
from dashboard.core.rest.problems import MEDIA_TYPE

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
        "published": {
            "type": "array",
            "items": {"type": "object"},
            "description": "What a stream published.",
        },
        "default": {"type": "string", "nullable": True, "description": "422: the value to preselect."},
        "row": {"type": "integer", "nullable": True, "description": "Where in the file, counted from 1."},
        "column": {"type": "string", "nullable": True},
    },
}
PROBLEM = {
    "type": "object",
    "description": "Problem details by RFC 9457, with what was refused in `errors`.",
    "required": ["type", "title", "status", "detail", "instance", "errors"],
    "properties": {
        "type": {"type": "string", "format": "uri", "description": "`urn:problem-type:cairn:` and the first code."},
        "title": {"type": "string", "description": "The name of the status."},
        "status": {"type": "integer", "minimum": 400, "maximum": 599},
        "detail": {"type": "string", "description": "The messages, for a person."},
        "instance": {"type": "string", "format": "uri-reference", "description": "The path of the request."},
        "errors": {"type": "array", "minItems": 1, "items": {"$ref": "#/components/schemas/Error"}},
    },
}
REFUSED = {
    "description": "Refused: 400 a value, 401 not logged in, 403 a token without the scope, 404 not found, "
    "409 not in this state, 413 too much, 422 a choice is needed, 429 too often, "
    "503 not available now, 507 no disk space.",
    "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
}
WITHOUT_BODY = {"description": "Refused, as by the other methods; without a body."}
LOCATION = {
    "description": "The address of what was made.",
    "required": True,
    "schema": {"type": "string", "format": "uri-reference"},
}
ETAG = {"description": "Of the content; for If-None-Match.", "schema": {"type": "string"}}
CACHE = {"description": "`private`, with `no-store` for what is the owner's.", "schema": {"type": "string"}}
VERBS = ("get", "post", "put", "patch", "delete")


class Endpoints(EndpointEnumerator):
    """With HEAD and OPTIONS where a view describes them by ``extend_schema``."""

    def get_allowed_methods(self, callback: Any) -> list[str]:
        described = [name for name in ("head", "options") if hasattr(getattr(callback.cls, name, None), "kwargs")]
        return [*super().get_allowed_methods(callback), *map(str.upper, described)]


class Generator(SchemaGenerator):
    """The generator of the schema."""

    endpoint_inspector_cls = Endpoints


def pydantic_schemas(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """drf-spectacular's hook: write what pydantic describes as JSON schema 2020-12 in the terms of OpenAPI 3.0."""
    return _as_openapi_3_0(result)


def _as_openapi_3_0(node: Any) -> Any:
    if isinstance(node, list):
        return [_as_openapi_3_0(item) for item in node]
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
        (option,) = (schema for schema in options if schema != {"type": "null"})
        node = {"allOf": [option], "nullable": True, **node} if "$ref" in option else option | {"nullable": True} | node
    if node.get("default", "") is None:
        del node["default"]
    return node


def responses_of_all(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """drf-spectacular's hook: what every operation answers by ``core/rest/views.py`` and ``core/rest/problems.py``."""
    result["components"]["schemas"] |= {"Error": ERROR, "Problem": PROBLEM}
    result["tags"] = [{"name": name, "description": text} for name, text in TAGS.items()]
    for path in result["paths"].values():
        for operation in path.values():
            scope = operation.setdefault("x-required-scope", "read")  # set by the view; HEAD and OPTIONS have none
            operation["description"] = f"{operation.get('description', '')}\n\nToken scope: `{scope}`.".strip()
        for verb, operation in path.items():
            if verb in VERBS:
                _complete(operation, verb)
            else:
                operation["responses"]["4XX"] = WITHOUT_BODY
    return result


def _complete(operation: dict[str, Any], verb: str) -> None:
    responses = operation["responses"]
    responses.setdefault("4XX", REFUSED)
    if "201" in responses:
        responses["201"].setdefault("headers", {})["Location"] = LOCATION
    headers = {"Cache-Control": CACHE}
    conditional = any(parameter["name"] == "If-None-Match" for parameter in operation.get("parameters", ()))
    content = responses.get("200", {}).get("content", {})
    binary = any(media.get("schema", {}).get("format") == "binary" for media in content.values())
    file = binary and "$ref" not in content.get("application/json", {}).get("schema", {})
    if verb == "get" and (conditional or ("application/json" in content and not file)):
        headers["ETag"] = ETAG
        responses.setdefault("304", {"description": "Unchanged since the ETag of If-None-Match."})
    if "200" in responses:
        responses["200"].setdefault("headers", {}).update(headers)


def closed_bodies(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """drf-spectacular's hook: bodies have no other fields than those listed, as ``core/rest/parsing.py`` checks."""
    for path in result["paths"].values():
        for operation in path.values():
            for content in operation.get("requestBody", {}).get("content", {}).values():
                _close(content["schema"], result["components"]["schemas"])
    return result


def _close(node: dict[str, Any], components: dict[str, Any]) -> None:
    node = components[node["$ref"].rsplit("/", 1)[1]] if "$ref" in node else node
    if "properties" in node:
        node.setdefault("additionalProperties", False)
    inner = [*node.get("properties", {}).values(), *node.get("allOf", ()), *node.get("oneOf", ())]
    for child in [*inner, *([node["items"]] if "items" in node else [])]:
        _close(child, components)
