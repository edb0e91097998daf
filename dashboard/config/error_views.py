"""What Django answers where no view does: problem details below ``/api/``, pages elsewhere."""

import sys
from functools import wraps
from typing import Any, Protocol

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, HttpResponsePermanentRedirect
from django.shortcuts import render
from django.template import loader
from django.urls import Resolver404, resolve
from django.views import defaults
from django.views.decorators.csrf import csrf_exempt

from dashboard.core.machine_errors import machine_error
from dashboard.core.rest.problems import API, machine_problem, simple_problem


class _View(Protocol):
    def __call__(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse: ...


def _or_problem(page: _View, status: int, code: str, message: str) -> _View:
    @wraps(page)
    def respond(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.path.startswith(API):
            return simple_problem(request, status, code, message)
        return page(request, *args, **kwargs)

    return respond


def _refusal(status: int, heading: str, text: str, title: str = "") -> _View:
    """The page of a refusal, of which a 403 may have a reason of its own."""

    def respond(request: HttpRequest, exception: object = "", **_: Any) -> HttpResponse:
        own = str(exception) if status == 403 else ""
        context = {"title": title or heading, "heading": heading, "text": own or text}
        return render(request, "refusal.html", context, status=status)

    return respond


_damaged = _refusal(
    400,
    "The request was too large or damaged",
    "A file may exceed the size limit, or the form data may be damaged. Nothing was stored. Compress the file (.gz) or "
    "split it, and upload the parts.",
    title="Request refused",
)
_not_allowed = _refusal(
    403,
    "Not allowed",
    "The server refused this request. The usual cause is a form that was open for too long or in two windows: go back, "
    "reload the page and submit it again.",
)
_nowhere = _refusal(404, "Page not found", "This page does not exist, was deleted, or belongs to another account.")
bad_request = _or_problem(_damaged, 400, "bad-request", "The request is malformed, or its Host is none of this server.")
forbidden = _or_problem(_not_allowed, 403, "permission_denied", "This is not permitted.")
csrf_failure = _or_problem(
    _not_allowed, 403, "permission_denied", "CSRF verification failed: send the X-CSRFToken header, or a token."
)
not_found = _or_problem(_nowhere, 404, "not_found", "There is nothing here, or it is not yours.")
_internal = _or_problem(
    defaults.server_error,
    500,
    "internal",
    "Internal error. No stored data was lost; the log has the place of the error.",
)


def server_error(request: HttpRequest) -> HttpResponse:
    """503 while the database is away and 507 while the disk is full, with Retry-After; 500 for all else."""
    failure = machine_error(sys.exc_info()[1])
    if failure is None:
        return _internal(request)
    if request.path.startswith(API):
        return machine_problem(request, failure)
    again = request.get_full_path() if request.method in ("GET", "HEAD") else ""
    # without a request: a context processor may need the database
    page = loader.get_template("unavailable.html").render({"message": failure.message, "again": again})
    headers = {"Retry-After": str(failure.retry_after_s), "Cache-Control": "private, no-store"}
    return HttpResponse(page, status=failure.status, headers=headers)


@login_not_required
@csrf_exempt
def unknown_api_path(request: HttpRequest) -> HttpResponse:
    """404 for every method; a path that lacks its last slash is redirected to that with it."""
    if not request.path.endswith("/") and _is_known(f"{request.path_info}/"):
        response = HttpResponsePermanentRedirect(request.get_full_path(force_append_slash=True), preserve_request=True)
        del response["Content-Type"]  # it has no body
        return response
    return not_found(request)


def _is_known(path: str) -> bool:
    try:
        return resolve(path).func is not unknown_api_path
    except Resolver404:
        return False
