"""FlatGeobuf: the features of one layer, points or lines."""

from privacy_engine.data import Trajectory
from privacy_engine.errors import FormatError
from privacy_engine.formats.detect import Format, register
from privacy_engine.formats.geopackage import joined
from privacy_engine.formats.options import TIMED, ReadOptions
from privacy_engine.formats.report import Report
from privacy_engine.formats.source import Source
from privacy_engine.formats.vector_layers import layer

_VERSION = 3


def read(source: Source, options: ReadOptions, report: Report) -> list[Trajectory]:
    """The series of a FlatGeobuf file."""
    report.unit = "row"
    if sniff(source.head) and (version := source.head[3]) != _VERSION:
        message = (
            f"This is a FlatGeobuf file of version {version}; version {_VERSION} is read (ogr2ogr new.fgb old.fgb)."
        )
        raise FormatError(message, code="bad_vector_file", rule=f"version {_VERSION}")
    return joined([layer(source.read(), "", "FlatGeobuf file", options, report)], options, report)


def sniff(head: bytes) -> bool:
    """Whether the file begins as FlatGeobuf files do."""
    return head.startswith(b"fgb") and head[4:7] == b"fgb"


FLATGEOBUF = register(
    Format(
        "flatgeobuf",
        "FlatGeobuf",
        ("fgb",),
        sniff,
        read,
        rank=13,
        keeps="times, series, landmarks, coordinate system",
        options=("clock", "end", "id", "landmark", "ends", *TIMED),
        columns=("time", "id", "person", "landmark"),
        person="a column, as of a CSV table",
        source="https://flatgeobuf.org",
    )
)
