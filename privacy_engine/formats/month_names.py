"""Times with the month by name, as mail and loggers write them."""

import math
import re
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from privacy_engine.formats.arrow import pa, pc

_FULL = ["january", "february", "march", "april", "may", "june", "july", "august", "september"]
_FULL += ["october", "november", "december"]
_NAMES = [name[:3] for name in _FULL]
_MONTHS = {name: i + 1 for i, name in enumerate(_NAMES)}
_DAY_FIRST = re.compile(
    r"(?:[A-Za-z]{2,9},?\s+)?(?P<d>[0-9]{1,2})[\s-](?P<mo>[A-Za-z]{3,9})\.?[\s-](?P<y>[0-9]{4}|[0-9]{2})(?P<rest>.*)"
)
_MONTH_FIRST = re.compile(
    r"(?:[A-Za-z]{2,9},?\s+)?(?P<mo>[A-Za-z]{3,9})\.?\s+(?P<d>[0-9]{1,2}),?\s+(?P<y>[0-9]{4})(?P<rest>.*)"
)
_REST = re.compile(
    r"[,\sT]*(?:(?P<h>[0-9]{1,2}):(?P<mi>[0-9]{2})(?::(?P<s>[0-9]{2})(?:\.(?P<f>[0-9]{1,6}))?)?)?"
    r"\s*(?P<ap>[AaPp][Mm])?\s*(?P<z>Z|UTC|GMT|[+-][0-9]{2}:?[0-9]{2})?"
)


def month_numbers(names: Any) -> Any:
    """The number of each month as text, by the first three letters of its name in any case; 0 for what is no month."""
    short = pc.utf8_slice_codeunits(pc.ascii_lower(names), 0, 3)
    number = pc.add(pc.fill_null(pc.index_in(short, value_set=pa.array(_NAMES)), -1), 1)
    return number.cast(pa.string())


def month_called(name: str) -> int:
    """The number of a month by its name, or the beginning of it from three letters on; 0 for what is none."""
    matches = (i for i, full in enumerate(_FULL, 1) if len(name) > 2 and full.startswith(name.casefold()))
    return next(matches, 0)


def parse_month_name(text: str) -> tuple[float, bool]:
    """Seconds since 1970 and whether no zone was named; nan where ``text`` is no such time.

    >>> parse_month_name("Thu, 23 Oct 2008 02:53:04 GMT")
    (1224730384.0, False)
    """
    if len(text) > 60 or not (match := _DAY_FIRST.fullmatch(text) or _MONTH_FIRST.fullmatch(text)):
        return math.nan, False
    month, rest = _MONTHS.get(match["mo"][:3].lower()), _REST.fullmatch(match["rest"])
    if month is None or rest is None:
        return math.nan, False
    year, hour = int(match["y"]), int(rest["h"] or 0)
    if len(match["y"]) == 2:
        year += 2000 if year < 70 else 1900
    if rest["ap"]:
        hour = hour % 12 + (12 if rest["ap"].lower() == "pm" else 0)
    try:
        micro = int((rest["f"] or "0").ljust(6, "0"))
        when = datetime(year, month, int(match["d"]), hour, int(rest["mi"] or 0), int(rest["s"] or 0), micro, UTC)
        return when.replace(tzinfo=_zone(rest["z"])).timestamp(), rest["z"] is None
    except (ValueError, OverflowError):
        return math.nan, False


def _zone(text: str | None) -> timezone:
    if text is None or text[0] not in "+-":
        return UTC
    digits = text[1:].replace(":", "")
    offset = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
    return timezone(-offset if text[0] == "-" else offset)
