"""Both storages of files for tests: the folder of this host, and a real S3 server."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.core.files.storage import storages

from dashboard.storage.local_storage import LocalFiles
from dashboard.storage.s3_storage import S3Files
from tests.s3_server import BUCKET, KEYS, S3Server

_prefixes = itertools.count()


def host(server: S3Server, prefix: str, folder: Path, cache_bytes: int = 50_000_000) -> S3Files:
    """The storage as a host with a cache in ``folder`` has it."""
    return S3Files(
        bucket_name=BUCKET,
        location=prefix,
        endpoint_url=server.endpoint,
        region_name=KEYS["AWS_DEFAULT_REGION"],
        access_key=KEYS["AWS_ACCESS_KEY_ID"],
        secret_key=KEYS["AWS_SECRET_ACCESS_KEY"],
        cache_folder=str(folder),
        cache_bytes=cache_bytes,
    )


def fresh_prefix() -> str:
    """A prefix with nothing below it."""
    return f"test/{next(_prefixes)}"


@contextmanager
def used(storage: Any) -> Iterator[Any]:
    """Let ``storage`` be the one that the settings name."""
    before = storages["default"]
    storages._storages["default"] = storage
    try:
        yield storage
    finally:
        storages._storages["default"] = before


@contextmanager
def used_by_name(name: str, server: S3Server | None, folder: Path) -> Iterator[Any]:
    """The storage called local or s3."""
    if name == "local":
        with used(LocalFiles()) as storage:
            yield storage
    else:
        assert server
        server.fail()
        with used(host(server, fresh_prefix(), folder)) as storage:
            yield storage
