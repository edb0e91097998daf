"""Uploads on their way in: counted while they stream, refused as soon as they are too large."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.core.files.uploadhandler import TemporaryFileUploadHandler

from dashboard.core.errors import TooLarge
from dashboard.storage import local_files

FORM_BYTES = 1_000_000  # what a form with every reading option and its boundaries may add to the file


class UploadTooLarge(TooLarge, RequestDataTooBig):
    """The file is larger than this server takes: 413 from the API, 400 from a page."""


def too_large() -> UploadTooLarge:
    """The error, which names the limit."""
    megabytes = settings.CAIRN_UPLOAD_BYTES / 1_000_000
    return UploadTooLarge(
        f"Files of up to {megabytes:g} MB are taken here. Compress the file, or split it and upload the parts.",
        field="file",
        rule=f"at most {settings.CAIRN_UPLOAD_BYTES} bytes",
    )


class CappedFileHandler(TemporaryFileUploadHandler):
    """Stops a request whose files together pass ``CAIRN_UPLOAD_BYTES``; what was written so far is removed."""

    def __init__(self, request: Any = None) -> None:
        super().__init__(request)
        self._received = 0

    def handle_raw_input(
        self, input_data: Any, META: Any, content_length: int, boundary: Any, encoding: Any = None
    ) -> None:
        if content_length > settings.CAIRN_UPLOAD_BYTES + FORM_BYTES:
            raise too_large()
        local_files.home("tmp")

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes | None:
        self._received += len(raw_data)
        if self._received > settings.CAIRN_UPLOAD_BYTES:
            self.upload_interrupted()  # Django itself closes only files that came whole
            raise too_large()
        return super().receive_data_chunk(raw_data, start)
