"""Binary responses that a browser stores and revalidates, compressed where that is worth it."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import BinaryIO

from django.http import FileResponse, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response, patch_vary_headers
from rest_framework.request import Request

from dashboard.core.rest.json_text import LONG, unnamed
from privacy_engine.formats.arrow import pa

CONTENT_TYPE = "application/octet-stream"
WORTH_COMPRESSING = 1000  # bytes
PIECE = 1 << 18


def not_modified(request: Request, headers: dict[str, str]) -> HttpResponse | None:
    """Return 304 where the browser has what ``headers`` name, with them: they replace those that it stored."""
    response = HttpResponse(headers=headers)
    answer = get_conditional_response(request._request, etag=headers["ETag"], response=response)
    return None if answer is response else answer


def binary_response(request: Request, make: Callable[[], bytes | BinaryIO], *, tag: str) -> HttpResponseBase:
    """Return what ``make`` makes, or 304 where the browser has it: ``tag`` names the content.

    A file has it compressed by zstd, and is sent piece by piece.
    """
    etag = f'W/"{tag}"'  # weak: it may come compressed or not
    headers = {"ETag": etag, "Cache-Control": "private, no-cache", "X-Content-Type-Options": "nosniff"}
    if unchanged := not_modified(request, headers):
        return unchanged
    body, is_known = make(), "zstd" in request.headers.get("Accept-Encoding", "")
    sent: HttpResponseBase
    if isinstance(body, bytes):
        if is_known and len(body) > WORTH_COMPRESSING:
            body = pa.Codec("zstd", compression_level=1).compress(body, asbytes=True)
            headers["Content-Encoding"] = "zstd"  # a tenth of the time gzip takes, and smaller
        sent = HttpResponse(body, content_type=CONTENT_TYPE, headers=headers)
    elif is_known:
        sent = FileResponse(body, content_type=CONTENT_TYPE, headers=headers | {"Content-Encoding": "zstd"})
        del sent["Content-Disposition"]
    else:
        sent = StreamingHttpResponse(_Unpacked(body), content_type=CONTENT_TYPE, headers=headers)
    patch_vary_headers(sent, ["Accept-Encoding"])
    return sent


def filed(body: bytes) -> bytes | BinaryIO:
    """``body``, or where it is long a file without a name of what :func:`binary_response` sends of it."""
    return body if len(body) <= LONG else unnamed(pa.Codec("zstd", compression_level=1).compress(body, asbytes=True))


class _Unpacked:
    """The content of a file that is compressed by zstd."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def __iter__(self) -> Iterator[bytes]:
        return iter(partial(pa.input_stream(self._file, compression="zstd").read, PIECE), b"")

    def close(self) -> None:
        """Close the file, however much was read."""
        self._file.close()
