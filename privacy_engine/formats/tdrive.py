"""T-Drive taxi logs: id,datetime,lon,lat with or without a header. The zone is not documented."""

import re

from privacy_engine.data import Trajectory
from privacy_engine.formats import head_sample
from privacy_engine.formats.detect import Format, register
from privacy_engine.formats.dialect import Dialect, as_utf8, first_lines
from privacy_engine.formats.layout import Layout
from privacy_engine.formats.options import TIMED, ReadOptions
from privacy_engine.formats.people import SERIES, Whose
from privacy_engine.formats.report import Report
from privacy_engine.formats.series import build
from privacy_engine.formats.source import Source
from privacy_engine.formats.table import read_points

_LINE = re.compile(
    rb"(?:\xef\xbb\xbf)?(?P<header>id,(?:date)?time,long?(?:itude)?,lat(?:itude)?\s*\r?\n)?"
    rb"[0-9]+,[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}"
    rb",-?[0-9]+(?:\.[0-9]*)?,-?[0-9]+(?:\.[0-9]*)?\s*(?:\n|$)"
)
HINT = "T-Drive was recorded in Beijing: set Asia/Shanghai if these are local times."


def read(source: Source, options: ReadOptions, report: Report) -> list[Trajectory]:
    """The taxis of a T-Drive file."""
    data = as_utf8(source.read_lines(), report, options)
    match = _LINE.match(data)
    header = match["header"] if match else None
    offset = len(header or b"")
    sample = [line.strip().split(",") for line in first_lines(data[offset : offset + 65536])]
    roles = {"id": 0, "time": 1, "lon": 2, "lat": 3}
    names = ["taxi", "time", "longitude", "latitude"]
    report.layout = Layout(names, roles, ",", offset, headed=header is not None, fixed=True)
    dialect = Dialect(",", offset, 2 if header else 1, 4, roles, sample=sample)
    points = read_points(data, dialect, options, report)
    points.hint = HINT
    points.whose = Whose() if options.id == "#0" else Whose(SERIES, "taxi")
    return build(points, options, report)


def sniff(head: bytes) -> bool:
    """Whether the first row is a number, a time to the second, a longitude and a latitude."""
    return _LINE.match(head) is not None


TDRIVE = register(
    Format(
        "tdrive",
        "T-Drive taxi log",
        ("txt", "csv"),
        sniff,
        read,
        rank=31,
        keeps="times, series (each taxi's id)",
        options=("encoding", "id", *TIMED),
        person="each taxi, by its id",
        source="https://www.microsoft.com/en-us/research/publication/t-drive-trajectory-data-sample/",
        head=head_sample.of_text,
    )
)
