"""Weeks, months, quarters and years as their first days."""

import re
from collections.abc import Sequence
from datetime import date
from typing import Any

from privacy_engine.core.progress import ROWS, reported
from privacy_engine.formats.arrow import listed, pa, pc
from privacy_engine.formats.column import is_date
from privacy_engine.formats.report import Report
from privacy_engine.formats.times import MONTHS

PERIOD = re.compile(
    r"(?P<year>(?:19|20)[0-9]{2})"
    r"(?:-?W(?P<week>0[1-9]|[1-4][0-9]|5[0-3])|-(?P<month>0[1-9]|1[0-2])|[- ]?Q(?P<quarter>[1-4]))?"
    r"|[0-9]{4}[-/.][0-9]{1,2}[-/.][0-9]{1,2}|[0-9]{1,2}[-/.][0-9]{1,2}[-/.][0-9]{4}|(?:19|20)[0-9]{6}"
)
"""A day, or a week, month, quarter or year, all but quarters in the form of ISO 8601."""
_NAMED_MONTH = re.compile(
    r"(?P<name>[^\W\d_]+\.?)[ -](?P<year>(?:19|20)[0-9]{2})|(?P<of>(?:19|20)[0-9]{2})[ -](?P<month>[^\W\d_]+\.?)"
)
_LONGEST = len("September 2024")
_ACROSS = 3
"""The fewest columns of dates by which a table has its dates across."""


def first_day(text: str) -> str:
    """The first day of a week, month, quarter or year; another text as it is.

    >>> first_day("2024-W18"), first_day("2024-05"), first_day("2024"), first_day("2024Q2")
    ('2024-04-29', '2024-05-01', '2024-01-01', '2024-04-01')
    >>> first_day("May 2024")
    '2024-05-01'
    """
    match = PERIOD.fullmatch(text)
    if match is None:
        named = _NAMED_MONTH.fullmatch(text)
        number = _month_called(named["name"] or named["month"]) if named else 0
        return f"{named['year'] or named['of']}-{number:02d}-01" if named and number else text
    if match["year"] is None:
        return text
    if match["week"] is None:
        month = f"{3 * int(match['quarter']) - 2:02d}" if match["quarter"] else match["month"] or "01"
        return f"{match['year']}-{month}-01"
    try:
        return date.fromisocalendar(int(match["year"]), int(match["week"]), 1).isoformat()
    except ValueError:  # a year of 52 weeks
        return text


def _month_called(name: str) -> int:
    """The number of a month by its name, or the beginning of it from three letters on; 0 for what is none."""
    matches = (i for i, full in enumerate(MONTHS, 1) if len(name) > 2 and full.startswith(name.rstrip(".").casefold()))
    return next(matches, 0)


def first_days(column: Any, report: Report, more: str = "") -> Any:
    """An Arrow column of times with the first days of its periods, each cell apart; ``more`` is added to the note."""
    if not pa.types.is_string(column.type):
        return column
    trimmed = pc.utf8_trim_whitespace(column)
    if (pc.min(pc.utf8_length(trimmed)).as_py() or 0) > _LONGEST:
        return column
    coded = trimmed.dictionary_encode()
    texts = listed(coded.dictionary)
    days = [first_day(text) for text in reported(texts, ROWS)]
    if days == texts:
        return column
    message = f"Weeks, months, quarters and years were read as their first days{more}."
    report.note("coarse_times", message, level="info")
    return pa.array(days, pa.string()).take(coded.indices)


def dates_across(names: Sequence[str]) -> list[int]:
    """The columns whose names are dates, in a table that has a column for each time; none in others."""
    dated = [i for i, name in enumerate(names) if is_date(first_day(name.strip()))]
    return dated if len(dated) >= _ACROSS and len(dated) * 2 >= len(names) else []
