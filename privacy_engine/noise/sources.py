"""Where randomness comes from: the operating system for what is published, a seed for simulations."""

from __future__ import annotations

import os
from collections.abc import Callable
from enum import IntEnum
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.core.progress import advance
from privacy_engine.errors import ParameterError

Words = NDArray[np.uint64]
_HALF = np.uint32(16)
_ONE_BITS = np.float64(1.0).view(np.uint64)
_OF_64_BITS = ("Philox", "PCG64", "PCG64DXSM", "SFC64")  # by name: a web process does not load numpy.random


class RandomSource(Protocol):
    """A source of randomness. ``private`` is True if what is drawn from it may be published.

    :func:`as_source` decides ``private`` by the class of the source, whatever the object itself claims.
    """

    @property
    def private(self) -> bool:
        """True only for the operating system's generator."""

    def words(self, n: int) -> Words:
        """``n`` independent words of 64 uniform bits, (n,), read-only."""

    def uniform(self, n: int) -> Floats:
        """``n`` independent values, uniform on the open interval (0, 1), with 52 bits each: for simulations."""

    def reached(self, event: int, n: int) -> None:
        """Report that a mechanism that goes through time is at ``event`` of ``n``."""


def open_unit(words: Words) -> Floats:
    """The middle of the interval of (0, 1) that the first 52 bits of each word leave, (n,): exact, never 0, never 1."""
    bits = words >> np.uint64(12)
    bits |= _ONE_BITS  # 1 + k 2**-52
    uniforms = bits.view(np.float64)
    uniforms -= 1.0 - 2.0**-53
    return uniforms


def _read_only(words: Words) -> Words:
    """``words`` as those of the operating system come, so that kernels are compiled for a single type of array."""
    words.setflags(write=False)
    return words


class _Source:
    __slots__ = ()

    @property
    def private(self) -> bool:
        return False

    def words(self, n: int) -> Words:
        raise NotImplementedError

    def uniform(self, n: int) -> Floats:
        return open_unit(self.words(n))

    def reached(self, event: int, n: int) -> None:
        pass


class _SystemSource(_Source):
    """The kernel's generator. It has no state here, so forked processes share none."""

    __slots__ = ()

    @property
    def private(self) -> bool:
        return True

    def words(self, n: int) -> Words:
        advance()
        return np.frombuffer(os.urandom(8 * n), dtype=np.uint64)


class _SeededSource(_Source):
    __slots__ = ("_generator", "_raw")

    def __init__(self, generator: np.random.Generator) -> None:
        classes = tuple(getattr(np.random, name) for name in _OF_64_BITS)
        self._generator, self._raw = generator, isinstance(generator.bit_generator, classes)

    def words(self, n: int) -> Words:
        advance()
        if self._raw:  # the same words, in less time
            return _read_only(self._generator.bit_generator.random_raw(n))
        return _read_only(self._generator.integers(0, 2**64, size=n, dtype=np.uint64))


class _SuppliedSource(_Source):
    """A caller's own object: never private, whatever it declares."""

    __slots__ = ("_supplied",)

    def __init__(self, supplied: Any) -> None:
        self._supplied = supplied

    def words(self, n: int) -> Words:
        advance()
        return _read_only(np.array(self._supplied.words(n), dtype=np.uint64))

    def uniform(self, n: int) -> Floats:
        advance()
        return np.asarray(self._supplied.uniform(n), dtype=np.float64)

    def reached(self, event: int, n: int) -> None:
        self._supplied.reached(event, n)


class _WatchedSource(_Source):
    __slots__ = ("_share", "_watch", "inner")

    def __init__(self, inner: RandomSource, watch: Callable[[float], None]) -> None:
        self.inner, self._watch, self._share = as_source(inner), watch, 0.0

    @property
    def private(self) -> bool:
        return self.inner.private

    def words(self, n: int) -> Words:
        self._watch(self._share)
        return self.inner.words(n)

    def uniform(self, n: int) -> Floats:
        self._watch(self._share)
        return self.inner.uniform(n)

    def report(self, _: float) -> None:
        """Call the watch with the share reached here, for a branch, which has none."""
        self._watch(self._share)

    def reached(self, event: int, n: int) -> None:
        self._share = event / n


_OWN = (_SystemSource, _SeededSource, _SuppliedSource, _WatchedSource)


def publishable() -> RandomSource:
    """A source over the operating system's generator: the only source whose releases may be published."""
    return _SystemSource()


def seeded(seed: int | np.random.Generator) -> RandomSource:
    """A repeatable source for simulations; releases made with it carry no guarantee."""
    if isinstance(seed, np.random.Generator):
        return _SeededSource(seed)
    return _SeededSource(np.random.Generator(np.random.Philox(np.random.SeedSequence(seed))))


