"""What the exports of every kind of data share: formats, labels and cells as text."""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, BinaryIO

from privacy_engine.data.points_digest import plain_name
from privacy_engine.errors import ParameterError, shown
from privacy_engine.exports.contents import Contents
from privacy_engine.formats.dialect import OUR_COLUMN
from privacy_engine.registry import Adapters, import_all

JSON_COLUMN = "privacy_label_json"
_FORMULA = re.compile(r"'*[=+\-@\t\r]")

LABEL_NAMESPACE = "urn:cairn:label:1"
TABLES = "Tables"
MAPS = "Maps and GIS"
MOVEMENT = "Movement analysis"
MODELS = "Models"

Label = Mapping[str, Any]


@dataclass(frozen=True)
class ExportFormat:
    """An output format, an element of the ``FORMATS`` of a module beside this one: with all that depends on it.

    ``write`` takes what is published of the ``kind`` of data. ``read`` is the strict reader of what it writes, for
    verification: it raises :class:`Unreadable` for all else; ``begins`` is whether a file begins like this format (or
    one of the same reader) and no other. ``group`` is where menus list it, ``use`` a line on what it is for. A ZIP has
    the ``bundled`` ones unless others are requested. ``require`` raises DataError where a release cannot be written in
    it; None where all can. Lists have the formats in the order of their ``rank``.
    """

    kind: str
    name: str
    title: str
    media_type: str
    extension: str
    write: Callable[[Any, BinaryIO, Label], None]
    read: Callable[[bytes], Contents]
    begins: Callable[[bytes], bool]
    group: str
    use: str
    bundled: bool = False
    require: Callable[[Any], object] | None = None
    rank: int = 100

    def __post_init__(self) -> None:
        object.__setattr__(self, "extension", self.extension.lstrip("."))  # names of files have a point before it


@cache
def all_formats() -> Sequence[ExportFormat]:
    """The formats of every kind of data."""
    formats = [fmt for module in import_all("privacy_engine.exports") for fmt in vars(module).get("FORMATS", ())]
    return sorted(formats, key=lambda fmt: fmt.rank)


def formats_of(kind: str) -> Mapping[str, ExportFormat]:
    """The formats of a kind of data by name."""
    return {fmt.name: fmt for fmt in all_formats() if fmt.kind == kind}


def format_named(kind: str, name: str) -> ExportFormat:
    """The format of a kind of data by that name; ParameterError where there is none."""
    formats = formats_of(kind)
    if name not in formats:
        rule = f"must be one of {', '.join(formats)}"
        raise ParameterError(f"format {rule}, got {shown(name)!r}", field="format", rule=rule, value=name)
    return formats[name]


@dataclass(frozen=True)
class Notebook:
    """The cells of a notebook that reads the CSV export of a kind of data.

    The ``ADAPTER`` of a module or folder beside this one. A cell is its type and its source, in which ``$file`` and its
    like are replaced (see notebook.py).
    """

    kind: str
    cells: Sequence[tuple[str, str]]


notebooks: Mapping[str, Notebook] = Adapters("privacy_engine.exports")


def sentence(label: Label) -> str:
    """The label's text as a single line."""
    return " ".join(plain_name(str(label.get("text", ""))).split())


def as_json(value: Any) -> str:
    """JSON with sorted keys, in ASCII, as a single line."""
    return json.dumps(value, ensure_ascii=True, allow_nan=False, sort_keys=True)


def cell_text(text: str) -> str:
    """A text cell of a CSV: never a formula to a spreadsheet, quoted where it must be."""
    if _FORMULA.match(text):
        text = "'" + text
    if re.search(r'[",\r\n]', text) or text != text.strip():
        text = '"' + text.replace('"', '""') + '"'
    return text


def write_rows(out: BinaryIO, header: Iterable[str], rows: Iterable[str], label: Label) -> None:
    """Write a CSV table of rows of cells, with the label beside the first."""
    out.write((",".join([*header, OUR_COLUMN, JSON_COLUMN]) + "\r\n").encode())
    beside = f"{cell_text(sentence(label))},{cell_text(as_json(dict(label)))}"
    for row in rows:
        out.write(f"{row},{beside}\r\n".encode())
        beside = ","


class Unclosed:
    """A stream that Arrow may write to but not close."""

    closed = False

    def __init__(self, out: BinaryIO) -> None:
        self._out = out
        self._at = 0

    def write(self, data: Any) -> int:
        """Write ``data`` on."""
        piece = bytes(data)
        self._out.write(piece)
        self._at += len(piece)
        return len(piece)

    def tell(self) -> int:
        """How many bytes were written."""
        return self._at

    def flush(self) -> None:
        """Nothing is held back here."""

    def close(self) -> None:
        """The caller's stream stays open."""
