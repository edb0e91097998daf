"""Sessions that know their requests, and what every response to a user has."""

from collections.abc import Callable
from typing import Any

from django.contrib.sessions.middleware import SessionMiddleware
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from dashboard.accounts import access_trail, lasting, tile_policy


class UserSessionMiddleware(SessionMiddleware):
    """Django's; the last use of a session is recorded."""

    def process_request(self, request: HttpRequest) -> None:
        super().process_request(request)
        request.session.request = request

    def process_response(self, request: HttpRequest, response: Any) -> HttpResponse:
        request.session.record_use()
        answer: HttpResponse = super().process_response(request, response)
        return answer


class UserResponses:
    """Guards what is streamed, records what was read, and adds the headers of pages."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if response.streaming:
            lasting.guard(request, response)
        if hasattr(request, "accessed"):
            access_trail.record(request, response)
        if response.get("Content-Type", "").startswith("text/html"):
            tile_policy.permit_tiles(request, response)
        if request.session.accessed and not response.has_header("Cache-Control"):
            # no shared cache keeps a page of a session, and every use of it is checked again
            response["Cache-Control"] = "private, no-cache"
        return response
