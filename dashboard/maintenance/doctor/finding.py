"""A finding of ``manage.py doctor``."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Finding:
    """``what`` is wrong, in a sentence; what to ``do``, in another. An ``error`` stops work, a ``warning`` will."""

    code: str
    level: Literal["error", "warning"]
    what: str
    do: str


def error(code: str, what: str, do: str) -> Finding:
    return Finding(code, "error", what, do)


def warning(code: str, what: str, do: str) -> Finding:
    return Finding(code, "warning", what, do)
