"""Files that are written as a whole or not at all."""

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO


def write_whole(out: Path, write: Callable[[BinaryIO], None]) -> None:
    """Write a file as a whole or not at all."""
    descriptor, unfinished = tempfile.mkstemp(dir=out.parent, prefix=".unfinished-")
    try:
        with os.fdopen(descriptor, "wb") as file:
            write(file)
        Path(unfinished).replace(out)
    except BaseException:
        Path(unfinished).unlink(missing_ok=True)
        raise
