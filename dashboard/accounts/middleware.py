"""Django's sessions, which know the address and the browser of their requests."""

from __future__ import annotations

from typing import Any

from django.contrib.sessions.middleware import SessionMiddleware
from django.http import HttpRequest, HttpResponse

from dashboard.accounts.attempts import client_address
from dashboard.accounts.browsers import browser_name


class UserSessionMiddleware(SessionMiddleware):
    """Django's; the last use of a session is recorded."""

    def process_request(self, request: HttpRequest) -> None:
        super().process_request(request)
        request.session.address = client_address(request)[:64]
        request.session.browser = browser_name(request.headers.get("User-Agent", ""))

    def process_response(self, request: HttpRequest, response: Any) -> HttpResponse:
        request.session.record_use()
        found: HttpResponse = super().process_response(request, response)
        return found
