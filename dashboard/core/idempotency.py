"""The Idempotency-Key of a request that may be sent again."""

from __future__ import annotations

import re

from privacy_engine.errors import ParameterError

HEADER = "Idempotency-Key"
_KEY = re.compile(r"[!-~]{1,100}")


def check_key(key: str) -> None:
    """Refuse a key, if there is one, that is not 1 to 100 visible ASCII characters, with a ParameterError."""
    if key and not _KEY.fullmatch(key):
        rule = "1 to 100 visible ASCII characters"
        raise ParameterError(f"{HEADER} must be {rule}", field=HEADER, rule=rule, value=key)
