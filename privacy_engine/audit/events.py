"""Families of events: candidates from training draws, each a yes or no about a draw."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from privacy_engine.audit.bounds import loss_at_least
from privacy_engine.audit.kinds import Column, Kind, Observed, Pair
from privacy_engine.audit.score import learn
from privacy_engine.core.arrays import Floats, Ints, Mask

FAMILIES = ("value", "grid residue", "learned")
QUANTILES = np.concatenate([[0.002, 0.005, 0.01, 0.02], np.linspace(0.04, 0.96, 47), [0.98, 0.99, 0.995, 0.998]])
DISTINCT = 64
"""Values of a residue column that are tried, at most: the most frequent."""
RELATIONS: dict[str, Callable[[Floats, float], Mask]] = {
    "=": lambda values, threshold: values == threshold,
    "≤": lambda values, threshold: values <= threshold,
    ">": lambda values, threshold: values > threshold,
}


@dataclass(frozen=True)
class Event:
    """The outputs whose ``column`` stands in ``relation`` to ``threshold``; ``reverse``: the second input's event.

    A bound of the first input's loss counts its draws against the second's, that of a reversed event the second's
    against the first's.
    """

    column: Column
    relation: str
    threshold: float
    reverse: bool

    @property
    def name(self) -> str:
        """The event as a person reads it."""
        return f"{self.column.name} {self.relation} {self.threshold:.6g}"

    def count(self, observed: Observed) -> int:
        """How many of the draws fall into it."""
        return int(np.count_nonzero(RELATIONS[self.relation](self.column.of(observed), self.threshold)))


def best_events(kind: Kind, pair: Pair, first: Observed, second: Observed, alpha: float) -> dict[str, Event]:
    """Return of each family the event whose lower bound on these draws of two inputs is largest, in either direction.

    The draws must not be used again: a bound on them would be of the event that fits them by chance.
    """
    score = learn(kind.features(pair, first), kind.features(pair, second))
    columns = {
        "value": kind.values(pair),
        "grid residue": kind.residues(pair),
        "learned": [Column("learned score", lambda observed: score.of(kind.features(pair, observed)))],
    }
    return {
        family: max((_best_of(column, first, second, alpha) for column in columns[family]), key=lambda best: best[0])[1]
        for family in FAMILIES
        if columns[family]
    }


def _best_of(column: Column, first: Observed, second: Observed, alpha: float) -> tuple[float, Event]:
    """The event about a column with the largest bound on as many training draws of either input, and that bound.

    ``alpha`` is that of each event alone, which serves to rank them: what is claimed is counted on other draws.
    """
    a, b = np.sort(column.of(first)), np.sort(column.of(second))
    n = len(a)
    values, counts = np.unique(np.concatenate([a, b]), return_counts=True)
    few = len(values) <= DISTINCT
    thresholds = values if few else np.unique(np.quantile(np.concatenate([a, b]), QUANTILES, method="lower"))
    frequent = values if few else values[np.argsort(-counts, kind="stable")[:DISTINCT]]
    at_frequent, below = [_equals(draw, frequent) for draw in (a, b)], [_at_most(draw, thresholds) for draw in (a, b)]
    tried = [("=", frequent, at_frequent), ("≤", thresholds, below), (">", thresholds, [n - count for count in below])]
    rated: list[tuple[float, Event]] = []
    for relation, at, (first_hits, second_hits) in tried:
        for reverse, bounds in (
            (False, loss_at_least(first_hits, second_hits, n, alpha)),
            (True, loss_at_least(second_hits, first_hits, n, alpha)),
        ):
            best = int(np.argmax(bounds))
            rated.append((float(bounds[best]), Event(column, relation, float(at[best]), reverse)))
    return max(rated, key=lambda rating: rating[0])


def _at_most(ordered: Floats, thresholds: Floats) -> Ints:
    return np.asarray(np.searchsorted(ordered, thresholds, side="right"), dtype=np.int64)


def _equals(ordered: Floats, values: Floats) -> Ints:
    below = np.searchsorted(ordered, values, side="left")
    return np.asarray(np.searchsorted(ordered, values, side="right") - below, dtype=np.int64)
