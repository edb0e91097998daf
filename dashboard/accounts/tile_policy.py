"""The content security policy's part on tile servers: pages of users who agreed to a server may show its images."""

from typing import Any

from django.http import HttpRequest

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
