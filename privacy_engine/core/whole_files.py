"""Files that are written: as a whole or not at all, in the format that their name ends like."""

import os
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import BinaryIO, TypeVar

from privacy_engine.errors import ParameterError

T = TypeVar("T")


def by_ending(out: Path, choices: Mapping[str, T], field: str = "out", called: str = "--out") -> T:
    """What ``choices`` has for the longest ending that the name of a file has; ParameterError where it has none."""
    endings = [ending for ending in choices if out.name.lower().endswith(ending)]
    if not endings:
        rule = f"a file name that ends in {', '.join(choices)}"
        raise ParameterError(f"{called} must be {rule}, got {out.name!r:.60}", field=field, rule=rule, value=out.name)
    return choices[max(endings, key=len)]


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
