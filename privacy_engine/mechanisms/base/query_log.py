"""``NoisyQuery`` and ``QueryLog``: what a fit reads of the check-ins, and what each query spends."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from privacy_engine import noise
from privacy_engine.core.arrays import Ints
from privacy_engine.core.progress import advance, reported

NUMBERS_AT_ONCE = 1 << 20
"""Noisy numbers that are drawn at a time for many fits."""


@dataclass(frozen=True)
class NoisyQuery:
    """Whole numbers computed from prepared check-ins, published with discrete Laplace noise of a common rate.

    Parameters
    ----------
    name : str
        What is counted.
    values : callable
        The exact numbers, (n,) int, of what :meth:`CheckInMechanism.prepared` returns; n must not depend on it.
    sensitivity : int
        The most that neighbours' numbers differ by in sum.
    rate : float
        Of the noise on each number: ``rate * sensitivity`` is what the query spends at most.
    """

    name: str
    values: Callable[[Any], Ints]
    sensitivity: int
    rate: float

    @property
    def epsilon(self) -> float:
        """What the query spends at most."""
        return self.rate * self.sensitivity

    def spent(self, first: Any, second: Any) -> float:
        """What the query spends between two prepared inputs: the rate times the sum of differences."""
        return self.rate * float(np.abs(self.values(first) - self.values(second)).sum())

    def answer(self, data: Any, source: noise.RandomSource) -> Ints:
        """The numbers of ``data`` with noise, (n,)."""
        return np.asarray(self.noisy(self.values(data), 1, source)[0])

    def noisy(self, exact: Ints, times: int, source: noise.RandomSource) -> Ints:
        """Independent answers where the exact numbers are ``exact``, (times, n)."""
        drawn = noise.discrete_laplace(self.rate, times * len(exact), rng=source)
        return np.asarray(exact + drawn.reshape(times, len(exact)))


@dataclass(frozen=True, eq=False)
class QueryLog:
    """The only access of a fit to prepared check-ins: answers with noise, each query listed in ``queries``.

    Which query comes next may depend on earlier answers. Between neighbours ``first`` and ``second`` a fit with these
    answers spends at most the sum of ``query.spent(first, second)``.
    """

    data: Any
    source: noise.RandomSource
    queries: list[Any] = field(default_factory=list)

    @property
    def private(self) -> bool:
        """True if noise comes from the operating system's generator."""
        return self.source.private

    def answer(self, query: Any) -> Any:
        """The answer of a :class:`NoisyQuery`, or of another query with ``answer`` and ``spent``."""
        advance()
        self.queries.append(query)
        return query.answer(self.data, self.source)

    def repeated(self, times: int) -> Iterator[QueryLog]:
        """``times`` logs with new answers to the same :class:`NoisyQuery` objects, in the order of this log.

        It takes far less time than a new log for each where numbers are few, and is only for fits whose queries are
        always the same.
        """
        exact = [query.values(self.data) for query in self.queries]
        at_once = max(NUMBERS_AT_ONCE // max(sum(map(len, exact)), 1), 1)
        for start in range(0, times, at_once):
            rows = min(at_once, times - start)
            drawn = [query.noisy(values, rows, self.source) for query, values in zip(self.queries, exact, strict=True)]
            for i in reported(range(rows)):
                yield _Drawn(self.data, self.source, [], iter([answers[i] for answers in drawn]))


@dataclass(frozen=True, eq=False)
class _Drawn(QueryLog):
    """A log whose answers were drawn before."""

    answers: Iterator[Ints] = field(default_factory=lambda: iter(()))

    def answer(self, query: Any) -> Any:
        return next(self.answers)
