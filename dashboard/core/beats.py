"""Signs of life of processes on any host: keys of the message broker, which all of them reach."""

import logging
from typing import NamedTuple

from django.conf import settings

from dashboard.core.redis_protocol import query

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
    try:
        query(settings.CELERY_BROKER_URL, ("SET", _key(kind, name), text, "EX", str(FORGOTTEN_S)))
    except OSError as error:
        logger.info("beat of %s %s missed: %s", kind, name, type(error).__name__)


def remove(kind: str, name: str) -> None:
    """Record that a process ended."""
    try:
        query(settings.CELERY_BROKER_URL, ("DEL", _key(kind, name)))
    except OSError as error:
        logger.info("end of %s %s missed: %s", kind, name, type(error).__name__)


def latest(kind: str) -> list[Beat]:
    """The last beat of each process of a kind, the latest first; none while the broker is away.

    A key's age is known by its remaining time, so by the broker's clock: those of the hosts may differ.
    """
    try:
        (keys,) = query(settings.CELERY_BROKER_URL, ("KEYS", _key(kind, "*")))
        names = [key.decode() for key in keys]
        commands = [(command, name) for name in names for command in ("PTTL", "GET")]
        answers = query(settings.CELERY_BROKER_URL, *commands) if commands else []
    except OSError:
        return []
    beats = [
        Beat(name.removeprefix(_key(kind, "")), max(FORGOTTEN_S - left_ms / 1000, 0.0), text.decode())
        for name, left_ms, text in zip(names, answers[::2], answers[1::2], strict=True)
        if text is not None  # it ended meanwhile
    ]
    return sorted(beats, key=lambda beat: beat.age_s)


def _key(kind: str, name: str) -> str:
    return f"cairn:beat:{kind}:{name}"
