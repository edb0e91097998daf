"""Signs of life of processes on any host: keys of the message broker, which all of them reach."""

from __future__ import annotations

import logging
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from django.conf import settings

from dashboard.core.broker_ping import BROKER_S

if TYPE_CHECKING:
    from redis import Redis

logger = logging.getLogger(__name__)

FORGOTTEN_S = 3600
"""A process without a beat for so long is not listed."""


class Beat(NamedTuple):
    """The last sign of life of a process."""

    name: str
    age_s: float
    text: str


def record(kind: str, name: str, text: str = "") -> None:
    """Record that a process is alive now. Nothing is recorded while the broker is away."""
    from redis import RedisError

    try:
        _client(settings.CELERY_BROKER_URL).set(_key(kind, name), text, ex=FORGOTTEN_S)
    except RedisError as error:
        logger.info("beat of %s %s missed: %s", kind, name, type(error).__name__)


def remove(kind: str, name: str) -> None:
    """Record that a process ended."""
    from redis import RedisError

    try:
        _client(settings.CELERY_BROKER_URL).delete(_key(kind, name))
    except RedisError as error:
        logger.info("end of %s %s missed: %s", kind, name, type(error).__name__)


def latest(kind: str) -> list[Beat]:
    """The last beat of each process of a kind, the latest first; none while the broker is away.

    A key's remaining time tells its age by the broker's clock: those of the hosts may differ.
    """
    from redis import RedisError

    client = _client(settings.CELERY_BROKER_URL)
    try:
        keys: list[bytes] = list(client.scan_iter(match=_key(kind, "*"), count=1000))
        with client.pipeline(transaction=False) as asked:
            for key in keys:
                asked.pttl(key)
                asked.get(key)
            answers = asked.execute() if keys else []
    except RedisError:
        return []
    found = [
        Beat(key.decode().removeprefix(_key(kind, "")), max(FORGOTTEN_S - left_ms / 1000, 0.0), text.decode())
        for key, left_ms, text in zip(keys, answers[::2], answers[1::2], strict=True)
        if text is not None  # it ended meanwhile
    ]
    return sorted(found, key=lambda beat: beat.age_s)


def _key(kind: str, name: str) -> str:
    return f"cairn:beat:{kind}:{name}"


@lru_cache(maxsize=1)
def _client(url: str) -> Redis:
    """A client that neither waits long for a broker that is away nor tries again."""
    from redis import Redis
    from redis.backoff import NoBackoff
    from redis.retry import Retry

    # Celery's names of a socket and of a database's number
    known = url.replace("redis+socket://", "unix://").replace("virtual_host=", "db=")
    return Redis.from_url(
        known, socket_timeout=BROKER_S, socket_connect_timeout=BROKER_S, retry=Retry(NoBackoff(), 1)
    )  # fmt: skip
