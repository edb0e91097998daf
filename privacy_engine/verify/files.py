"""Which kind of data an exported file is of, and in which format, by its first bytes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from privacy_engine.registry import Adapters
from privacy_engine.verify.contents import Contents

PARQUET, SQLITE, ZIP = b"PAR1", b"SQLite format 3\0", b"PK\x03\x04"


@dataclass(frozen=True)
class ExportedFiles:
    """The exported files of a kind of data: the ``ADAPTER`` of a module or folder beside this one.

    ``format_of`` names the format that a file begins like, of ``readers``; None where it is of another kind. The kind
    of the highest ``rank`` is tried first. ``endings`` are those of files in a bundle; a file that ``is_part``
    recognises is a part of another file, and not verified.
    """

    kind: str
    rank: int
    format_of: Callable[[bytes], str | None]
    readers: Mapping[str, Callable[[bytes], Contents]]
    endings: Sequence[str]
    is_part: Callable[[bytes], bool] = lambda data: False


_KINDS: Adapters[ExportedFiles] = Adapters("privacy_engine.verify")


def kind_and_format(data: bytes) -> tuple[ExportedFiles, str]:
    """The kind and the format that ``data`` begin like; points where nothing shows another kind."""
    named = ((kind, kind.format_of(data)) for kind in reversed([*_KINDS.values()]))
    return next((kind, name) for kind, name in named if name is not None)
