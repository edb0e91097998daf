"""No file takes more than a linear time to read or to refuse: long tokens, deep and wide documents, repeated parts."""

import statistics

import pytest

from privacy_engine.errors import FormatError
from privacy_engine.formats.xmltools import DEEPEST, LONGEST_TOKEN
from tests.cases import each, refusal
from tests.engine.damaged_files import NAMES, SEEDS
from tests.engine.format_samples import GPX, KML, TCX, read_bytes
from tests.engine.worst_files import cases, cpu_s, in_sheet

POINT = b'<trkpt lat="52.5" lon="13.4"><time>2024-06-15T10:30:00Z</time></trkpt>'
PAIRS = (POINT * 2 + b"<x/>") * 8000  # runs of plain points, which the parser does not get whole
OPEN = {"gpx": GPX[: GPX.index(b"<trkpt")], "kml": KML[: KML.index(b"<when")], "tcx": TCX[: TCX.index(b"<Time>")]}
LONG = {
    "attribute": b'\n<a b="' + b"1" * LONGEST_TOKEN,
    "comment": b"\n<!--" + b"1" * LONGEST_TOKEN,
    "comment of points": b"\n<!--" + PAIRS,
    "instruction": b"\n<?a " + b"1" * LONGEST_TOKEN,
    "name": b"\n<" + b"a" * LONGEST_TOKEN,
    "many attributes": b"\n<a" + b"".join(b' b%d="1"' % i for i in range(LONGEST_TOKEN // 8)),
}


@each("what", LONG)
@each("name", OPEN)
def test_a_token_of_more_than_a_mebibyte_is_refused_with_its_line(name, what):
    error = refusal(FormatError, read_bytes, OPEN[name] + LONG[what])
    assert (error.code, error.row) == ("xml_limit", 2)
    assert f"{LONGEST_TOKEN} bytes, at line 2" in error.message


@each("name", OPEN)
def test_elements_inside_each_other_are_refused_beyond_a_depth_with_their_line(name):
    error = refusal(FormatError, read_bytes, OPEN[name] + b"\n" + b"<a>" * DEEPEST)
    assert (error.code, error.row) == ("xml_limit", 2)


def test_the_line_of_a_refusal_counts_points_that_were_read_without_the_parser():
    error = refusal(FormatError, read_bytes, OPEN["gpx"] + (POINT + b"\n") * 50 + b"<a>" * DEEPEST)
    assert error.row == 51


def test_what_is_just_within_the_limits_is_read():
    attribute = b'<a b="%b"></a>' % (b"1" * (LONGEST_TOKEN - len('<a b="">')))
    deep = DEEPEST - OPEN["gpx"].count(b"<")
    more = attribute + b"<a>" * deep + b"</a>" * deep
    data = OPEN["gpx"] + more + GPX[GPX.index(b"<trkpt") :]
    assert len(read_bytes(data).series[0]) == 2
    assert refusal(FormatError, read_bytes, data.replace(b'<a b="', b'<a b="1')).code == "xml_limit"
    assert refusal(FormatError, read_bytes, data.replace(b"<a><a>", b"<a><a><a>", 1)).code == "xml_limit"


@each("what", LONG)
def test_a_long_token_of_a_sheet_is_refused(what):
    data = in_sheet(lambda data: data.replace(b"</sheetData>", LONG[what]))
    assert refusal(FormatError, read_bytes, data).code == "xml_limit"


@each("part", ["xl/worksheets/sheet1.xml", "xl/styles.xml", "xl/workbook.xml"])
def test_a_deep_part_of_a_workbook_is_refused(part):
    data = in_sheet(lambda data: data[: data.rindex(b"</")] + b"<a>" * DEEPEST, part)
    assert refusal(FormatError, read_bytes, data).code == "xml_limit"


def test_a_document_of_another_kind_is_refused_for_its_kind_before_its_depth():
    assert refusal(FormatError, read_bytes, b"<osm><node>" + b"<a>" * DEEPEST).code == "unsupported_format"


def _once(case, size):
    return cpu_s(case.make(size))[0]


@pytest.mark.thorough
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", NAMES)
def test_time_is_linear_in_size_whatever_is_lengthened(name):
    """The slowest tenth of all cases at 500 kB: eight times the size takes at most 16 times as long (8 if linear)."""
    assert name in SEEDS
    slowest = sorted(cases(name), key=lambda case: _once(case, 500_000))[-10:]
    for case in slowest:
        small = max(statistics.median(_once(case, 500_000) for _ in range(3)), 0.02)
        assert _once(case, 4_000_000) < 16 * small, case.label
