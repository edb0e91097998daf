"""Compression of answers: what is compressed already, or costs more than it saves, is sent as it is."""

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware

PACKED = ("application/zip", "application/vnd.apache.parquet", "image/png", "image/jpeg", "image/webp", "font/")
"""Beginnings of the content types that a second compression makes no smaller."""
LIVE = "text/event-stream"  # compression would hold messages back


class Compression(GZipMiddleware):
    """Django's, but for content that is compressed already or sent message by message."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """The answer, compressed if that makes it smaller."""
        if response.get("Content-Type", "").startswith((*PACKED, LIVE)):
            return response
        return super().process_response(request, response)
