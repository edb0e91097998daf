"""Errors of the dashboard's services, in the engine's form: each names the field, the rule and the value.

``status`` is that of the API's response; without it, it is 400.
"""

from collections.abc import Iterable
from typing import Any, Protocol

from privacy_engine.errors import EngineError, ParameterError


class Conflict(EngineError):
    """The request does not fit the present state."""

    code = "conflict"
    status = 409


class TooLarge(EngineError):
    """More bytes or more work than this server takes."""

    code = "too-large"
    status = 413


def must_be(field: str, rule: str, value: Any = None, *, got: Any = True) -> ParameterError:
    """As that of the engine's errors, of a value that may be None, which is not shown."""
    return ParameterError.must_be(field, rule, value, got=False if got is True and value is None else got)


def as_shown(error: EngineError, **labels: str) -> str:
    """The message of ``error`` as a sentence that calls a field what the page does, by ``labels`` of fields.

    >>> as_shown(must_be("expires_on", "today or later"), expires_on="Last day of the link")
    'Last day of the link must be today or later.'
    """
    field, text = error.field, error.message.rstrip(".")
    named = text.startswith(f"{field} ") and field in labels
    return f"{labels[field] + text[len(field) :] if named else text}."


class HasState(Protocol):
    """A row with the state of its job."""

    @property
    def state(self) -> str: ...


def require_state(job: HasState, state: str, what: str) -> None:
    """Refuse a job that is not in ``state``, where it has something to work with.

    Raises
    ------
    Conflict
        Names ``what`` it is (its field in the API) and the state it is in.
    """
    if job.state != state:
        raise Conflict(f"The {what} must be {state}, it is {job.state}.", field=what, rule=str(state), value=job.state)


def require_format(fmt: str, formats: Iterable[str]) -> None:
    """Refuse a format of download that is not there.

    Raises
    ------
    ParameterError
        It is none of ``formats``.
    """
    known = list(formats)
    if fmt not in known:
        rule = f"must be one of {', '.join(known)}"
        raise ParameterError(f"format {rule}, got {fmt!r:.60}", field="format", rule=rule, value=fmt)
