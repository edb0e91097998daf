"""Resumable uploads over HTTP by the tus protocol, 1.0.0 (https://tus.io/protocols/resumable-upload).

POST /api/v1/uploads/ announces a file, PATCH continues it at the offset that HEAD returns. A whole file
becomes a dataset by POST /api/v1/datasets/ with its id as ``upload``.
"""

import base64
import binascii
import re
from typing import Any, ClassVar

from django.conf import settings
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.http import http_date
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import exceptions, status
from rest_framework.parsers import BaseParser
from rest_framework.request import Request
from rest_framework.response import Response

from dashboard.core.errors import must_be
from dashboard.core.rest.views import ApiView
from dashboard.datasets import resumable, selectors
from dashboard.datasets.models import Upload
from privacy_engine.errors import ParameterError

VERSION = "1.0.0"
MISMATCH = 460  # the protocol's own
PIECE = "application/offset+octet-stream"
BYTES = "^[0-9]{1,15}$"
_WHOLE = re.compile(BYTES, re.ASCII)


class WrongVersion(exceptions.APIException):
    """The client uses another version of the protocol."""

    status_code = status.HTTP_412_PRECONDITION_FAILED
    default_code = "tus-version"
    default_detail = f"Tus-Resumable must be {VERSION}."


class Piece(BaseParser):
    """The body as it streams in: it is written to disk as it comes, and never held."""

    media_type = PIECE

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:
        return stream


def _header(name: str, help_text: str, *, required: bool = True, **rules: Any) -> OpenApiParameter:
    return OpenApiParameter(name, str, OpenApiParameter.HEADER, required=required, description=help_text, **rules)


TUS = _header("Tus-Resumable", "The protocol's version.", enum=[VERSION])
OFFSET = _header("Upload-Offset", "The byte this piece begins at: where the upload stands.", pattern=BYTES)
LENGTH = _header("Upload-Length", "Bytes of the whole file.", pattern=BYTES)
METADATA = _header("Upload-Metadata", "`filename` and its name in base64, after a space.", required=False)
CHECKSUM = _header("Upload-Checksum", "`sha256` or `sha1` and the digest of the piece in base64.", required=False)


def _sent(name: str, help_text: str) -> OpenApiParameter:
    return OpenApiParameter(name, str, OpenApiParameter.HEADER, required=True, description=help_text, response=True)


SENT = [
    _sent("Tus-Resumable", f"The protocol's version: {VERSION}."),
    _sent("Upload-Offset", "The byte at which the next piece begins."),
    _sent("Upload-Expires", "When an unfinished upload is removed."),
]


CAPABILITIES = [
    _sent("Tus-Version", "Versions of the protocol."),
    _sent("Tus-Extension", "Extensions of the protocol."),
    _sent("Tus-Max-Size", "The largest file, in bytes."),
    _sent("Tus-Checksum-Algorithm", "Algorithms of Upload-Checksum."),
]


