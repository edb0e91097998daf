"""Sessions that know their requests, and what every response to a user has."""

from collections.abc import Callable
from typing import Any

from django.contrib.sessions.middleware import SessionMiddleware
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from dashboard.accounts import access_trail, lasting
from dashboard.accounts.base_map import shown_base_map
from dashboard.accounts.models import BaseMapChoice
from dashboard.maps.basemap import tile_server


def permit_tiles(request: HttpRequest, page: Any) -> None:
    """Add the host to ``img-src`` of a page, after its user agreed and until that is taken back.

    Without it the browser itself refuses the request, whatever a script does.
    """
    if request.user.is_authenticated:
        server = tile_server()
        if server and shown_base_map(request.user, None) == BaseMapChoice.SERVER:
            page._csp_update = {"img-src": [f"https://{server.host}"]}


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
            permit_tiles(request, response)
        if request.session.accessed and not response.has_header("Cache-Control"):
            # no shared cache keeps a page of a session, and every use of it is checked again
            response["Cache-Control"] = "private, no-cache"
        return response
