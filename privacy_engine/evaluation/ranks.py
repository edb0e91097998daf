"""Ranks of the cells that users went to, cells with equal scores sharing theirs, and ``Evaluation`` of a model."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.core.progress import reported
from privacy_engine.data import CheckIns
from privacy_engine.evaluation.positions import Positions
from privacy_engine.recommender import Recommender, Sequences


class Ranks:
    """Where cells stand in a ranking: ``greater`` (n,) have a greater score, ``tied`` (n,) the same, itself included.

    Cells with the same score are in random order: each measure is its mean over all orders.
    """

    def __init__(self, greater: ArrayLike, tied: ArrayLike) -> None:
        self.greater, self.tied = np.asarray(greater, dtype=np.int64), np.asarray(tied, dtype=np.int64)

    def __len__(self) -> int:
        return len(self.greater)

    def __getitem__(self, which: Ints) -> Ranks:
        return Ranks(self.greater[which], self.tied[which])

    def hits(self, k: int) -> Floats:
        """The probability that each is among the first ``k``, (n,)."""
        return np.clip((k - self.greater) / self.tied, 0.0, 1.0)

    def reciprocal(self) -> Floats:
        """The expected 1 / rank of each, (n,)."""
        most = int((self.greater + self.tied).max(initial=0))
        harmonic = np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, most + 1))])
        return np.asarray((harmonic[self.greater + self.tied] - harmonic[self.greater]) / self.tied)


def ranked(model: Recommender, positions: Positions) -> Ranks:
    """Ranks of all later cells of ``positions``, (p,), among all cells but the present.

    A model is called once for each different history.
    """
    greater, tied = np.empty((2, len(positions.later)), dtype=np.int64)
    for history, pairs in reported(_by_history(positions)):
        scores = np.array(model.scores(history.tolist()), dtype=np.float64)
        scores[history[-1]] = -np.inf
        own, scores = scores[positions.later[pairs]], np.sort(scores)
        above = np.searchsorted(scores, own, side="right")
        greater[pairs] = len(scores) - above
        tied[pairs] = above - np.searchsorted(scores, own, side="left")
    return Ranks(greater, tied)


def _by_history(positions: Positions) -> Iterator[tuple[Ints, Ints]]:
    """Each different history without what is missing in front, and the pairs of the positions that have it."""
    if not len(positions):
        return
    different, group = np.unique(positions.history, axis=0, return_inverse=True)
    of_pair = group.reshape(-1)[positions.position]
    order = np.argsort(of_pair, kind="stable")
    ends = np.searchsorted(of_pair[order], np.arange(1, len(different)))
    for history, pairs in zip(different, np.split(order, ends), strict=True):
        yield history[history >= 0], pairs


class Evaluation:
    """A model, the check-ins it was ``fitted`` to, and ``others`` that it is measured on.

    ``others`` are those of users that were not fitted; of a release of all check-ins there are none (None). The
    recommendation is for the last ``history`` cells of each position.
    """

    def __init__(self, model: Recommender, fitted: CheckIns, others: CheckIns | None = None, history: int = 1) -> None:
        self.model, self.fitted, self.others, self.history = model, fitted, others, history

    @cached_property
    def positions(self) -> Positions | None:
        """Positions of the others; None where there are no others."""
        if self.others is None:
            return None
        return Positions.of(Sequences.of(self.others, self.model.grid), self.history)

    @cached_property
    def ranks(self) -> Ranks | None:
        """Ranks of all later cells; None without any position."""
        return ranked(self.model, self.positions) if self.positions is not None and len(self.positions) else None
