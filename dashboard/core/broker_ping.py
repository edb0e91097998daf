"""Whether the message broker answers, and takes the password."""

from dashboard.core.redis_protocol import Refused, query


def broker_answers(url: str) -> bool:
    """Return whether Redis answers at once; it may refuse the password, and answers then."""
    try:
        return bool(query(url, ("PING",)))
    except OSError as error:
        return isinstance(error, Refused)


def broker_refuses(url: str) -> str | None:
    """Return why Redis refuses the password of ``url``, as its message; None if it does not, or is away."""
    try:
        query(url, ("PING",))
    except OSError as error:
        return str(error) if isinstance(error, Refused) else None
    return None
