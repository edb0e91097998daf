"""Keys that are derived from the ledger's key, which stays when SECRET_KEY is changed; digests of tokens."""

import hmac
from hashlib import sha256

from django.conf import settings


def derived_key(purpose: str) -> bytes:
    """The key for a purpose, 32 bytes: those for others show nothing of it."""
    return hmac.digest(settings.CAIRN_LEDGER_KEY.encode(), f"cairn {purpose}".encode(), "sha256")


def digest_of(token: str) -> str:
    """What is stored of the token of a link: its SHA-256."""
    return sha256(token.encode("utf-8", "replace")).hexdigest()
