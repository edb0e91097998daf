"""Progress of long work: its loops call :func:`advance`, and whoever runs the work listens.

A job that reports nothing for ``CAIRN_STALL_S`` is taken as stuck, so no stage may be silent for a third of that.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")
ROWS = 4096
"""Rows of a loop in Python between two reports: some milliseconds."""
BLOCK = 1 << 20
"""Numbers of an array between two reports: some milliseconds up to a tenth of a second."""
_listeners: list[Callable[[], None]] = []
_readers: list[Callable[[str], object]] = []


def advance() -> None:
    """Report that the work goes on; costs next to nothing without a listener."""
    for listener in _listeners:
        listener()


def announce(stage: str) -> None:
    """Report what the work does now that its own stages do not name, such as compiling."""
    for reader in _readers:
        reader(stage)


def reported(items: Iterable[T], every: int = 1) -> Iterator[T]:
    """The items, with a report ahead of the first and of each ``every``-th after it.

    >>> with listening(lambda: print("on")):
    ...     list(reported("abc", 2))
    on
    on
    ['a', 'b', 'c']
    """
    left = 0
    for item in items:
        if not left:
            advance()
            left = every
        left -= 1
        yield item


def blocks(n: int, size: int = BLOCK) -> Iterator[slice]:
    """The slices of ``size`` that ``n`` items are cut into, with a report ahead of each.

    >>> list(blocks(5, 2))
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    for start in range(0, n, size):
        advance()
        yield slice(start, min(start + size, n))


@contextmanager
def listening(listener: Callable[[], None], reader: Callable[[str], object] = str) -> Iterator[None]:
    """Call ``listener`` at every :func:`advance` of this process until the block ends, ``reader`` at :func:`announce`.

    >>> with listening(lambda: None, print):
    ...     announce("Compiling")
    Compiling
    """
    _listeners.append(listener)
    _readers.append(reader)
    try:
        yield
    finally:
        _listeners.remove(listener)
        _readers.remove(reader)
