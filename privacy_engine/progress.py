"""Progress of long work: its loops call :func:`advance`, and whoever runs the work listens.

A job that reports nothing for ``CAIRN_STALL_S`` is taken as stuck, so no stage may be silent for a third of that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

_listeners: list[Callable[[], None]] = []


def advance() -> None:
    """Report that the work goes on; costs next to nothing where nobody listens."""
    for listener in _listeners:
        listener()


@contextmanager
def listening(listener: Callable[[], None]) -> Iterator[None]:
    """Call ``listener`` at every :func:`advance` of this process until the block ends."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)
