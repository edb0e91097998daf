"""Errors of the API's views as problem details, and the pages of Django's own errors as such below ``/api/``."""

import logging
from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.core.exceptions import ObjectDoesNotExist, PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.http import Http404, HttpResponse
from rest_framework import exceptions
from rest_framework.views import exception_handler, set_rollback

from dashboard.core.errors import TooLarge
from dashboard.core.machine_errors import machine_error
from dashboard.core.rest.problems import machine_problem, problem_response
from dashboard.core.text import storable
from privacy_engine.errors import ChoiceNeeded, EngineError, ParameterErrors

logger = logging.getLogger(__name__)


def status_of(error: EngineError) -> int:
    """The HTTP status of a sort of error."""
    return 422 if isinstance(error, ChoiceNeeded) else getattr(error, "status", 400)


def as_list(error: EngineError) -> list[dict[str, Any]]:
    """The error, or the several it carries, as the API returns them."""
    parts = error.errors if isinstance(error, ParameterErrors) else [error]
    return [storable(part.as_dict()) for part in parts]


def _flat(detail: Any, field: str = "") -> Iterator[dict[str, Any]]:
    """DRF's nested details as a flat list."""
    if isinstance(detail, dict):
        for key, value in detail.items():
            inner = field if key in ("non_field_errors", "detail") else f"{field}.{key}" if field else str(key)
            yield from _flat(value, inner)
    elif isinstance(detail, list):
        for value in detail:
            yield from _flat(value, field)
    else:
        code = getattr(detail, "code", "invalid")
        message = f"{field}: {detail}" if field else str(detail)
        yield {"code": code, "field": field, "rule": str(detail), "value": None, "message": message}


def api_errors(error: Exception, context: dict[str, Any]) -> HttpResponse | None:
    """DRF's exception handler."""
    request = context["request"]._request
    if isinstance(error, EngineError):
        return problem_response(request, status_of(error), as_list(error))
    if isinstance(error, RequestDataTooBig):
        rule = f"at most {settings.DATA_UPLOAD_MAX_MEMORY_SIZE} bytes beside files"
        return api_errors(TooLarge("The body is too large.", rule=rule), context)
    if isinstance(error, SuspiciousOperation):
        error = exceptions.ParseError("The body has more fields or files than are taken.")
    elif isinstance(error, Http404 | FileNotFoundError | ObjectDoesNotExist):  # deleted while it was answered
        error = exceptions.NotFound("There is nothing here, or it is not yours.")
    elif isinstance(error, PermissionDenied):
        error = exceptions.PermissionDenied()
    if not isinstance(error, exceptions.APIException):
        failure = machine_error(error)
        if failure is None:
            return None
        set_rollback()
        logger.warning("%s: %s", failure.code, type(error).__name__)
        return machine_problem(request, failure)
    refused = problem_response(request, error.status_code, list(_flat(error.detail)))
    for name, value in exception_handler(error, context).headers.items():  # WWW-Authenticate, Retry-After
        if name != "Content-Type":
            refused[name] = value
    return refused
