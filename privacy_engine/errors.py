"""Errors of the engine. Each names the field, the rule it broke and the value that broke it."""

from collections.abc import Sequence
from typing import Any, Self

_LEFT_OUT: Any = object()


class EngineError(ValueError):
    """Base of every error the engine raises on purpose.

    ``code`` is stable and safe to log; ``message`` is for a person; ``value`` is the offending value as it
    came in (it may be a user's data, so it goes to the user and never to a log).
    """

    code = "engine-error"

    def __init__(
        self, message: str, *, field: str = "", rule: str = "", value: Any = None, code: str | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.field = field
        self.rule = rule
        self.value = value
        if code is not None:
            self.code = code

    @classmethod
    def must_be(cls, field: str, rule: str, value: Any = _LEFT_OUT, *, got: Any = True) -> Self:
        """The error of ``field``, whose ``value`` breaks ``rule``; ``got``: how the message shows it, False not at all.

        >>> str(ParameterError.must_be("k", "between 1 and 9", 10))
        'k must be between 1 and 9, got 10'
        """
        given = value is not _LEFT_OUT
        got = given and f"{value!r:.60}" if got is True else got
        ending = "" if got is False else f", got {got}"
        return cls(f"{field} must be {rule}{ending}", field=field, rule=rule, value=value if given else None)

    def as_dict(self) -> dict[str, Any]:
        """The error as JSON-ready data: code, field, rule, value, message."""
        return {
            "code": self.code,
            "field": self.field,
            "rule": self.rule,
            "value": shown(self.value),
            "message": self.message,
        }


class ParameterError(EngineError):
    """A parameter lies outside its domain, is missing, or is not known."""

    code = "parameter"


class ParameterErrors(ParameterError):
    """Several parameter errors at once; it reads as the first and carries them all in ``errors``."""

    def __init__(self, errors: list[ParameterError]) -> None:
        first = errors[0]
        super().__init__(
            "; ".join(error.message for error in errors), field=first.field, rule=first.rule, value=first.value
        )
        self.errors = errors


class DataError(EngineError):
    """Arrays that are not a series: wrong shape, not finite, out of range, out of order."""

    code = "data"


class BudgetError(EngineError):
    """An attempt to spend more than the ledger allows."""

    code = "budget"


class FormatError(EngineError):
    """A file that cannot be read. ``row`` and ``column`` are 1-based positions in the file, where known."""

    code = "unreadable"

    def __init__(
        self, message: str, *, code: str = "unreadable", row: int | None = None, column: str | None = None, **kw: Any
    ) -> None:
        kw.setdefault("field", "file")
        super().__init__(message, code=code, **kw)
        self.row = row
        self.column = column

    def as_dict(self) -> dict[str, Any]:
        return super().as_dict() | {"row": self.row, "column": self.column}


class ChoiceNeeded(FormatError):
    """The file can be read in several ways, and only its owner can decide which.

    ``parameter`` is the reading option that settles it, ``choices`` its values with a plain label each,
    ``default`` the reading to preselect.
    """

    def __init__(
        self, message: str, *, parameter: str, choices: Sequence[tuple[str, str]], default: str | None, **kw: Any
    ) -> None:
        super().__init__(message, code="choice-needed", **({"field": parameter, "rule": "choose"} | kw))
        self.parameter = parameter
        self.choices = list(choices)
        self.default = default

    def as_dict(self) -> dict[str, Any]:
        return super().as_dict() | {
            "parameter": self.parameter,
            "choices": [{"value": value, "label": label} for value, label in self.choices],
            "default": self.default,
        }


def shown(value: Any, limit: int = 80) -> Any:
    """``value`` as JSON-ready data that is short enough to show: long text is cut, odd numbers become text."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int) and abs(value) < 2**53:
        return value
    if isinstance(value, float) and value == value and abs(value) != float("inf"):
        return value
    try:
        text = str(value)
    except (ValueError, RecursionError):  # integers of more than 4300 digits and deep lists refuse to become text
        text = f"a {type(value).__name__} too long to show"
    return text if len(text) <= limit else text[: limit - 1] + "…"
