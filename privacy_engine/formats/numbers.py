"""Text to coordinates: an ASCII grammar before float(), degrees-minutes-seconds, and why a cell is not a number."""

import math
import re
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privacy_engine.core.arrays import Floats, concatenated
from privacy_engine.core.progress import advance
from privacy_engine.formats.arrow import pa, pc, pieces

Reasons = NDArray[np.uint8]
GOOD, MISSING, NOT_A_NUMBER, NOT_FINITE, UNAVAILABLE, NO_GEOMETRY, OTHER_GEOMETRY, BAD_GEOMETRY = range(8)
REASON_NAMES: tuple[str, ...] = ("", "missing", "not_a_number", "not_finite", "unavailable")
REASON_NAMES += ("null_geometry", "unsupported_geometry", "bad_geometry")

EMPTY_TEXTS = frozenset({"", "null", "none", "na", "n/a", "nil", "-", "--", "\\n", "#n/a"})
_LONGEST = 400  # digits of the longest float, and then some
_INFINITE = re.compile(r"[+-]?(nan|inf|infinity)", re.IGNORECASE)
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,5})?")
_PLAIN = r"^[+-]?(?:[0-9]{1,20}\.?[0-9]{0,30}|\.[0-9]{1,30})(?:[eE][+-]?[0-9]{1,2})?$"
_DEGREES = re.compile(
    r"""(?P<before>[NSEW])?\s*
        (?P<sign>[+-])?\s*(?P<d>[0-9]{1,3}(?:\.[0-9]*)?)\s*(?:[°ºd:]|\s|$|(?=[NSEW]))\s*
        (?:(?P<m>[0-9]{1,2}(?:\.[0-9]*)?)\s*(?:['′’m:]|\s|$|(?=[NSEW]))\s*
        (?:(?P<s>[0-9]{1,2}(?:\.[0-9]*)?)\s*(?:["″”s]|''|)\s*)?)?
        (?P<after>[NSEW])?""",
    re.VERBOSE | re.IGNORECASE,
)
_LETTERS = {"lat": "NS", "lon": "EW"}


def number(text: str, axis: str | None = None, decimal: str = ".") -> tuple[float, int]:
    """A cell as a number and ``GOOD``, or nan and the reason why not.

    ``axis`` (lat or lon) decides which hemisphere letters may stand beside the degrees; S and W are negative.

    >>> number("33.8688S", "lat")
    (-33.8688, 0)
    """
    text = text.strip()
    if len(text) > _LONGEST:
        return math.nan, NOT_A_NUMBER
    if text.casefold() in EMPTY_TEXTS:
        return math.nan, MISSING
    if _INFINITE.fullmatch(text):
        return math.nan, NOT_FINITE
    if decimal == ",":
        if "." in text:
            return math.nan, NOT_A_NUMBER
        text = text.replace(",", ".")
    if _NUMBER.fullmatch(text):
        value = float(text)
        return (value, GOOD) if math.isfinite(value) else (math.nan, NOT_FINITE)
    return _degrees(text, axis)


def _degrees(text: str, axis: str | None) -> tuple[float, int]:
    match = _DEGREES.fullmatch(text) if axis and len(text) < 60 else None
    if match is None:
        return math.nan, NOT_A_NUMBER
    letters = (match["before"] or "") + (match["after"] or "")
    if not letters and not re.search("[°ºd]", text, re.IGNORECASE):
        return math.nan, NOT_A_NUMBER  # "1 2" is a slip, not a degree and two minutes
    minutes, seconds = float(match["m"] or 0), float(match["s"] or 0)
    wrong_letter = len(letters) > 1 or letters.upper() not in _LETTERS[str(axis)]
    if wrong_letter or (letters and match["sign"]) or minutes >= 60 or seconds >= 60:
        return math.nan, NOT_A_NUMBER
    value = float(match["d"]) + minutes / 60 + seconds / 3600
    negative = match["sign"] == "-" or letters.upper() in ("S", "W")
    return (-value if negative else value), GOOD


