"""The content security policy's part on tile servers: pages of users who agreed to one may show its images."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from dashboard.accounts.base_map import shown_base_map
from dashboard.accounts.models import BaseMapChoice
from dashboard.maps.basemap import tile_server


class TilePolicy:
    """Adds the host to ``img-src`` of a page, after its user agreed and until that is taken back.

    Without it the browser itself refuses the request, whatever a script does.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if response.get("Content-Type", "").startswith("text/html") and request.user.is_authenticated:
            server = tile_server()
            if server and shown_base_map(request.user, None) == BaseMapChoice.SERVER:
                response._csp_update = {"img-src": [f"https://{server.host}"]}
        return response
