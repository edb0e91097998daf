"""The parts of the tus protocol that drf-spectacular leaves out of the schema: HEAD and OPTIONS."""

from typing import Any

_UPLOADS, _UPLOAD = "/api/v1/uploads/", "/api/v1/uploads/{id}/"


def tus_operations(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """drf-spectacular's hook: add the position of an upload, and what the server can do."""
    delete = result["paths"][_UPLOAD]["delete"]
    announced = result["paths"][_UPLOADS]["post"]["responses"]["201"]["headers"]
    shared = {name: delete[name] for name in ("tags", "security")}
    refused = {"4XX": {"description": "Refused, as by the other methods; without a body."}}
    result["paths"][_UPLOAD]["head"] = shared | {
        "operationId": "uploads_head",
        "summary": "Position of an upload",
        "description": "Where it stands: `Upload-Offset` is the byte at which the next piece begins.",
        "parameters": delete["parameters"],
        "responses": {
            "200": {
                "description": "Its length and what arrived.",
                "headers": announced | {"Upload-Length": _header("Bytes of the whole file.")},
            },
            **refused,
        },
    }
    result["paths"][_UPLOADS]["options"] = shared | {
        "operationId": "uploads_options",
        "summary": "Capabilities of resumable uploads",
        "description": "The extensions of the protocol and the limits of this server.",
        "responses": {
            "204": {
                "description": "In headers.",
                "headers": {
                    "Tus-Version": _header("Versions of the protocol."),
                    "Tus-Extension": _header("Extensions of the protocol."),
                    "Tus-Max-Size": _header("The largest file, in bytes."),
                    "Tus-Checksum-Algorithm": _header("Algorithms of Upload-Checksum."),
                },
            },
            **refused,
        },
    }
    return result


def _header(text: str) -> dict[str, Any]:
    return {"description": text, "required": True, "schema": {"type": "string"}}