class Tus(ApiView):
    """What both addresses share: the protocol's version required in every request and sent in every response."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        if request.method != "OPTIONS" and request.headers.get("Tus-Resumable") != VERSION:
            raise WrongVersion

    def handle_exception(self, exc: Exception) -> Any:
        if isinstance(exc, resumable.Damaged):
            exc.status = MISMATCH
        return super().handle_exception(exc)

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        response = super().finalize_response(request, response, *args, **kwargs)
        response["Tus-Resumable"] = response["Tus-Version"] = VERSION
        response["Cache-Control"] = "no-store"
        return response

    def options(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """What this server can do."""
        return Response(
            status=204,
            headers={
                "Tus-Extension": "creation,expiration,checksum,termination",
                "Tus-Max-Size": str(settings.CAIRN_UPLOAD_BYTES),
                "Tus-Checksum-Algorithm": ",".join(resumable.HASHES),
            },
        )


class UploadsView(Tus):
    """Where uploads begin."""

    @extend_schema(
        operation_id="uploads_options",
        summary="Capabilities of resumable uploads",
        parameters=CAPABILITIES,
        responses={204: OpenApiResponse(description="In headers.")},
    )
    def options(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """The extensions of the protocol and the limits of this server."""
        return super().options(request, *args, **kwargs)

    @extend_schema(parameters=[TUS, LENGTH, METADATA, *SENT], request=None, responses={201: None})
    def post(self, request: Request) -> Response:
        """Announce a file; ``Location`` is where its bytes go."""
        upload = resumable.begin(
            owner=request.user, length=_whole(request, "Upload-Length"), file_name=_file_name(request)
        )
        location = request.build_absolute_uri(reverse("api:upload", args=[upload.pk]))
        return Response(status=201, headers={"Location": location, **_headers(upload)})


class UploadView(Tus):
    """One upload."""

    parser_classes: ClassVar = [Piece]

    def _upload(self, request: Request, pk: Any) -> Upload:
        return get_object_or_404(selectors.visible_uploads(request.user), pk=pk)

    @extend_schema(
        operation_id="uploads_head",
        parameters=[TUS, *SENT, _sent("Upload-Length", "Bytes of the whole file.")],
        responses={200: OpenApiResponse(description="Its length and what arrived.")},
    )
    def head(self, request: Request, pk: Any) -> Response:
        """Where it stands: `Upload-Offset` is the byte at which the next piece begins."""
        upload = self._upload(request, pk)
        return Response(headers={"Upload-Length": str(upload.length), **_headers(upload)})

    @extend_schema(
        parameters=[TUS, OFFSET, CHECKSUM, *SENT],
        request={PIECE: OpenApiTypes.BINARY},
        responses={204: None},
    )
    def patch(self, request: Request, pk: Any) -> Response:
        """Send it on from ``Upload-Offset``."""
        upload, offset, checksum = self._upload(request, pk), _whole(request, "Upload-Offset"), _checksum(request)
        stream = request.data if hasattr(request.data, "read") else request._request
        # a body in chunks of unknown length is empty to Django
        known = request.headers.get("Content-Length") or "Transfer-Encoding" in request.headers
        size = _whole(request, "Content-Length") if known else 0
        upload = resumable.append(upload=upload, offset=offset, stream=stream, size=size, checksum=checksum)
        return Response(status=204, headers=_headers(upload))

    @extend_schema(parameters=[TUS], responses={204: None})
    def delete(self, request: Request, pk: Any) -> Response:
        """Forget it."""
        resumable.abandon(upload=self._upload(request, pk))
        return Response(status=204)


def _headers(upload: Upload) -> dict[str, str]:
    return {"Upload-Offset": str(upload.received), "Upload-Expires": http_date(resumable.expires(upload).timestamp())}


def _whole(request: Request, name: str) -> int:
    value = request.headers.get(name, "")
    if not _WHOLE.fullmatch(value):
        raise must_be(name, "a whole number of bytes", value)
    return int(value)


def _decoded(name: str, text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise ParameterError(f"{name} must be base64", field=name, rule="base64") from None


def _file_name(request: Request) -> str:
    """``filename`` of the metadata; other keys are of no use here."""
    pairs = (part.split() for part in request.headers.get("Upload-Metadata", "").split(","))
    named = [pair[1] for pair in pairs if len(pair) == 2 and pair[0] == "filename"]
    return _decoded("Upload-Metadata", named[0]).decode(errors="replace") if named else ""


def _checksum(request: Request) -> tuple[str, bytes] | None:
    value = request.headers.get("Upload-Checksum")
    if value is None:
        return None
    algorithm, _, digest = value.partition(" ")
    if algorithm not in resumable.HASHES:
        raise must_be("Upload-Checksum", f"one of {', '.join(resumable.HASHES)}, then the digest in base64")
    return algorithm, _decoded("Upload-Checksum", digest)
