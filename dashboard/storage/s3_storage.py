"""Stored files as objects of an S3-compatible storage, which many hosts share; each reads them through a cache.

An object is written once, under a name that is never used again, by a conditional request (``If-None-Match: *``), and
nothing is renamed. Objects carry their SHA-256, which every download is checked by.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from django.core.files.base import File
from storages.backends.s3 import S3Storage

from dashboard.core.storage_errors import DamagedFile, StorageUnavailable
from dashboard.storage.read_cache import Content, ReadCache, content_of
from dashboard.storage.stored_path import Listed
from privacy_engine.core.progress import advance

PART_BYTES = 8 << 20
"""Larger files are sent in parts of this size, of which S3 takes 10,000."""
PARTS_AT_ONCE = 4
CHUNK = 1 << 20
CHUNKS = 8 << 20
"""Bytes of a request of :meth:`S3Files.chunks`."""
TRIES = 4
PAUSE_S = 0.2
PROBE_S = 2.0
PROBED_FOR_S = 5.0
FORGOTTEN_S = 86_400.0
"""An upload in parts that was begun so long ago has no process any more."""
FULL = ("QuotaExceeded", "XMinioStorageFull", "InsufficientStorage", "NoSpaceLeft", "XAmzQuotaExceeded")
DIGEST = "sha256"


class _WrittenAtOnce(StorageUnavailable):
    """Two requests wrote the same name at the same time, and the storage lets neither know which was first."""


class _Damaged(StorageUnavailable):
    """What arrived is not what is stored."""


class _Altered(_Damaged):
    """All of it arrived, and it has not the digest that it was stored with."""


@contextlib.contextmanager
def _translated(name: str) -> Iterator[None]:
    """Errors of the client as what readers of files expect; all that is no property of the file may be repeated."""
    try:
        yield
    except ClientError as error:
        status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode")
        code = str(error.response.get("Error", {}).get("Code", ""))
        if status == 404 and code != "NoSuchBucket":
            raise FileNotFoundError(errno.ENOENT, "no such object", name) from error
        if status == 412:
            raise FileExistsError(errno.EEXIST, "there is such an object", name) from error
        if status == 507 or code in FULL:
            raise OSError(errno.ENOSPC, "the storage is full") from error
        raise (_WrittenAtOnce if status == 409 else StorageUnavailable)(f"{status} {code}") from error
    except BotoCoreError as error:
        raise StorageUnavailable(type(error).__name__) from error


class S3Files(S3Storage):
    """Objects in a bucket; ``cache_folder`` holds copies of ``cache_bytes`` on this host."""

    shared = True

    def __init__(self, *, cache_folder: str, cache_bytes: int, **options: Any) -> None:
        config = Config(
            connect_timeout=3,
            read_timeout=60,
            retries={"mode": "standard", "total_max_attempts": 3},
            max_pool_connections=32,
        )
        super().__init__(client_config=config, file_overwrite=True, **options)
        self._cache = ReadCache(Path(cache_folder), cache_bytes)
        self._lock = threading.Lock()
        self._shared: tuple[int, Any] = (0, None)
        self._probed: tuple[float, bool] = (-PROBED_FOR_S, False)

    @property
    def connection(self) -> Any:
        """One for all threads of a process, as its client may be used by any; after a fork a new client."""
        process, client = self._shared
        if process == os.getpid():
            return client
        with self._lock:
            if self._shared[0] != os.getpid():
                made = self._create_session().resource(
                    "s3", region_name=self.region_name, endpoint_url=self.endpoint_url, config=self.client_config
                )
                self._bucket, self._shared = None, (os.getpid(), made)
            return self._shared[1]

    # What Django's storages have

    def path(self, name: str) -> str:
        """Never: NotImplementedError."""
        raise NotImplementedError("files of this storage are on another host: read them by local()")

    def url(self, name: str, *args: Any, **kwargs: Any) -> str:
        """Never: no file has an address of its own."""
        raise ValueError("stored files have no address")

    def exists(self, name: str) -> bool:
        """Whether there is such an object."""
        with _translated(name):
            return bool(super().exists(name))

    def size(self, name: str) -> int:
        """Its bytes."""
        with _translated(name):
            return int(super().size(name))

    def delete(self, name: str) -> None:
        """As :meth:`remove`."""
        self.remove(name)

    def listdir(self, name: str) -> tuple[list[str], list[str]]:
        """Folders and files below a name."""
        with _translated(name):
            folders, files = super().listdir(name)
            return folders, files

    def _open(self, name: str, mode: str = "rb") -> File[bytes]:
        if mode != "rb":
            raise ValueError(f"mode must be rb, got {mode!r}: objects never change")
        return File(self.reader(name), name)

    def _save(self, name: str, content: Any) -> str:
        with self.written(name) as out:
            for chunk in content.chunks():
                out.write(chunk)
        return name

    # Reading

    @contextlib.contextmanager
    def local(self, name: str) -> Iterator[Path]:
        """The copy in the cache of this host."""
        with self._cache.held(name, partial(self._downloaded, name)) as path:
            yield path

    def reader(self, name: str) -> BinaryIO:
        """The copy in the cache of this host, open."""
        return self._cache.reader(name, partial(self._downloaded, name))

    def fetch(self, name: str, out: BinaryIO) -> None:
        """Write the object to ``out``, past the cache."""
        self._downloaded(name, out)

    def chunks(self, name: str) -> Iterator[bytes]:
        """The content in parts, each a request of its own: any time may pass between two of them."""
        named = self._named(name)
        with _translated(name):
            head = self._client.head_object(**named)
        for start in range(0, head["ContentLength"], CHUNKS):
            part = f"bytes={start}-{start + CHUNKS - 1}"
            try:
                with _translated(name):
                    content = self._client.get_object(**named, Range=part, IfMatch=head["ETag"])["Body"].read()
            except FileExistsError as error:
                raise StorageUnavailable("an object was replaced meanwhile") from error
            yield content

    def discard_copy(self, name: str) -> bool:
        """Remove the copy on this host."""
        self._cache.forget(name)
        return True

    def _downloaded(self, name: str, out: BinaryIO) -> Content:
        start = out.tell()
        for attempt in range(1, TRIES + 1):
            try:
                return self._download(name, out)
            except _Damaged as error:
                if attempt == TRIES:
                    if isinstance(error, _Altered):
                        raise DamagedFile(name) from error
                    raise
            out.seek(start)
            out.truncate()
            time.sleep(PAUSE_S * attempt)
        raise AssertionError("not reached")

    def _download(self, name: str, out: BinaryIO) -> Content:
        with _translated(name):
            answer = self._client.get_object(**self._named(name))
        digest, size = hashlib.sha256(), 0
        try:
            with contextlib.closing(answer["Body"]) as body:
                while chunk := body.read(CHUNK):
                    advance()
                    out.write(chunk)
                    digest.update(chunk)
                    size += len(chunk)
        except BotoCoreError as error:
            raise _Damaged(type(error).__name__) from error
        expected = answer.get("Metadata", {}).get(DIGEST, "")  # none of objects that were copied there by other means
        if size != answer["ContentLength"]:
            raise _Damaged("an object arrived in part")
        if expected not in ("", digest.hexdigest()):
            raise _Altered("an object is damaged")
        return Content(size, digest.hexdigest())

    # Writing

    @contextlib.contextmanager
    def written(self, name: str) -> Iterator[BinaryIO]:
        """A file in the cache of this host, that becomes an object when the block ends without an error.

        Raises
        ------
        FileExistsError
            There is another object of this name.
        """
        with self._cache.making() as (out, _):
            yield out
            self._cache.adopt(name, out, self._put(name, out))

    def take(self, source: Path, name: str) -> None:
        """Send the file, which stays as the copy in the cache of this host."""
        with source.open("rb") as file:
            content = self._put(name, file)
            self._cache.adopt(name, file, content)

    def take_folder(self, source: Path, name: str) -> None:
        """Send every file; none of them stays where any cannot be sent."""
        taken = []
        try:
            for path in sorted(source.iterdir()):
                taken.append(f"{name}/{path.name}")
                self.take(path, taken[-1])
        except BaseException:
            for sent in taken:
                with contextlib.suppress(StorageUnavailable):  # the sweep will
                    self.remove(sent)
            raise
        source.rmdir()

    def _put(self, name: str, file: BinaryIO) -> Content:
        """Send a file under a new name; the answer to an earlier request for the same may have been lost."""
        file.flush()
        content = content_of(file)
        for attempt in range(1, TRIES + 1):
            file.seek(0)
            try:
                with _translated(name):
                    self._send(name, file, content)
                return content
            except FileExistsError:
                if self._is_stored(name, content):
                    return content
                raise
            except _WrittenAtOnce:
                if attempt == TRIES:
                    raise
                time.sleep(PAUSE_S * attempt)
        raise AssertionError("not reached")

    def _send(self, name: str, file: BinaryIO, content: Content) -> None:
        if content.size > PART_BYTES:
            self._send_parts(name, file, content)
            return
        self._client.put_object(**self._named(name), Body=file, IfNoneMatch="*", Metadata={DIGEST: content.sha256})

    def _send_parts(self, name: str, file: BinaryIO, content: Content) -> None:
        named = self._named(name)
        begun = self._client.create_multipart_upload(**named, Metadata={DIGEST: content.sha256})
        named["UploadId"] = begun["UploadId"]

        def sent(number: int) -> dict[str, Any]:
            part = os.pread(file.fileno(), PART_BYTES, (number - 1) * PART_BYTES)
            answer = self._client.upload_part(**named, PartNumber=number, Body=part)
            return {"ETag": answer["ETag"], "PartNumber": number, **_checksums(answer)}

        try:
            parts: list[dict[str, Any]] = []
            with ThreadPoolExecutor(PARTS_AT_ONCE) as pool:
                for part in pool.map(sent, range(1, -(-content.size // PART_BYTES) + 1)):
                    advance()
                    parts.append(part)
            self._client.complete_multipart_upload(**named, MultipartUpload={"Parts": parts}, IfNoneMatch="*")
        except BaseException:
            with contextlib.suppress(ClientError, BotoCoreError):  # maintain() will
                self._client.abort_multipart_upload(**named)
            raise

    def _is_stored(self, name: str, content: Content) -> bool:
        with _translated(name):
            head = self._client.head_object(**self._named(name))
        return (head["ContentLength"], head["Metadata"].get(DIGEST)) == content

    # Deleting and listing

    def move(self, name: str, target: str) -> None:
        """Copy the object with its SHA-256 and delete the original; copies of 5 GB and more are made in parts."""
        with _translated(name):
            head = self._client.head_object(**self._named(name))
            named = self._named(target)
            self._client.copy(
                self._named(name),
                named["Bucket"],
                named["Key"],
                ExtraArgs={"MetadataDirective": "REPLACE", "Metadata": head.get("Metadata", {})},
            )
        self.remove(name)

    def remove(self, name: str) -> None:
        """Delete the object, and the copy on this host; those of other hosts go when they were not used for an hour."""
        self._cache.forget(name)
        with _translated(name):
            super().delete(name)

    def remove_folder(self, name: str) -> None:
        """Delete all objects below a name."""
        for file in self.listed(f"{name}/"):
            self.remove(file.name)

    def remove_empty(self, name: str) -> None:
        """Nothing: there are no folders."""

    def listed(self, prefix: str) -> Iterator[Listed]:
        """The objects whose names begin with ``prefix``."""
        key, start = self._named(prefix)["Key"], len(self._named("x")["Key"]) - 1
        pages = self._client.get_paginator("list_objects_v2").paginate(Bucket=self.bucket_name, Prefix=key)
        with _translated(prefix):
            for page in pages:
                for entry in page.get("Contents", ()):
                    yield Listed(entry["Key"][start:], _age_s(entry["LastModified"]))

    def maintain(self) -> None:
        """Remove copies on this host that are not used any more."""
        self._cache.maintain()

    def abort_forgotten(self) -> int:
        """End uploads in parts whose process was killed a day ago or earlier; how many."""
        aborted, start = 0, self._named("x")["Key"].removesuffix("x")
        with _translated(""):
            pages = self._client.get_paginator("list_multipart_uploads").paginate(Bucket=self.bucket_name, Prefix=start)
            for upload in (begun for page in pages for begun in page.get("Uploads", ())):
                if _age_s(upload["Initiated"]) > FORGOTTEN_S:
                    self._client.abort_multipart_upload(
                        Bucket=self.bucket_name, Key=upload["Key"], UploadId=upload["UploadId"]
                    )
                    aborted += 1
        return aborted

    def answers(self) -> bool:
        """Whether the bucket answered to this server's credentials in the last seconds, without repetitions."""
        if time.monotonic() - self._probed[0] < PROBED_FOR_S:
            return self._probed[1]
        client = self._create_session().client(
            "s3",
            region_name=self.region_name,
            endpoint_url=self.endpoint_url,
            config=Config(connect_timeout=PROBE_S, read_timeout=PROBE_S, retries={"total_max_attempts": 1}),
        )
        try:
            client.head_bucket(Bucket=self.bucket_name)
            answered = True
        except (ClientError, BotoCoreError):
            answered = False
        finally:
            client.close()
        self._probed = time.monotonic(), answered
        return answered

    @property
    def _client(self) -> Any:
        return self.connection.meta.client

    def _named(self, name: str) -> dict[str, str]:
        return {"Bucket": self.bucket_name, "Key": f"{self.location}/{name}" if self.location else name}


def _checksums(sent: dict[str, Any]) -> dict[str, str]:
    """What the completion has to repeat of a part."""
    return {name: value for name, value in sent.items() if name.startswith("Checksum") and name != "ChecksumType"}


def _age_s(moment: datetime) -> float:
    return (datetime.now(UTC) - moment).total_seconds()
