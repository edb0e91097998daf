"""What requests about large series need: a worker makes it ahead, and it is stored compressed beside the data.

A request makes what is not there: about data of a version that made nothing ahead.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any, BinaryIO, NamedTuple

from rest_framework.renderers import JSONRenderer

from dashboard.core.rest.json_text import text_of
from dashboard.storage.stored_path import StoredPath
from privacy_engine.formats.arrow import pa

LARGE = 200_000
"""Events; what is about more of them is made ahead."""


class Drawn(NamedTuple):
    """A file of points or of a release, whose dataset has ``lengths`` events in each series.

    ``beside(name)`` is where something of a name is stored beside the file that it is about.
    """

    path: StoredPath
    lengths: Sequence[int]
    beside: Callable[[str], StoredPath]


def stored(path: StoredPath, make: Callable[[], bytes | Iterable[bytes]]) -> BinaryIO:
    """The open file of what ``make`` returns, at once or in parts, compressed by zstd."""

    def write(out: BinaryIO) -> None:
        made = make()
        # the stream closes what it writes to
        with open(out.fileno(), "wb", closefd=False) as same, pa.CompressedOutputStream(same, "zstd") as compressed:
            for part in [made] if isinstance(made, bytes) else made:
                compressed.write(part)

    return path.kept(write)


def facts(path: StoredPath, make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """What ``make`` returns, by way of JSON."""
    with stored(path, lambda: json.dumps(make()).encode()) as file:
        content: dict[str, Any] = json.load(pa.input_stream(file, compression="zstd"))
        return content


def stored_json(path: StoredPath, make: Callable[[], dict[str, Any]]) -> bytes | BinaryIO:
    """The JSON of what ``make`` returns."""
    with stored(path, lambda: JSONRenderer().render(make())) as file:
        return text_of(pa.input_stream(file, compression="zstd"))