def as_source(rng: RandomSource | np.random.Generator) -> RandomSource:
    """``rng`` as a source of this module's own, whose ``private`` can be relied on.

    A numpy generator becomes a seeded source. Any other object with the methods of :class:`RandomSource` is used and
    is never private, also an object of a subclass of a source here: only this module's own system source is.

    Raises
    ------
    ParameterError
        ``rng`` is neither.
    """
    if type(rng) in _OWN:
        return rng  # type: ignore[return-value]
    if isinstance(rng, np.random.Generator):
        return seeded(rng)
    if not all(callable(getattr(rng, method, None)) for method in ("words", "uniform", "reached")):
        raise ParameterError.must_be("rng", "a source of randomness or a numpy generator", rng, got=type(rng).__name__)
    return _SuppliedSource(rng)


class Stream(IntEnum):
    """What a seed is used for: two uses draw from two streams, or they would be each other's noise."""

    PLANAR = 1
    LAPLACE = 2
    RELEASES = 3
    LANDMARKS = 4
    DUMMIES = 5
    KNOWN_POINTS = 6
    EXPERIMENTS = 7
    UNITS = 8


def source(seed: int | None, *, stream: Stream | None = None, part: int = 0) -> RandomSource:
    """:func:`publishable` without a seed, :func:`seeded` with a seed.

    With ``stream`` the seed's numbers for that use, and for its ``part`` (a series of a dataset), which no other has.
    """
    if seed is None:
        return publishable()
    if stream is None:
        return seeded(seed)
    return seeded(np.random.Generator(np.random.Philox(np.random.SeedSequence(seed, spawn_key=(int(stream), part)))))


def part_uniform(seed: int, stream: Stream, first: int, sizes: Ints) -> Floats:
    """The ``sizes`` (m,) first uniform values of :func:`source` for successive parts from ``first`` on, end to end."""
    from privacy_engine.kernels.philox import words_of_keys

    advance()
    starts = np.append(0, np.cumsum(sizes))
    words = np.empty(starts[-1], dtype=np.uint64)
    words_of_keys(_part_keys(seed, stream, first, len(sizes)), starts, words)
    return open_unit(words)


def _part_keys(seed: int, stream: Stream, first: int, many: int) -> Words:
    """The keys (m, 2) that numpy's ``SeedSequence(seed, spawn_key=(stream, part))`` has for generators of parts.

    Its pool is mixed with the words of the seed and the stream, by the first 20 of the constants, then with the part.
    """
    pool = np.random.SeedSequence(seed, spawn_key=(int(stream),)).pool
    parts = np.arange(first, first + many, dtype=np.uint32)[:, None]
    mixed = np.uint32(0xCA01F9DD) * pool - np.uint32(0x4973F715) * _hashed(parts, 0x43B0D7E5, 0x931E8875, 20)
    keys = _hashed(mixed ^ mixed >> _HALF, 0x8B51F9DD, 0x58F38DED)
    return np.ascontiguousarray(keys, "<u4").view("<u8").astype(np.uint64, copy=False)


def _hashed(words: NDArray[np.uint32], first: int, factor: int, used: int = 0) -> NDArray[np.uint32]:
    """Words (m, 1) or (m, 4) hashed by four pairs of successive constants, each a factor times that before."""
    constants = np.array([first * pow(factor, used + i, 2**32) % 2**32 for i in range(5)], dtype=np.uint32)
    hashed = (words ^ constants[:-1]) * constants[1:]
    return np.asarray(hashed ^ hashed >> _HALF)


def spawned(seed: int, stream: Stream, *parts: int) -> int:
    """Another seed, below 2**53, for a part of what ``seed`` is used for; only the last part may exceed 2**32.

    >>> spawned(1, Stream.EXPERIMENTS, 0) != spawned(1, Stream.EXPERIMENTS, 1)
    True
    """
    sequence = np.random.SeedSequence(seed, spawn_key=(int(stream), *parts))
    return int(sequence.generate_state(1, np.uint64)[0] >> np.uint64(11))


def branches(rng: RandomSource | np.random.Generator, n: int) -> list[RandomSource]:
    """``n`` sources for parts that draw in turns: what any of them returns does not depend on draws from the others.

    The operating system's generator has no order, so each is that generator; otherwise two words of ``rng`` seed each.
    """
    source = as_source(rng)
    if isinstance(source, _WatchedSource):
        return [_WatchedSource(branch, source.report) for branch in branches(source.inner, n)]
    if isinstance(source, _SystemSource):
        return [source] * n
    keys = [source.words(2) for _ in range(n)]
    return [_SeededSource(np.random.Generator(np.random.Philox(key=key))) for key in keys]


def watched(inner: RandomSource, watch: Callable[[float], None]) -> RandomSource:
    """``inner``, with ``watch(share)`` called ahead of every draw; ``share`` of the events are through, 0 to 1.

    Every mechanism draws as it goes, so the caller can report how far it is, and stop it by raising. It is private if
    ``inner`` is.
    """
    return _WatchedSource(inner, watch)
