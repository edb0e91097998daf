"""What the audit needs of a kind of data: neighbouring inputs, draws of a mechanism, numbers computed from them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from privacy_engine import noise
from privacy_engine.core.arrays import Floats, Ints

Watch = Callable[[float], None]
Observed = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Pair:
    """Two neighbouring inputs and what the guarantee allows between them.

    ``first`` and ``second`` are inputs of the kind, the same object where several pairs share an input, whose draws are
    then made once; ``claimed`` is the most, by the guarantee, that the log-odds of any event may differ; ``scale`` is
    that in ε: how many times the guarantee's distance the inputs lie apart.
    """

    name: str
    first: Any
    second: Any
    scale: float
    claimed: float


@dataclass(frozen=True)
class Column:
    """One number computed from a draw; ``of`` returns it for all draws, (n,)."""

    name: str
    of: Callable[[Observed], Floats]


class Kind(Protocol):
    """A kind of data: the ``ADAPTER`` of a module or folder beside this module."""

    kind: str

    def per(self, mechanism: Any) -> str:
        """What ε is claimed for: "radius", "user", …"""

    def pairs(self, mechanism: Any) -> list[Pair]:
        """Neighbouring inputs for ``mechanism``, at least three pairs, with the claim of its guarantee for each."""

    def draw(self, mechanism: Any, given: Any, times: int, rng: noise.RandomSource) -> Observed:
        """What ``mechanism`` published of the input ``given`` in ``times`` independent runs, (times, …)."""

    # What follows may read the pair, never which of the two was the input.

    def values(self, pair: Pair) -> list[Column]:
        """Numbers to compare with thresholds."""

    def residues(self, pair: Pair) -> list[Column]:
        """Small integers to compare for equality: low bits, places on the grid."""

    def features(self, pair: Pair, observed: Observed) -> Floats:
        """What a score is learned from, (draws, features)."""


def residue_columns(
    name: str, of: Callable[[Observed], Floats], grid: float | None = None, modules: tuple[int, ...] = ()
) -> list[Column]:
    """Return residue columns of a published number: its float's low bits and its place on the grid.

    The float's lowest set bit as a power of two, its lowest mantissa bit, its three lowest; with a ``grid`` whether
    the number is the float nearest to a multiple k of it, and k mod m for each m of ``modules``. Missing numbers
    (not a number) count as zero.
    """

    def known(observed: Observed) -> Floats:
        values = of(observed)
        return np.ascontiguousarray(np.where(np.isfinite(values), values, 0.0))

    def low_bits(mask: int) -> Callable[[Observed], Floats]:
        return lambda observed: (known(observed).view(np.int64) & mask).astype(np.float64)

    columns = [
        Column(f"{name}: lowest set bit", lambda observed: lowest_bit(known(observed)).astype(np.float64)),
        Column(f"{name}: last bit", low_bits(1)),
        Column(f"{name}: last three bits", low_bits(7)),
    ]
    if grid is None:
        return columns
    per_unit = round(1 / grid)

    def on_grid(observed: Observed) -> Floats:
        values = known(observed)
        return np.asarray(np.rint(values * per_unit) / per_unit == values, dtype=np.float64)

    def modulo(m: int) -> Callable[[Observed], Floats]:
        return lambda observed: np.asarray(np.mod(np.rint(known(observed) * per_unit), m))

    columns.append(Column(f"{name}: multiple of the grid", on_grid))
    return columns + [Column(f"{name}: k mod {m}", modulo(m)) for m in modules]


def lowest_bit(values: Floats) -> Ints:
    """Return the exponent e of each float's lowest set bit: it is an odd multiple of 2^e; 2000 for zero.

    >>> lowest_bit(np.array([0.75, 1.0, 12.0, 0.0])).tolist()
    [-2, 0, 2, 2000]
    """
    mantissa, exponent = np.frexp(values)
    whole = np.abs(mantissa * 2.0**53).astype(np.int64)
    lowest = np.frexp((whole & -whole).astype(np.float64))[1] - 1
    return np.where(whole > 0, lowest + exponent - 53, 2000).astype(np.int64)
