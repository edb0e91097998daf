"""The audit of mechanisms that fit models of check-ins: neighbouring uploads, draws, statistics of counts."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from privacy_engine import noise
from privacy_engine.audit.kinds import Column, Observed, Pair, residue_columns
from privacy_engine.data import CheckIns, Floats, Ints

MODULES = (2, 3, 5, 10)
CELLS = 4
"""Cells whose counts are observed: the first one, in which the protected check-ins are, and others."""


class CheckInKind:
    """A few users in the first cell of the grid; uploads differ by what the claim is about: a user or a check-in."""

    name = CheckIns.kind

    def pairs(self, mechanism: Any) -> list[Pair]:
        """One more user or check-in, alone, beside one other, and in another cell; or one replaced."""
        user = mechanism.privacy_unit == "user"
        more = 2 * int(mechanism.contributions) if user else 1  # a user has more check-ins than may count
        last = len(mechanism.grid) - 1
        added, elsewhere = np.zeros(more, dtype=np.int64), np.full(more, last)
        one, empty = np.zeros(1, dtype=np.int64), np.empty(0, dtype=np.int64)
        made = partial(_upload, mechanism)
        if mechanism.relation == "add-remove":
            pairs = {
                "one more, beside one other user": ([one], [one, added]),
                "one more, alone": ([empty], [added]),
                "one more, in the last cell": ([one], [one, elsewhere]),
            }
        else:
            pairs = {
                "one in the last cell, not in the first, beside one other user": ([one, added], [one, elsewhere]),
                "one in the last cell, not in the first, alone": ([added], [elsewhere]),
                "one in the first cell, not outside the box": ([one, added], [one, np.full(more, -1)]),
            }
        epsilon = float(mechanism.epsilon)
        return [Pair(name, made(first), made(second), 1.0, epsilon) for name, (first, second) in pairs.items()]

    def draw(self, mechanism: Any, given: CheckIns, times: int, rng: noise.RandomSource) -> Observed:
        """Counts of the first and the last cells of ``times`` models, (times, at most 4)."""
        cells = observed_cells(len(mechanism.grid))
        return np.asarray(mechanism.repeat(given, times, rng=rng)[:, cells], dtype=np.float64)

    def values(self, pair: Pair) -> list[Column]:
        """Each observed count, and the first minus the last."""
        found = [Column(f"observed cell {i}", partial(_count, i=i)) for i in (0, -1)]
        return [*found, Column("first minus last", lambda observed: observed[:, 0] - observed[:, -1])]

    def residues(self, pair: Pair) -> list[Column]:
        """Low bits and residues of the counts."""
        return [
            column
            for i in (0, -1)
            for column in residue_columns(f"observed cell {i}", partial(_count, i=i), 1.0, MODULES)
        ]

    def features(self, pair: Pair, observed: Observed) -> Floats:
        """The counts themselves."""
        return observed


def observed_cells(cells: int) -> Ints:
    """The cells that are observed of a grid of so many: up to four, the first and the last among them."""
    return np.unique(np.linspace(0, cells - 1, min(cells, CELLS)).astype(np.int64))


def _count(observed: Observed, *, i: int) -> Floats:
    return observed[:, i]


def _upload(mechanism: Any, users: list[Ints]) -> CheckIns:
    """Check-ins in the middle of these cells (-1: outside the box), those of one user in each array."""
    boxes = mechanism.grid.boxes()
    middle = np.column_stack([(boxes[:, 0] + boxes[:, 2]) / 2, (boxes[:, 1] + boxes[:, 3]) / 2])
    outside = [mechanism.west - 1e-3 if mechanism.west > -179 else mechanism.east + 1e-3, mechanism.south]
    places = np.vstack([middle, outside])
    cells = np.concatenate(users)
    user = np.repeat(np.arange(len(users)), [len(one) for one in users])
    lon, lat = places[cells].T
    names = [f"u{i}" for i in range(len(users))]
    return CheckIns(user, names, np.arange(len(cells), dtype=np.float64), lon=lon, lat=lat)