def numbers(cells: Any, axis: str | None = None, decimal: str = ".") -> tuple[Floats, Reasons]:
    """A text column as numbers (nan where there is none) and a reason for each cell."""
    values, reasons = zip(*(_numbers(piece, axis, decimal) for piece in pieces(cells)), strict=True)
    return concatenated(values), concatenated(reasons)


def of_column(column: Any, axis: str | None = None, decimal: str = ".") -> tuple[Floats, Reasons]:
    """An Arrow column of whatever kind as numbers and reasons."""
    return numbers(column, axis, decimal) if pa.types.is_string(column.type) else typed(column)


def position(columns: Mapping[str, Any], of: str, decimal: str, *, e7: bool) -> tuple[Floats, Floats, Reasons]:
    """Longitudes, latitudes and why they cannot be used, of Arrow columns by role; ``of`` is ``end_`` for ends.

    ``e7`` are whole numbers of ten millionths of a degree.
    """
    axes = {}
    for axis in ("lon", "lat"):
        advance()
        values, reasons = of_column(columns[f"{of}{axis}"], axis, decimal)
        if (sign := columns.get(f"{of}{axis}_sign")) is not None:
            letters = pc.ascii_upper(pc.ascii_trim_whitespace(sign)).to_numpy(zero_copy_only=False)
            values = np.where(np.isin(letters, ["S", "W"]), -np.abs(values), values)
        axes[axis] = (values / 1e7 if e7 else values), reasons
    (lon, lon_why), (lat, lat_why) = axes["lon"], axes["lat"]
    none = (lon_why == MISSING) & (lat_why != GOOD)
    return lon, lat, np.where(none, MISSING, np.where(lat_why == GOOD, lon_why, lat_why))


def _numbers(cells: Any, axis: str | None, decimal: str) -> tuple[Floats, Reasons]:
    cells = pc.ascii_trim_whitespace(cells)
    if decimal == ",":
        pointed = pc.replace_substring(cells, ",", ".")
        plain = pc.if_else(pc.match_substring(cells, "."), pa.scalar(None, pa.string()), pointed)
    else:
        plain = cells
    good = pc.fill_null(pc.match_substring_regex(plain, _PLAIN), False)
    parsed = pc.if_else(good, plain, pa.scalar(None, pa.string())).cast(pa.float64())
    values = as_floats(parsed)
    reasons = np.zeros(len(values), dtype=np.uint8)
    odd = np.flatnonzero(~good.to_numpy(zero_copy_only=False))
    if odd.size:
        _settle_odd(cells, odd, values, reasons, axis, decimal)
    return values, reasons


def _settle_odd(
    cells: Any, odd: NDArray[np.intp], values: Floats, reasons: Reasons, axis: str | None, decimal: str
) -> None:
    coded = pc.fill_null(cells.take(pa.array(odd)), "").dictionary_encode()
    settled = [number(text, axis, decimal) for text in coded.dictionary.to_pylist()]
    codes = coded.indices.to_numpy()
    values[odd] = np.array([value for value, _ in settled])[codes]
    reasons[odd] = np.array([reason for _, reason in settled], dtype=np.uint8)[codes]


def as_floats(column: Any) -> Floats:
    """A numeric Arrow column as a float array of our own, nan for null."""
    return np.array(column.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False), dtype=np.float64)


def typed(column: Any) -> tuple[Floats, Reasons]:
    """An Arrow column that is no text as numbers and reasons; of dates and other kinds no cell is a number."""
    try:
        values = as_floats(column)
    except pa.ArrowNotImplementedError:
        return np.full(len(column), np.nan), np.full(len(column), NOT_A_NUMBER, dtype=np.uint8)
    reasons = np.where(np.isfinite(values), GOOD, NOT_FINITE).astype(np.uint8)
    if column.null_count:
        reasons[column.is_null().to_numpy(zero_copy_only=False)] = MISSING
    values[reasons != GOOD] = np.nan
    return values, reasons
