"""Where the machine code of the kernels is: for processes that must not import numba, too."""

import hashlib
import os
from contextlib import suppress
from functools import cache
from pathlib import Path

KERNELS = Path(__file__).parents[1] / "kernels"


@cache
def folder(given: str | None = None) -> Path:
    """The folder for these very sources, in ``given`` (by default numba's own setting) or beside them.

    numba looks at a kernel's own file alone, and what was inlined from another file would outlive a change there.
    """
    given = os.environ.get("NUMBA_CACHE_DIR") if given is None else given
    sources = hashlib.sha256(b"".join(path.read_bytes() for path in sorted(KERNELS.glob("*.py"))))
    return Path(given or KERNELS / "__pycache__") / f"kernels-{sources.hexdigest()[:16]}"


def mark_complete() -> None:
    """Record that every kernel is compiled."""
    with suppress(OSError):  # where nothing can be written numba has another folder
        folder().mkdir(parents=True, exist_ok=True)
        (folder() / "complete").touch()


def is_complete() -> bool:
    """Whether every kernel was compiled."""
    return (folder() / "complete").exists()
