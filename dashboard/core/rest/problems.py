"""Problem details (RFC 9457): the shape of every error below ``/api/``."""

from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

from django.http import HttpRequest, HttpResponse
from rest_framework.renderers import JSONRenderer

from dashboard.core.machine_errors import MachineError

API = "/api/"
MEDIA_TYPE = "application/problem+json"
_TYPE = "urn:problem-type:cairn:"


def problem_details(status: int, errors: Sequence[dict[str, Any]], instance: str) -> dict[str, Any]:
    """Return the body of a response of ``status``.

    ``errors`` are what was refused, each with code, field, rule, value and message; the first code is the type.
    """
    return {
        "type": _TYPE + str(errors[0]["code"]),
        "title": _title(status),
        "status": status,
        "detail": " ".join(error["message"] for error in errors),
        "instance": instance,
        "errors": list(errors),
    }


def _title(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Checksum Mismatch"  # 460, of the tus protocol


def problem_response(request: HttpRequest, status: int, errors: Sequence[dict[str, Any]]) -> HttpResponse:
    """Return the problem as a response, whatever the client accepts, and however the view renders its results."""
    body = JSONRenderer().render(problem_details(status, errors, request.path))
    return HttpResponse(body, status=status, content_type=MEDIA_TYPE, headers={"Cache-Control": "private, no-store"})


def simple_problem(request: HttpRequest, status: int, code: str, message: str) -> HttpResponse:
    """Return the problem of a request as a whole: no field and no value."""
    error = {"code": code, "field": "", "rule": message, "value": None, "message": message}
    return problem_response(request, status, [error])


def machine_problem(request: HttpRequest, failure: MachineError) -> HttpResponse:
    """Return the problem of a request that the machine cannot answer now."""
    response = simple_problem(request, failure.status, failure.code, failure.message)
    response["Retry-After"] = str(failure.retry_after_s)
    return response
