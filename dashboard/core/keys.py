"""Keys that are derived from the ledger's key, which stays when SECRET_KEY is changed."""

import hmac

from django.conf import settings


def derived_key(purpose: str) -> bytes:
    """The key for one purpose, 32 bytes: those for others show nothing of it."""
    return hmac.digest(settings.CAIRN_LEDGER_KEY.encode(), f"cairn {purpose}".encode(), "sha256")
