"""Where randomness comes from: the operating system for what is published, a seed for simulations."""

from __future__ import annotations

import os
from collections.abc import Callable
from enum import IntEnum
from typing import Protocol

import numpy as np

from privacy_engine.data import Floats


class RandomSource(Protocol):
    """Where randomness comes from. ``private`` is True if what it makes may be published."""

    private: bool

    def uniform(self, n: int) -> Floats:
        """``n`` independent values, uniform on the open interval (0, 1)."""

    def reached(self, event: int, n: int) -> None:
        """A mechanism that walks through time says where it is: at ``event`` of ``n``. For whoever watches."""


def _open_unit(words: np.ndarray) -> Floats:
    # 52 random bits and a half: never 0, never 1 (53 and a half would round up to it), so every logarithm is finite
    return ((words >> np.uint64(12)).astype(np.float64) + 0.5) * 2.0**-52


class _Unwatched:
    def reached(self, event: int, n: int) -> None:
        pass


class _SystemSource(_Unwatched):
    private = True

    def uniform(self, n: int) -> Floats:
        return _open_unit(np.frombuffer(os.urandom(8 * n), dtype=np.uint64))


class _SeededSource(_Unwatched):
    private = False

    def __init__(self, generator: np.random.Generator) -> None:
        self._generator = generator

    def uniform(self, n: int) -> Floats:
        return _open_unit(self._generator.integers(0, 2**64, size=n, dtype=np.uint64))


def publishable() -> RandomSource:
    """A source over the operating system's CSPRNG: the only one whose releases may be published."""
    return _SystemSource()


def seeded(seed: int | np.random.Generator) -> RandomSource:
    """A repeatable source for simulations; releases made with it carry no guarantee."""
    if isinstance(seed, np.random.Generator):
        return _SeededSource(seed)
    return _SeededSource(np.random.Generator(np.random.Philox(np.random.SeedSequence(seed))))


def as_source(rng: RandomSource | np.random.Generator) -> RandomSource:
    """``rng`` itself, or a numpy generator as a source: seeded, and so never private."""
    return seeded(rng) if isinstance(rng, np.random.Generator) else rng


class Stream(IntEnum):
    """What one seed is used for: two uses draw from two streams, or they would be one another's noise."""

    PLANAR = 1
    LAPLACE = 2
    RELEASES = 3
    LANDMARKS = 4
    DUMMIES = 5
    KNOWN_POINTS = 6
    EXPERIMENTS = 7


def source(seed: int | None, *, stream: Stream | None = None, part: int = 0) -> RandomSource:
    """:func:`publishable` without a seed, :func:`seeded` with one.

    With ``stream`` the seed's numbers for that use, and for its ``part`` (a series of a dataset), which no other has.
    """
    if seed is None:
        return publishable()
    if stream is None:
        return seeded(seed)
    return seeded(np.random.Generator(np.random.Philox(np.random.SeedSequence(seed, spawn_key=(int(stream), part)))))


def spawned(seed: int, stream: Stream, *parts: int) -> int:
    """Another seed, below 2**53, for one part of what ``seed`` is used for; only the last part may exceed 2**32.

    >>> spawned(1, Stream.EXPERIMENTS, 0) != spawned(1, Stream.EXPERIMENTS, 1)
    True
    """
    sequence = np.random.SeedSequence(seed, spawn_key=(int(stream), *parts))
    return int(sequence.generate_state(1, np.uint64)[0] >> np.uint64(11))


class _Watched:
    def __init__(self, inner: RandomSource, watch: Callable[[float], None]) -> None:
        self.private, self._inner, self._watch = inner.private, inner, watch
        self._share = 0.0

    def uniform(self, n: int) -> Floats:
        self._watch(self._share)
        return self._inner.uniform(n)

    def reached(self, event: int, n: int) -> None:
        self._share = event / n


def watched(inner: RandomSource, watch: Callable[[float], None]) -> RandomSource:
    """``inner``, with ``watch(share)`` called ahead of every draw; ``share`` of the events are through, 0 to 1.

    Every mechanism draws as it goes, so whoever runs it can tell how far it is, and stop it by raising.
    """
    return _Watched(inner, watch)
