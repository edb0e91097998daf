"""Middleware: no shared cache keeps a page of a user who is logged in, and every use of it is checked again."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse


class PrivatePages:
    """``Cache-Control`` for responses that depend on the session and have none of their own."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if request.session.accessed and not response.has_header("Cache-Control"):
            response["Cache-Control"] = "private, no-cache"
        return response
