"""Environment variables that Python and glibc read as a process starts."""

import os
import sys
from collections.abc import Sequence

VARIABLES = {
    "PYTHONUNBUFFERED": "1",
    "PYTHONDONTWRITEBYTECODE": "",  # each start would compile what it imports, half a minute of it
    "PYTHONNODEBUGRANGES": "1",  # columns of code in tracebacks take 0.7 MB of every process
    "MALLOC_ARENA_MAX": "1",  # glibc's default, eight for each core, costs the web server's threads 5 MB
    "MALLOC_MMAP_THRESHOLD_": "4194304",  # its default grows with each array, and what is freed stays in the heap
}


def start_again_with_them(arguments: Sequence[str]) -> None:
    """Start this process once more with :data:`VARIABLES`, if it is to ``run`` and was started with others."""
    if list(arguments[:1]) == ["run"] and any(os.environ.get(name, "") != VARIABLES[name] for name in VARIABLES):
        os.environ.update(VARIABLES)
        os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])  # noqa: S606  # nosec B606  # itself
