"""The few numba loops that decide the speed: plain arrays in, plain arrays out.

Nothing else imports numba, and callers import a kernel inside the function that needs it: importing numba takes a
quarter of a second that ``--help`` and most requests have no use for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit

F = TypeVar("F", bound=Callable[..., Any])


def compiled(function: F) -> F:
    """``function`` compiled at its first call, kept on disk, run without the interpreter's lock."""
    return cast(F, njit(cache=True, nogil=True)(function))
