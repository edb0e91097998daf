"""Memory that a request needed for a moment returns to the operating system."""

import ctypes
import gc
import sys
import time

SHARE = 0.02
"""Of the time, at most, in which cycles are collected."""
_malloc_trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
_collect_at = 0.0


def release_free_memory(**_: object) -> None:
    """Collect the reference cycles of the last requests, and have Arrow and glibc release the free pages they hold.

    A receiver of a signal. The collection takes 4 ms where what imports made is frozen, and the next waits until it
    takes the share ``SHARE`` of the time: five a second. Python's own full collections wait until a quarter of all
    objects is new. The pages take 0.1 to 0.2 ms; without it they stay until the process ends. They do so with C
    libraries other than glibc.
    """
    global _collect_at  # two threads at once collect twice, at worst
    started = time.monotonic()
    if started >= _collect_at:
        gc.collect()
        ended = time.monotonic()
        _collect_at = ended + (ended - started) / SHARE
    if "pyarrow" in sys.modules:
        sys.modules["pyarrow"].default_memory_pool().release_unused()
    if _malloc_trim is not None:
        _malloc_trim(0)
