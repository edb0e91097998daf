"""Which tables are long ones: each row has one count, and the other columns name its stream."""

from privacy_engine.formats.options import ReadOptions
from privacy_engine.formats.stream_layout import Long, long_places


def test_a_long_table_is_one_that_can_be_nothing_else():
    for header, first, second, expected in (
        ("date,till_no,count", "2026-01-01,1,5", "2026-01-01,2,6", Long(0, (1,), 2)),
        ("date,shop,count", "2026-01-01,1,5", "2026-01-01,2,6", Long(0, (1,), 2)),
        ("date,shop,sales", "2026-01-01,1,5", "2026-01-01,2,6", None),  # two columns of numbers
        ("date,shop,till_no,count", "2026-01-01,1,1,5", "2026-01-01,1,2,6", None),  # three of them
        ("date,region,sales", "2026-01-01,North,5", "2026-01-01,South,6", Long(0, (1,), 2)),
        ("date,open,region,sales", "2026-01-01,true,North,5", "2026-01-01,false,South,6", None),  # what is "open"?
    ):
        found = long_places(header.split(","), [first.split(","), second.split(",")], ReadOptions())
        assert found == expected, header
