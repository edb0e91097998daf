"""The setting ``CAIRN_STORAGE``: where files are stored."""

import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured
from environ import Env

_BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
_PREFIX = re.compile(r"[A-Za-z0-9._/-]*")


def storage_backend(env: Env, home: Path) -> dict[str, Any]:
    """``STORAGES["default"]`` by the environment.

    Raises
    ------
    ImproperlyConfigured
        ``CAIRN_STORAGE`` is neither empty, ``local`` nor ``s3://bucket/prefix``, or the packages for S3 are missing.
    """
    value = env.str("CAIRN_STORAGE", default="") or "local"
    if value == "local":
        return {"BACKEND": "dashboard.storage.local_storage.LocalFiles"}
    url = urlsplit(value)
    prefix = url.path.strip("/")
    bad = url.query or url.fragment or not _BUCKET.fullmatch(url.netloc) or not _PREFIX.fullmatch(prefix)
    if url.scheme != "s3" or bad or ".." in prefix.split("/"):
        raise ImproperlyConfigured(f"CAIRN_STORAGE must be local or s3://bucket/prefix, got {value!r}")
    if find_spec("storages") is None or find_spec("boto3") is None:
        raise ImproperlyConfigured('CAIRN_STORAGE=s3://… needs two packages: pip install "cairn-privacy[s3]"')
    return {
        "BACKEND": "dashboard.storage.s3_storage.S3Files",
        "OPTIONS": {
            "bucket_name": url.netloc,
            "location": prefix,
            "endpoint_url": env.str("CAIRN_S3_ENDPOINT", default="") or None,
            "region_name": env.str("CAIRN_S3_REGION", default="") or None,
            "access_key": _secret(env, "CAIRN_S3_ACCESS_KEY"),
            "secret_key": _secret(env, "CAIRN_S3_SECRET_KEY"),
            "security_token": None,
            "cache_folder": str(home / "cache"),
            "cache_bytes": env.int("CAIRN_CACHE_MB", default=5000) * 1_000_000,
        },
    }


def _secret(env: Env, name: str) -> str | None:
    """A secret of the environment, or of the file that it names; None leaves it to the client's own sources."""
    value, file = env.str(name, default=""), env.str(f"{name}_FILE", default="")
    if file and not value:
        try:
            value = Path(file).expanduser().read_text().strip()
        except (OSError, UnicodeDecodeError) as error:
            raise ImproperlyConfigured(f"{name}_FILE must name a readable file, got {file!r}") from error
    return value or None
