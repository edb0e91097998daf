"""What the accounting refuses, in common wording: which field broke which rule by which value."""

import math

import numpy as np
from numpy.typing import ArrayLike

from privacy_engine.core.arrays import Floats
from privacy_engine.core.progress import blocks
from privacy_engine.data.mapped_series import leaving
from privacy_engine.errors import DataError, EngineError, ParameterError

MAX_STATES = 400
"""Largest transition matrix accepted: its envelope takes O(n³) time and O(n²) memory."""


def refused(kind: type[EngineError], field: str, rule: str, value: object) -> EngineError:
    """The error ``field must rule, got value``."""
    return kind(f"{field} must {rule}, got {value}", field=field, rule=rule, value=value)


def whole(value: object, field: str, lowest: int, highest: int) -> int:
    """``value`` as an int within its limits; True and 2.0 are not whole numbers here."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not lowest <= value <= highest:
        raise refused(ParameterError, field, f"be a whole number from {lowest} to {highest}", value)
    return int(value)


def numbers(values: ArrayLike, field: str, kind: type[EngineError]) -> Floats:
    """``values`` as an array of finite numbers that are at least 0; itself if it is such an array."""
    try:
        array = np.asarray(values, dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise kind(f"{field} must be numbers", field=field, rule="numeric") from error
    flat = array.reshape(-1)
    for some in leaving([array], blocks(len(flat))):
        piece = flat[some]
        if not 0 <= piece.min() <= piece.max() < math.inf:  # not for a nan either
            bad = ~(np.isfinite(piece) & (piece >= 0))
            raise refused(kind, field, "be finite and at least 0", float(piece[bad][0]))
    return array


def level(value: ArrayLike | float, field: str) -> float:
    """``value`` as a finite number that is at least 0."""
    if isinstance(value, float) and 0 <= value < math.inf:
        return float(value)
    number = numbers(value, field, ParameterError)
    if number.ndim:
        raise refused(ParameterError, field, "be one number", f"{number.ndim} dimensions")
    return float(number)


def transition(matrix: ArrayLike, field: str) -> Floats:
    """``matrix`` as a frozen row-stochastic matrix (n, n) of at most 400 states."""
    array = np.array(numbers(matrix, field, DataError), order="C")  # kernels are compiled for each order separately
    if array.ndim != 2 or array.shape[0] != array.shape[1] or not array.size:
        raise refused(DataError, field, "be square", f"shape {array.shape}")
    if len(array) > MAX_STATES:
        raise refused(ParameterError, field, f"have at most {MAX_STATES} states", len(array))
    sums = array.sum(axis=1)
    off = np.abs(sums - 1)
    if off.max() > 1e-9:
        row = int(np.argmax(off))
        raise refused(DataError, field, "have rows that sum to 1", f"{sums[row]} in row {row}")
    array.setflags(write=False)
    return array
