"""What the functions of noise refuse: parameters that are no numbers, or outside the domain their proofs hold in."""

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from privacy_engine.core.arrays import Floats
from privacy_engine.errors import DataError, ParameterError

RATES = (1e-30, 1e12)
"""Rates per metre that exact samplers take: from noise far larger than the Earth to noise far below the grid."""


def number(value: Any, field: str, *, lowest: float = 0.0, highest: float = math.inf) -> float:
    """``value`` as a float, finite and greater than 0, from ``lowest`` to ``highest``; truth values and texts are none.

    Raises
    ------
    ParameterError
        It is not.
    """
    try:
        parsed = math.nan if isinstance(value, bool | np.bool_ | str | bytes) or np.ndim(value) else float(value)
        wrong = parsed != parsed and not isinstance(value, float | np.floating)
    except (TypeError, ValueError, OverflowError):
        wrong = True
    if wrong:
        message = f"{field} must be a number, got {value!r:.60}"
        raise ParameterError(message, field=field, rule="numeric", value=value)
    if not 0 < parsed < math.inf:
        raise ParameterError.must_be(field, "finite and greater than 0", value)
    if not lowest <= parsed <= highest:
        raise ParameterError.must_be(field, f"from {lowest:g} to {highest:g}", value)
    return parsed


def whole_number(value: Any, field: str, *, highest: int) -> int:
    """``value`` as an int from 0 to ``highest``, or a ParameterError."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer) or not 0 <= value <= highest:
        raise ParameterError.must_be(field, f"a whole number from 0 to {highest}", value)
    return int(value)


def numbers(values: ArrayLike, field: str) -> Floats:
    """``values`` as an array of floats of any shape, or a ParameterError where they are no numbers."""
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise ParameterError.must_be(field, "numbers", values) from error
    if array.size and (array.dtype.kind not in "iuf" or _holds_truth_values(values)):
        raise ParameterError.must_be(field, "numbers", values)
    return array.astype(np.float64, copy=False)


def _holds_truth_values(values: ArrayLike) -> bool:
    return isinstance(values, list | tuple) and any(isinstance(item, bool | np.bool_) for item in values)


def checked_rates(values: ArrayLike, field: str = "epsilon_per_m") -> Floats:
    """``values`` as an array, every entry finite and greater than 0, or a ParameterError on ``field``."""
    rates = numbers(values, field)
    good = np.isfinite(rates) & (rates > 0)
    if not good.all():
        value = float(rates[~good][0])
        raise ParameterError(
            f"{field} must be finite and greater than 0, got {value}", field=field, rule="> 0", value=value
        )
    return rates


def exact_rates(values: ArrayLike) -> Floats:
    """``values`` as an array of rates per metre that exact samplers take, or a ParameterError beyond :data:`RATES`."""
    rates = checked_rates(values)
    if rates.size and not (rates.min() >= RATES[0] and rates.max() <= RATES[1]):
        outside = rates[(rates < RATES[0]) | (rates > RATES[1])].flat[0]
        raise ParameterError.must_be("epsilon_per_m", f"from {RATES[0]:g} to {RATES[1]:g}", float(outside))
    return rates


def positions(lon: ArrayLike, lat: ArrayLike) -> tuple[Floats, Floats]:
    """Longitudes and latitudes as arrays (n,), finite, within ±360 and ±90 degrees.

    Raises
    ------
    DataError
        They are not, or not as many.
    """
    columns = []
    for field, values, bound in (("lon", lon, 360.0), ("lat", lat, 90.0)):
        try:
            column = np.ascontiguousarray(np.atleast_1d(np.asarray(values, dtype=np.float64)))
        except (TypeError, ValueError) as error:
            raise DataError(f"{field} must be numbers", field=field, rule="numeric") from error
        if column.ndim != 1:
            raise DataError.must_be(field, "one-dimensional", column.shape)
        if column.size and not (column.min() >= -bound and column.max() <= bound):
            value = float(column[~(np.abs(column) <= bound)][0])
            raise DataError.must_be(field, f"finite and within -{bound:g} to {bound:g}", value, got=value)
        columns.append(column)
    lons, lats = columns
    if lons.shape != lats.shape:
        message = f"lat must be as many as lon, {lons.shape}, got {lats.shape}"
        raise DataError(message, field="lat", rule="same length", value=lats.shape)
    return lons, lats
