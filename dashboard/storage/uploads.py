"""Uploads on their way in: counted while they stream, refused as soon as they are too large."""

import shutil
from typing import Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.core.files.uploadhandler import TemporaryFileUploadHandler

from dashboard.core.errors import TooLarge
from dashboard.storage import local_files

SPARE_BYTES = 1_000_000_000  # of the disk, for everything else
FORM_BYTES = 1_000_000  # what a form with every reading option and its boundaries may add to the file


class UploadTooLarge(TooLarge, RequestDataTooBig):
    """The file is larger than this server takes: 413 from the API, 400 from a page."""


def require_space(size: int, most: int) -> None:
    """Refuse an upload of ``size`` bytes.

    Raises
    ------
    UploadTooLarge
        It has more than ``most``, or than the free space of the disk.
    """
    if size > most:
        raise UploadTooLarge(
            f"Files of up to {most / 1e6:g} MB are taken here. Compress the file, or split it and upload the parts.",
            field="file",
            rule=f"at most {most} bytes",
            value=size,
        )
    free = shutil.disk_usage(local_files.home("tmp")).free - SPARE_BYTES
    if size > free:
        rule = f"at most {max(free, 0)} bytes, the space on disk"
        raise UploadTooLarge("The server has no disk space for this file.", field="file", rule=rule, value=size)


class CappedFileHandler(TemporaryFileUploadHandler):
    """Stops a request whose files pass ``most`` bytes (``CAIRN_UPLOAD_BYTES``); what was written so far is removed."""

    def __init__(self, request: Any = None, most: int | None = None) -> None:
        super().__init__(request)
        self._most = settings.CAIRN_UPLOAD_BYTES if most is None else most
        self._received = 0

    def handle_raw_input(
        self, input_data: Any, META: Any, content_length: int, boundary: Any, encoding: Any = None
    ) -> None:
        require_space(content_length - FORM_BYTES, self._most)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes | None:
        self._received += len(raw_data)
        if self._received > self._most:
            self.upload_interrupted()  # Django itself closes only files that came whole
            require_space(self._received, self._most)
        return super().receive_data_chunk(raw_data, start)
