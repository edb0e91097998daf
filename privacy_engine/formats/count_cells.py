"""Cells of counts: with marks between thousands, and those whose number is withheld."""

import re
from typing import Any

from privacy_engine.errors import ChoiceNeeded
from privacy_engine.formats.arrow import pc
from privacy_engine.formats.numbers import number
from privacy_engine.formats.option_choices import THOUSANDS
from privacy_engine.formats.options import ReadOptions
from privacy_engine.formats.report import Report

MARKS = {",": ",", ".": r"\.", "space": "[ \u00a0\u202f]", "'": "['’]"}
"""What may stand between thousands, as reading options name it and as a pattern."""
_GROUPED = {name: rf"^[0-9]{{1,3}}(?:{mark}[0-9]{{3}})+$" for name, mark in MARKS.items()}
_WITHHELD = re.compile(r"[<≤] ?[0-9]{1,3}|\*{1,3}|supp(?:ressed)?|withheld|confidential", re.IGNORECASE)


def plain(cell: str) -> str:
    """A cell without the marks between thousands.

    >>> plain("1,234"), plain("1.234"), plain("1 234 567")
    ('1234', '1.234', '1234567')
    """
    for name, pattern in _GROUPED.items():
        if re.fullmatch(pattern, cell) and (name != "." or cell.count(".") > 1):
            return re.sub(r"[^0-9]", "", cell)
    return cell


def count_of(cell: str) -> tuple[float, int]:
    """A cell of counts as a number and ``GOOD``, or nan and the reason why not; a withheld count is good too."""
    cell = plain(cell.strip())
    return number("0" if is_withheld(cell) else cell)


def is_withheld(cell: str) -> bool:
    """Whether a cell gives no number, as ``<5`` and ``*`` do."""
    return _WITHHELD.fullmatch(cell.strip()) is not None


def without_marks(column: Any, options: ReadOptions, report: Report) -> Any:
    """A column of texts of counts without marks between thousands, which are detected where the options state none.

    Raises
    ------
    ChoiceNeeded
        1.234 may be a thousand or a fraction.
    """
    trimmed, mark = pc.utf8_trim_whitespace(column), options.thousands
    if mark is None and not options.applied:
        mark = _mark_of(trimmed, report)
    if mark in (None, "none"):
        return column
    report.decide("thousands", mark)
    bare = pc.replace_substring_regex(column, MARKS[mark], "")
    return pc.if_else(pc.match_substring_regex(trimmed, _GROUPED[mark]), bare, column)


def _mark_of(trimmed: Any, report: Report) -> str | None:
    """The mark between thousands of a column, of which every cell that holds the mark is grouped by it."""
    for name, pattern in _GROUPED.items():
        grouped = pc.fill_null(pc.match_substring_regex(trimmed, pattern), False)
        with_mark = pc.fill_null(pc.match_substring_regex(trimmed, f"[0-9]{MARKS[name]}[0-9]"), False)
        count = pc.sum(grouped).as_py() or 0
        if not count or count < (pc.sum(with_mark).as_py() or 0):
            continue
        if name == "." and not pc.any(pc.match_substring_regex(trimmed, r"^[0-9]{1,3}(?:\.[0-9]{3}){2,}$")).as_py():
            raise ChoiceNeeded(
                f"Counts such as {trimmed.filter(grouped)[0].as_py()} may be thousands or fractions. Specify which.",
                parameter="thousands",
                choices=[choice for choice in THOUSANDS if choice[0] in (".", "none")],
                default=".",
            )
        if all(guess["option"] != "thousands" for guess in report.guesses):
            example = trimmed.filter(grouped)[0].as_py()
            message = f"{example} was read as {re.sub('[^0-9]', '', example)}: its mark stands between thousands."
            report.guess("thousands", name, message, "thousands")
        return name
    return None
