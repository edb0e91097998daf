"""What the exports of every kind of data share: formats, labels and cells as text."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

from privacy_engine.data.published import plain_name
from privacy_engine.registry import Adapters

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
    """An output format: how it is called, served and written; ``write`` takes what is published of a kind of data.

    ``group`` is where menus list it, ``use`` a line on what it is for. A ZIP has the ``bundled`` ones unless others
    are requested. ``require`` raises DataError where a release cannot be written in it; None where all can.
    """

    name: str
    title: str
    media_type: str
    extension: str
    write: Callable[[Any, BinaryIO, Label], None]
    group: str
    use: str
    bundled: bool = False
    require: Callable[[Any], object] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "extension", self.extension.lstrip("."))  # names of files have a point before it


@dataclass(frozen=True)
class Exports:
    """How releases of a kind of data are written: the formats by name, and the cells of a notebook that reads one.

    The ``ADAPTER`` of a module or folder beside this one. A cell is its type and its source, in which ``$file`` and its
    like are replaced (see notebook.py).
    """

    kind: str
    formats: Mapping[str, ExportFormat]
    notebook: Sequence[tuple[str, str]]


exports: Mapping[str, Exports] = Adapters("privacy_engine.exports")


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
