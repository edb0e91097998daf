"""JSON that is rendered where it is computed; long texts are in files, and sent piece by piece."""

from io import BytesIO
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryFile
from typing import Any, BinaryIO

from django.conf import settings
from django.http import FileResponse
from django.http.response import HttpResponseBase
from rest_framework.renderers import JSONRenderer
from rest_framework.response import Response

LONG = 1_000_000
"""Bytes; a longer text is in a file."""


def as_json(value: Any) -> bytes | BinaryIO:
    """``value`` as JSON, in an open file without a name if that is long."""
    return text_of(BytesIO(JSONRenderer().render(value)))


def text_of(source: Any) -> bytes | BinaryIO:
    """What can be read of ``source``, in an open file without a name if that is long."""
    text: bytes = source.read(LONG + 1)
    return text if len(text) <= LONG else unnamed(text, source)


def unnamed(begin: bytes, rest: Any = None) -> BinaryIO:
    """An open file without a name, of ``begin`` and what can be read of ``rest``; its response closes it."""
    file = TemporaryFile(dir=Path(settings.CAIRN_HOME, "tmp"))  # noqa: SIM115
    file.write(begin)
    if rest:
        copyfileobj(rest, file)
    file.seek(0)
    return file


class _Rendered(Response):
    @property
    def rendered_content(self) -> bytes:
        self["Content-Type"] = JSONRenderer.media_type
        return self.data


def json_response(text: bytes | BinaryIO, **headers: str) -> HttpResponseBase:
    """The response of a view of the API; that of a file has no ETag."""
    if isinstance(text, bytes):
        return _Rendered(text, headers=headers)
    response = FileResponse(text, content_type=JSONRenderer.media_type, headers=headers)
    del response["Content-Disposition"]
    return response
