"""What Django answers where no view does: problem details below ``/api/``, pages elsewhere."""

from __future__ import annotations

from functools import wraps
from typing import Any, Protocol

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, HttpResponsePermanentRedirect
from django.urls import Resolver404, resolve
from django.views import csrf, defaults
from django.views.decorators.csrf import csrf_exempt

from dashboard.core.rest.problems import API, simple_problem


class _View(Protocol):
    def __call__(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse: ...


def _or_problem(page: _View, status: int, code: str, message: str) -> _View:
    @wraps(page)
    def respond(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.path.startswith(API):
            return simple_problem(request, status, code, message)
        return page(request, *args, **kwargs)

    return respond


bad_request = _or_problem(
    defaults.bad_request, 400, "bad-request", "The request is malformed, or its Host is none of this server."
)
forbidden = _or_problem(defaults.permission_denied, 403, "permission_denied", "This is not permitted.")
csrf_failure = _or_problem(
    csrf.csrf_failure, 403, "permission_denied", "CSRF verification failed: send the X-CSRFToken header, or a token."
)
not_found = _or_problem(defaults.page_not_found, 404, "not_found", "There is nothing here, or it is not yours.")
server_error = _or_problem(
    defaults.server_error,
    500,
    "internal",
    "Internal error. No stored data was lost; the log has the place of the error.",
)


@login_not_required
@csrf_exempt
def unknown_api_path(request: HttpRequest) -> HttpResponse:
    """404 for every method; a path that lacks its last slash is redirected to the one with it."""
    if not request.path.endswith("/") and _is_known(f"{request.path_info}/"):
        found = HttpResponsePermanentRedirect(request.get_full_path(force_append_slash=True), preserve_request=True)
        del found["Content-Type"]  # it has no body
        return found
    return not_found(request)


def _is_known(path: str) -> bool:
    try:
        return resolve(path).func is not unknown_api_path
    except Resolver404:
        return False
