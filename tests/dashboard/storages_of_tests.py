"""Both storages of files for tests: the folder of this host, and a real S3 server."""

import itertools
from contextlib import contextmanager

import pytest
from django.core.files.storage import storages

from dashboard.storage.local_storage import LocalFiles
from dashboard.storage.s3_storage import S3Files
from tests.s3_server import BUCKET, KEYS

STORAGES = ["local", pytest.param("s3", marks=pytest.mark.slow)]
"""Of tests of each; S3 needs a server, a process."""
_prefixes = itertools.count()


def host(server, prefix, folder, cache_bytes=50_000_000):
    """The storage as a host with a cache in ``folder`` has it."""
    keys = {"access_key": KEYS["AWS_ACCESS_KEY_ID"], "secret_key": KEYS["AWS_SECRET_ACCESS_KEY"]}
    where = {"bucket_name": BUCKET, "endpoint_url": server.endpoint, "region_name": KEYS["AWS_DEFAULT_REGION"]}
    return S3Files(**where, **keys, location=prefix, cache_folder=str(folder), cache_bytes=cache_bytes)


def fresh_prefix():
    return f"test/{next(_prefixes)}"


@contextmanager
def used(storage):
    before = storages["default"]
    storages._storages["default"] = storage
    try:
        yield storage
    finally:
        storages._storages["default"] = before


@contextmanager
def used_by_name(name, request, folder):
    if name == "local":
        with used(LocalFiles()) as storage:
            yield storage
    else:
        server = request.getfixturevalue("s3_server")
        server.fail()
        with used(host(server, fresh_prefix(), folder)) as storage:
            yield storage
