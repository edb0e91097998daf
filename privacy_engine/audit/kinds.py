"""What the audit needs of a kind of data: neighbouring inputs, draws of a mechanism, statistics of its output."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from privacy_engine import noise
from privacy_engine.data import Floats, Ints

Watch = Callable[[float], None]
Observed = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Pair:
    """Two neighbouring inputs and what the guarantee allows between them.

    ``first`` and ``second`` are inputs of the kind, the same object where several pairs share one, whose draws are
    then made once; ``claimed`` is the most, by the guarantee, that the log-odds of any event may differ; ``scale`` is
    that in ε: how many times the guarantee's distance the inputs lie apart.
    """

    name: str
    first: Any
    second: Any
    scale: float
    claimed: float


@dataclass(frozen=True, eq=False)
class Statistics:
    """Columns computed from draws, each with a name: (draws, columns).

    ``values`` are numbers to compare with thresholds, ``residues`` small integers to compare for equality,
    ``features`` what a score is learned from.
    """

    value_names: tuple[str, ...]
    values: Floats
    residue_names: tuple[str, ...]
    residues: Ints
    features: Floats


class Kind(Protocol):
    """One kind of data, for the mechanisms whose ``kind`` is ``name``."""

    name: str

    def pairs(self, mechanism: Any) -> list[Pair]:
        """Neighbouring inputs for ``mechanism``, at least three pairs, with the claim of its guarantee for each."""

    def draw(self, mechanism: Any, given: Any, times: int, rng: noise.RandomSource) -> Observed:
        """What ``mechanism`` published of the input ``given`` in ``times`` independent runs, (times, …)."""

    def statistics(self, pair: Pair, observed: Observed) -> Statistics:
        """Statistics of draws of either input; they may read the pair, never which of the two was the input."""


def residues_of(values: Floats, grid: float | None, modules: tuple[int, ...]) -> tuple[tuple[str, ...], list[Ints]]:
    """Return residue columns of published numbers, (n,): their float's low bits and their place on the grid.

    The float's lowest set bit as a power of two, its lowest mantissa bit, its three lowest; with a ``grid`` whether
    the number is the float nearest to a multiple k of it, and k mod m for each m of ``modules``. Missing numbers
    (not a number) count as zero.
    """
    known = np.where(np.isfinite(values), values, 0.0)
    bits = known.view(np.int64) if known.flags.c_contiguous else np.ascontiguousarray(known).view(np.int64)
    names, columns = ["lowest set bit", "last bit", "last three bits"], [lowest_bit(known), bits & 1, bits & 7]
    if grid is not None:
        per_unit = round(1 / grid)
        k = np.rint(known * per_unit)
        names.append("multiple of the grid")
        columns.append((k / per_unit == known).astype(np.int64))
        for m in modules:
            names.append(f"k mod {m}")
            columns.append(np.mod(k, m).astype(np.int64))
    return tuple(names), columns


def lowest_bit(values: Floats) -> Ints:
    """Return the exponent e of each float's lowest set bit: it is an odd multiple of 2^e; 2000 for zero.

    >>> lowest_bit(np.array([0.75, 1.0, 12.0, 0.0])).tolist()
    [-2, 0, 2, 2000]
    """
    mantissa, exponent = np.frexp(values)
    whole = np.abs(mantissa * 2.0**53).astype(np.int64)
    lowest = np.frexp((whole & -whole).astype(np.float64))[1] - 1
    return np.where(whole > 0, lowest + exponent - 53, 2000).astype(np.int64)
