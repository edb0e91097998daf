"""Whether the message broker answers, and takes the password."""

from __future__ import annotations

from dashboard.core.redis_line import Refused, ask


def broker_answers(url: str) -> bool:
    """Return whether Redis answers at once; it may refuse the password, and answers then."""
    try:
        ask(url, ("PING",))
    except Refused:
        return True
    except OSError:
        return False
    return True


def broker_refuses(url: str) -> str | None:
    """Return why Redis refuses the password of ``url``, as its message; None if it does not, or is away."""
    try:
        ask(url, ("PING",))
    except Refused as error:
        return str(error)
    except OSError:
        return None
    return None
