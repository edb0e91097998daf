"""Limits of failed attempts to log in, for each name and each address, shared by all web processes.

An attempt is counted before its password is checked, so that of many at once no more than the limit are checked.
"""

import ipaddress
import math
from datetime import timedelta

from django.db.models import F
from django.http import HttpRequest
from django.utils import timezone
from django.utils.crypto import salted_hmac
from rest_framework.exceptions import Throttled
from rest_framework.throttling import BaseThrottle

from dashboard.accounts.models import AttemptCount
from privacy_engine.core.plurals import quantity

PERIOD = timedelta(minutes=15)  # from the first attempt
BY_NAME = 10
BY_ADDRESS = 50  # an address may be that of a whole institution
BY_CODE = 5  # of the second factor: of a million codes three are valid at a time
IPV6_NETWORK = 64  # what a subscriber has


def client_address(request: HttpRequest) -> str:
    """The client's IPv4 address or IPv6 network; by X-Forwarded-For as far as ``CAIRN_PROXIES`` believes it."""
    text = str(BaseThrottle().get_ident(request))
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return text
    if isinstance(address, ipaddress.IPv6Address):
        return str(address.ipv4_mapped or ipaddress.ip_network((address, IPV6_NETWORK), strict=False))
    return text


def start_login(request: HttpRequest, *, name: str | None = None, user_id: object = None) -> None:
    """Count an attempt at the password of ``name``, whether there is such a user or not, at a code of ``user_id``.

    Either may be left out, where it is not required.

    Raises
    ------
    Throttled
        The limit of the name, of the user or of the address is reached; ``wait`` is in seconds.
    """
    count_attempt("address", client_address(request), BY_ADDRESS)
    if name is not None:
        count_attempt("name", name, BY_NAME)
    if user_id is not None:
        count_attempt("code", str(user_id), BY_CODE)


def login_succeeded(request: HttpRequest, *, name: str | None = None, user_id: object = None) -> None:
    """Start afresh for name and user, and do not count the attempt for the address."""
    digests = [] if name is None else [_digest("name", name)]
    if user_id is not None:
        digests.append(_digest("code", str(user_id)))
    AttemptCount.objects.filter(digest__in=digests).delete()
    take_back_attempt("address", client_address(request))


def count_secret(request: HttpRequest) -> None:
    """Count a link or a token that is none; good ones are never refused, since 256 random bits cannot be guessed.

    Raises
    ------
    Throttled
        The limit of the address is reached.
    """
    count_attempt("secret", client_address(request), BY_ADDRESS)


def count_attempt(kind: str, value: str, limit: int) -> None:
    """Count an attempt of ``value``.

    Raises
    ------
    Throttled
        ``limit`` attempts were counted in the current period.
    """
    now, digest = timezone.now(), _digest(kind, value)
    AttemptCount.objects.filter(digest=digest, ends_at__lte=now).delete()
    row, _ = AttemptCount.objects.get_or_create(digest=digest, defaults={"ends_at": now + PERIOD})
    if not AttemptCount.objects.filter(pk=row.pk, attempts__lt=limit).update(attempts=F("attempts") + 1):
        raise Throttled(wait=max(1, math.ceil((row.ends_at - now).total_seconds())))


def take_back_attempt(kind: str, value: str) -> None:
    """Do not count an attempt that succeeded."""
    rows = AttemptCount.objects.filter(digest=_digest(kind, value), attempts__gt=0)
    rows.update(attempts=F("attempts") - 1)


def wait_text(refused: Throttled) -> str:
    """When the next attempt is taken, for a page."""
    at = timezone.now() + timedelta(seconds=refused.wait)
    return f"Try again in {quantity(math.ceil(refused.wait / 60), 'minute')}, after {at:%H:%M} UTC."


def _digest(kind: str, value: str) -> str:
    return salted_hmac(f"accounts.attempts.{kind}", value.encode("utf-8", "replace"), algorithm="sha256").hexdigest()
