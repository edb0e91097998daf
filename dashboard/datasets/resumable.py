"""Uploads that survive a lost connection: begun, continued at the byte they reached, made a dataset when whole.

Where files are local, the bytes of an upload are appended to a file (:mod:`dashboard.datasets.upload_file`). Where
hosts share their files, each request may arrive at another host (:mod:`dashboard.datasets.upload_pieces`).
"""

import hashlib
import hmac
from collections.abc import Mapping
from datetime import datetime, timedelta
from types import MappingProxyType, ModuleType
from typing import Any, BinaryIO

from django.conf import settings
from django.core.files.base import File
from django.db import transaction
from django.db.models.functions import Now
from django.utils import timezone

from dashboard.accounts.models import User
from dashboard.core.errors import Conflict
from dashboard.core.text import one_line
from dashboard.datasets import quota, services, upload_file, upload_pieces
from dashboard.datasets.models import Dataset, Upload
from dashboard.datasets.upload_stream import HASHES, Checksum, Damaged, Piece
from dashboard.storage import removals
from dashboard.storage.stored_path import stored_files
from dashboard.storage.uploads import require_space

__all__ = ["HASHES", "Damaged", "abandon", "append", "begin", "expires", "finish", "forget_expired"]

MOST_OPEN = 100


def _place() -> ModuleType:
    """The module that stores the bytes of uploads."""
    return upload_pieces if stored_files().shared else upload_file


def begin(*, owner: User, length: int, file_name: str = "") -> Upload:
    """A new upload of a file of ``length`` bytes.

    Raises
    ------
    TooLarge
        It is larger than this server takes, than the free space of its disk, or than what is left of the owner's quota.
    Conflict
        The owner has very many unfinished uploads.
    """
    require_space(length, settings.CAIRN_UPLOAD_BYTES)
    if Upload.objects.filter(owner=owner, dataset=None).count() >= MOST_OPEN:
        rule = f"at most {MOST_OPEN} unfinished uploads"
        raise Conflict(f"There are {MOST_OPEN} unfinished uploads. Finish or delete some.", field="upload", rule=rule)
    upload = Upload(owner=owner, length=length, file_name=one_line(file_name, 255))
    _place().begin(upload)
    try:
        with transaction.atomic():
            quota.require(owner, length, upload.file_name)
            upload.save(force_insert=True)
    except BaseException:
        upload.folder.remove_folder()
        raise
    return upload


def append(
    *, upload: Upload, offset: int, stream: BinaryIO, size: int | None = None, checksum: Checksum | None = None
) -> Upload:
    """Store what ``stream`` gives at ``offset``; what arrived before a connection broke is kept.

    ``checksum`` is (algorithm, digest) of the piece, which is thrown away if it differs. Of a piece that is cut, of
    which fewer than the announced ``size`` bytes arrive, it cannot be compared.

    Raises
    ------
    Conflict
        ``offset`` is not where the upload stands, it is a dataset already, or another request writes to it.
    TooLarge
        There is more than was announced; nothing of the piece is kept.
    Damaged
        The checksum differs; nothing of the piece is kept.
    """
    if upload.dataset_id:
        raise Conflict("The upload is a dataset already.", field="upload", rule="unfinished")
    upload.received = _place().append(upload, offset, Piece(stream, size, checksum))
    upload.touched_at = timezone.now()
    return upload


def finish(
    *,
    upload: Upload,
    sha256: str = "",
    name: str = "",
    options: Mapping[str, Any] = MappingProxyType({}),
    **more: Any,
) -> Dataset:
    """The dataset of a whole upload; called twice, the same. Refused, the upload stays for another try.

    Raises
    ------
    Conflict
        Bytes are missing, or another request makes a dataset of it.
    Damaged
        The file does not have this SHA-256.
    EngineError
        As :func:`dashboard.datasets.services.import_dataset`.
    """
    if upload.dataset_id:
        return Dataset.objects.get(pk=upload.dataset_id)
    with _place().whole(upload) as file:
        if sha256 and not hmac.compare_digest(hashlib.file_digest(file, "sha256").hexdigest(), sha256.lower()):
            message = "The file arrived damaged: its SHA-256 differs. Upload it again."
            raise Damaged(message, field="sha256", rule="SHA-256 of the file, 64 hexadecimal digits")
        whole = _Whole(file, upload)
        dataset = services.import_dataset(
            owner=upload.owner, upload=whole, name=name, options=options, reserved=upload.length, **more
        )
        mine = Upload.objects.filter(pk=upload.pk, dataset=None)
        with transaction.atomic():
            taken = mine.update(dataset=dataset, pieces=[], touched_at=Now())
            if taken:  # the dataset has a name for the same bytes
                removals.request(str(upload.folder))
    return dataset if taken else _other(upload, dataset)


def _other(upload: Upload, made: Dataset) -> Dataset:
    """The dataset that another host made of the upload meanwhile, or ``made`` if the upload was deleted."""
    other = Dataset.objects.filter(pk__in=Upload.objects.filter(pk=upload.pk).values("dataset")).first()
    if other is None:
        return made
    services.delete_dataset(dataset=made)
    return other


class _Whole(File):
    """A whole upload as the import takes it: with a path, so that it is linked and not copied."""

    def __init__(self, file: BinaryIO, upload: Upload) -> None:
        super().__init__(file, name=upload.file_name)

    def temporary_file_path(self) -> str:
        return str(self.file.name)


def abandon(*, upload: Upload) -> None:
    """Forget it, with every byte."""
    upload.delete()


def expires(upload: Upload) -> datetime:
    """When it is forgotten unless it goes on."""
    return upload.touched_at + timedelta(hours=settings.CAIRN_UPLOAD_HOURS)


def forget_expired() -> int:
    """Remove the uploads that were abandoned; how many."""
    old = Upload.objects.filter(touched_at__lt=timezone.now() - timedelta(hours=settings.CAIRN_UPLOAD_HOURS))
    forgotten = 0
    for upload in old:  # those that did not go on meanwhile
        forgotten += Upload.objects.filter(pk=upload.pk, touched_at=upload.touched_at).delete()[0]
    return forgotten
