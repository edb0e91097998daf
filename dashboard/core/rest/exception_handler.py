"""One shape for every error of the API: ``{"errors": [{code, field, rule, value, message, …}]}``."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.core.exceptions import ObjectDoesNotExist, PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.http import Http404
from rest_framework import exceptions, status
from rest_framework.response import Response
from rest_framework.views import exception_handler

from dashboard.core.errors import Conflict, TooLarge
from dashboard.core.text import storable
from privacy_engine.errors import ChoiceNeeded, EngineError, ParameterErrors

logger = logging.getLogger(__name__)


def status_of(error: EngineError) -> int:
    """The HTTP status of a sort of error."""
    if isinstance(error, ChoiceNeeded):
        return status.HTTP_422_UNPROCESSABLE_ENTITY
    if isinstance(error, Conflict):
        return status.HTTP_409_CONFLICT
    if isinstance(error, TooLarge):
        return status.HTTP_413_REQUEST_ENTITY_TOO_LARGE
    return status.HTTP_400_BAD_REQUEST


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


def api_errors(error: Exception, context: dict[str, Any]) -> Response | None:
    """DRF's exception handler."""
    if isinstance(error, EngineError):
        return Response({"errors": as_list(error)}, status=status_of(error))
    if isinstance(error, RequestDataTooBig):
        rule = f"at most {settings.DATA_UPLOAD_MAX_MEMORY_SIZE} bytes beside files"
        return api_errors(TooLarge("The body is too large.", rule=rule), context)
    if isinstance(error, SuspiciousOperation):
        error = exceptions.ParseError("The body has more fields or files than are taken.")
    elif isinstance(error, Http404 | FileNotFoundError | ObjectDoesNotExist):  # deleted while it was answered
        error = exceptions.NotFound("There is nothing here, or it is not yours.")
    elif isinstance(error, PermissionDenied):
        error = exceptions.PermissionDenied()
    response = exception_handler(error, context)
    if response is not None and isinstance(error, exceptions.APIException):
        response.data = {"errors": list(_flat(error.detail))}
    return response
