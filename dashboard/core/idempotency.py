"""Requests that may be sent again, with an Idempotency-Key or without: there is a single row."""

import re
from collections.abc import Callable
from hashlib import sha256
from typing import Any, TypeVar

from django.db import IntegrityError
from django.db.models import Model, Q, UniqueConstraint

from dashboard.core.errors import Conflict, must_be

Row = TypeVar("Row", bound=Model)

HEADER = "Idempotency-Key"
_KEY = re.compile(r"[!-~]{1,100}")


def check_key(key: str) -> None:
    """Refuse a key that is not 1 to 100 visible ASCII characters, with a ParameterError."""
    if key and not _KEY.fullmatch(key):
        raise must_be(HEADER, "1 to 100 visible ASCII characters", key, got=False)


def sent_key(request: Any, owner_id: Any) -> str:
    """The key of ``request``, for a row of ``owner_id``; "" without a key. Keys of different users are never the same.

    Errors as in :func:`check_key`.
    """
    key = str(request.headers.get(HEADER, ""))
    check_key(key)
    user = request.user.pk
    return key if not key or user == owner_id else sha256(f"{user} {key}".encode()).hexdigest()


def one_per_key(name: str) -> UniqueConstraint:
    """What holds for rows with an ``owner`` and an ``idempotency_key``, which is "" without any."""
    fields, condition = ["owner", "idempotency_key"], ~Q(idempotency_key="")
    return UniqueConstraint(fields=fields, condition=condition, name=f"{name}_one_per_idempotency_key")


def earlier_row(fresh: Row, request: Callable[[Row], Any]) -> Row | None:
    """The row that its owner's key made before, or None; ``request`` returns what two equal requests have in common.

    Raises
    ------
    Conflict
        The key was used for a request that differs.
    """
    owner_id, key = fresh.owner_id, fresh.idempotency_key
    row = key and type(fresh)._default_manager.filter(owner=owner_id, idempotency_key=key).first()
    if not row:
        return None
    if request(row) != request(fresh):
        rule = "a new key for a new request"
        raise Conflict(f"{HEADER} was used for another request.", field=HEADER, rule=rule, value=key)
    return row


def once(earlier: Callable[[], Row | None], create: Callable[[], Row]) -> tuple[Row, bool]:
    """Return the row that an equal request made ``earlier``, or that this request creates; whether it is new.

    Of two equal requests at once, the constraints of the database let only the first create it.
    """
    if row := earlier():
        return row, False
    try:
        return create(), True
    except IntegrityError:
        if row := earlier():
            return row, False
        raise
