"""The audit of mechanisms that fit models of check-ins: neighbouring uploads, draws, statistics of models."""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from privacy_engine import noise
from privacy_engine.audit import decisions
from privacy_engine.audit.decisions import Decisions
from privacy_engine.audit.kinds import Column, Observed, Pair, residue_columns
from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.data import CheckIns
from privacy_engine.data.venues import Venues
from privacy_engine.recommender import Recommender

MODULES = (2, 3, 5, 10)
CELLS = 4
"""Cells whose masses and scores are observed: the first, in which the protected check-ins are, and others."""
NO_NOISE = 1e4
"""A level at which noise is practically never anything but zero."""
NUMBERS = 40
"""Published numbers that are observed of each model, equally spaced where it has more."""


class CheckInKind:
    """A few users in the first cell of the grid; uploads differ by what the claim is about: a user or a check-in."""

    kind = CheckIns.kind

    def per(self, mechanism: Any) -> str:
        """A user, or a check-in."""
        return "user" if mechanism.privacy_unit == "user" else "check-in"

    def pairs(self, mechanism: Any) -> list[Pair]:
        """One more user or check-in, alone, beside another, and in another cell; or a replaced user or check-in."""
        user = mechanism.privacy_unit == "user"
        more = 2 * int(mechanism.contributions) if user else 1  # a user has more check-ins than may count
        last = len(mechanism.grid) - 1
        added, elsewhere = np.zeros(more, dtype=np.int64), np.full(more, last)
        other, empty = np.zeros(1, dtype=np.int64), np.empty(0, dtype=np.int64)
        far, near = _alternating(0, last, max(more, 3)), _alternating(min(1, last), min(2, last), max(more, 3))
        if mechanism.relation == "add-remove":
            pairs = {
                "one more, beside one other user": ([other], [other, added]),
                "one more, alone": ([empty], [added]),
                "one more, in the last cell": ([other], [other, elsewhere]),
                "one more, between far cells": ([empty], [far]) if user else ([far[[0, 0]]], [far]),
            }
        else:
            pairs = {
                "one in the last cell, not in the first, beside one other user": ([other, added], [other, elsewhere]),
                "one in the last cell, not in the first, alone": ([added], [elsewhere]),
                "one in the first cell, not outside the box": ([other, added], [other, np.full(more, -1)]),
                "one between far cells, not between others": ([near], [far]) if user else ([_within(far, near)], [far]),
            }
        near_threshold = Decisions.of(mechanism)
        if near_threshold is not None:
            pairs["one more, in boxes near their threshold"] = near_threshold.uploads()
        inputs: dict[str, CheckIns] = {}  # pairs that share an input share its draws

        def made(users: list[Ints]) -> CheckIns:
            return inputs.setdefault(str(users), _upload(mechanism, users))

        return [_pair(name, mechanism, made(first), made(second)) for name, (first, second) in pairs.items()]

    def draw(self, mechanism: Any, given: CheckIns, times: int, rng: noise.RandomSource) -> Observed:
        """Of ``times`` models what :data:`NAMES` lists, (times, names)."""
        cells = observed_cells(len(mechanism.grid))
        observe = partial(_observe, cells=cells, near_threshold=Decisions.of(mechanism))
        return np.asarray(mechanism.repeat(given, times, observe, rng=rng), dtype=np.float64)

    def values(self, pair: Pair) -> list[Column]:
        """The masses of the observed cells, how many numbers there are, and the first mass minus the last."""
        columns = [Column(NAMES[i], partial(_number, i=i)) for i in (*range(CELLS), 2 * CELLS)]
        return [*columns, Column("first minus last", lambda observed: observed[:, 0] - observed[:, CELLS - 1])]

    def residues(self, pair: Pair) -> list[Column]:
        """Low bits and residues of the masses of the first and the last cell."""
        return [
            column for i in (0, CELLS - 1) for column in residue_columns(NAMES[i], partial(_number, i=i), 1.0, MODULES)
        ]

    def features(self, pair: Pair, observed: Observed) -> Floats:
        """The numbers that differ without noise, each within what it is for either input, and which boxes are split.

        Of a count with Laplace noise all that distinguishes two inputs is its value within their exact counts.
        """
        assert isinstance(pair, _ModelPair)
        differ = pair.lowest < pair.highest
        clipped = np.clip(observed[:, differ], pair.lowest[differ], pair.highest[differ])
        return np.column_stack([clipped, observed[:, DEPTHS]])  # which boxes are split, also where both would be


