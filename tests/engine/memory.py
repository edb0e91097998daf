"""How much memory a call takes."""

import tracemalloc


def peak_bytes(work):
    """The most that the objects of a call take at once."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