@dataclass(frozen=True, eq=False)
class _ModelPair(Pair):
    """A pair with the smaller and the larger of what is observed of a model of each without noise, (names,)."""

    lowest: Floats
    highest: Floats


def _pair(name: str, mechanism: Any, first: CheckIns, second: CheckIns) -> _ModelPair:
    exact = mechanism.model_copy(update={"epsilon": NO_NOISE})
    near_threshold = Decisions.of(mechanism)
    observe = partial(_observe, cells=observed_cells(len(mechanism.grid)), near_threshold=near_threshold)
    ends = [observe(exact.release(data, rng=noise.seeded(0))) for data in (first, second)]
    epsilon = float(mechanism.epsilon)
    return _ModelPair(name, first, second, 1.0, epsilon, np.minimum(*ends), np.maximum(*ends))


NAMES = (
    *(f"mass of observed cell {i}" for i in range(CELLS)),
    *(f"score of observed cell {i} after the first" for i in range(CELLS)),
    "how many numbers are published",
    *(f"published number {i}" for i in range(NUMBERS)),
    *decisions.NAMES,
)
"""What is observed of a model; numbers that it does not have count as zero."""
DEPTHS = [len(NAMES) - len(decisions.NAMES) + i for i, name in enumerate(decisions.NAMES) if name.startswith("depth")]


def observed_cells(cells: int) -> Ints:
    """The cells that are observed of a grid of so many: four, the first and the last among them."""
    return np.linspace(0, cells - 1, CELLS).astype(np.int64)


def _observe(model: Recommender, *, cells: Ints, near_threshold: Decisions | None) -> Floats:
    mass, published = model.densities(), model.numbers()
    row = np.zeros(len(NAMES))
    if mass is not None:
        row[:CELLS] = mass[cells]
    row[CELLS : 2 * CELLS] = model.scores([0])[cells]
    row[2 * CELLS] = len(published)
    if len(published) > NUMBERS:
        published = published[np.linspace(0, len(published) - 1, NUMBERS).astype(np.int64)]
    row[2 * CELLS + 1 :][: len(published)] = published
    if near_threshold is not None:
        row[-len(decisions.NAMES) :] = near_threshold.observe(model)
    return row


def _number(observed: Observed, *, i: int) -> Floats:
    return observed[:, i]


def _alternating(first: int, second: int, n: int) -> Ints:
    return np.where(np.arange(n) % 2 == 0, first, second)


def _within(around: Ints, other: Ints) -> Ints:
    return np.array([around[0], other[0], *around[2:]])


def _upload(mechanism: Any, users: list[Ints]) -> CheckIns:
    """Check-ins in the middle of these cells (-1: outside the box), those of a user in each array.

    There is a listed venue in the middle of each cell, and none outside the box.
    """
    boxes = mechanism.grid.boxes()
    middle = np.column_stack([(boxes[:, 0] + boxes[:, 2]) / 2, (boxes[:, 1] + boxes[:, 3]) / 2])
    outside = [mechanism.west - 1e-3 if mechanism.west > -179 else mechanism.east + 1e-3, mechanism.south]
    places = np.vstack([middle, outside])
    cells = np.concatenate(users)
    user = np.repeat(np.arange(len(users)), [len(visits) for visits in users])
    lon, lat = places[cells].T
    names = [f"u{i}" for i in range(len(users))]
    venues = [str(cell) for cell in range(len(boxes))]
    listed = Venues(venues, middle[:, 0], middle[:, 1], venues)
    time_s = np.arange(len(cells), dtype=np.float64)
    return CheckIns(user, names, time_s, np.where(cells < 0, len(boxes), cells), [*venues, ""], lon, lat, (), listed)


ADAPTER = CheckInKind()
