"""SipHash-2-4 of messages of whole words, and the lookup of hashes in a sorted table.

Reference: Aumasson, Bernstein. "SipHash: A Fast Short-Input PRF". INDOCRYPT 2012.
"""

import numpy as np
from numba import i8, u4, u8
from numpy.typing import NDArray

from privacy_engine.core.arrays import Ints
from privacy_engine.kernels import compiled_for, inlined, out

Word = np.uint64
Words = NDArray[np.uint64]

INITIAL = tuple(np.uint64(word) for word in np.frombuffer(b"somepseudorandomlygeneratedbytes", dtype=">u8"))
I0, I1, I2, I3 = INITIAL
R13, R16, R17, R21, R32 = np.uint64(13), np.uint64(16), np.uint64(17), np.uint64(21), np.uint64(32)
L13, L16, L17, L21 = np.uint64(51), np.uint64(48), np.uint64(47), np.uint64(43)
END = np.uint64(0xFF)
ONE, BITS = np.uint64(1), np.uint64(6)
LOW = np.uint64(63)
LENGTH_1, LENGTH_2, LENGTH_3 = (np.uint64(8 * n << 56) for n in (1, 2, 3))


@inlined
def _round(a: Word, b: Word, c: Word, d: Word) -> tuple[Word, Word, Word, Word]:
    a = a + b
    b = (b << R13 | b >> L13) ^ a
    a = a << R32 | a >> R32
    c = c + d
    d = (d << R16 | d >> L16) ^ c
    a = a + d
    d = (d << R21 | d >> L21) ^ a
    c = c + b
    b = (b << R17 | b >> L17) ^ c
    c = c << R32 | c >> R32
    return a, b, c, d


@inlined
def _absorbed(a: Word, b: Word, c: Word, d: Word, word: Word) -> tuple[Word, Word, Word, Word]:
    a, b, c, d = _round(a, b, c, d ^ word)
    a, b, c, d = _round(a, b, c, d)
    return a ^ word, b, c, d


@inlined
def _finished(a: Word, b: Word, c: Word, d: Word) -> Word:
    a, b, c, d = _round(a, b, c ^ END, d)
    a, b, c, d = _round(a, b, c, d)
    a, b, c, d = _round(a, b, c, d)
    a, b, c, d = _round(a, b, c, d)
    return a ^ b ^ c ^ d


@compiled_for(u8[::1], u8, u8, out(u8[::1]))
def of_one(first: Words, k0: Word, k1: Word, out: Words) -> None:
    """The hash of each message of a single word, into ``out``."""
    for i in range(len(out)):
        a, b, c, d = _absorbed(I0 ^ k0, I1 ^ k1, I2 ^ k0, I3 ^ k1, first[i])
        a, b, c, d = _absorbed(a, b, c, d, LENGTH_1)
        out[i] = _finished(a, b, c, d)


@compiled_for(u8[::1], u8[::1], u8, u8, out(u8[::1]))
def of_two(first: Words, second: Words, k0: Word, k1: Word, out: Words) -> None:
    """The hash of each message of two words, into ``out``."""
    for i in range(len(out)):
        a, b, c, d = _absorbed(I0 ^ k0, I1 ^ k1, I2 ^ k0, I3 ^ k1, first[i])
        a, b, c, d = _absorbed(a, b, c, d, second[i])
        a, b, c, d = _absorbed(a, b, c, d, LENGTH_2)
        out[i] = _finished(a, b, c, d)


@compiled_for(u8[::1], u8[::1], u8[::1], u8, u8, out(u8[::1]))
def of_three(first: Words, second: Words, third: Words, k0: Word, k1: Word, out: Words) -> None:
    """The hash of each message of three words, into ``out``."""
    for i in range(len(out)):
        a, b, c, d = _absorbed(I0 ^ k0, I1 ^ k1, I2 ^ k0, I3 ^ k1, first[i])
        a, b, c, d = _absorbed(a, b, c, d, second[i])
        a, b, c, d = _absorbed(a, b, c, d, third[i])
        a, b, c, d = _absorbed(a, b, c, d, LENGTH_3)
        out[i] = _finished(a, b, c, d)


@compiled_for(u8[::1], i8, i8, u8, u8, out(u4[::1]), out(u8[::1]))
def index(
    values: Words, first: int, group: int, shift: Word, finer: Word, starts: NDArray[np.uint32], filled: Words
) -> int:
    """For sorted values: where each group of equal ``value >> shift`` starts, and a bit for each ``>> finer``.

    ``values`` are those from the number ``first`` on, before which no ``group`` or later starts; returns the next.
    """
    for i in range(len(values)):
        own = np.int64(values[i] >> shift)
        while group <= own:
            starts[group] = first + i
            group += 1
        bit = values[i] >> finer
        filled[bit >> BITS] |= ONE << (bit & LOW)
    return group


@compiled_for(u8[::1], u8[::1], u8, u8, u4[::1], u8[::1], out(i8[::1]))
def find(
    queries: Words, values: Words, shift: Word, finer: Word, starts: NDArray[np.uint32], filled: Words, out: Ints
) -> None:
    """The place of each query in ``values``, into ``out``; -1 where it is not there. See :func:`index`."""
    groups = np.uint64(len(starts) - 1)
    for i in range(len(queries)):
        query = queries[i]
        out[i] = -1
        group = query >> shift
        if group >= groups:
            continue
        bit = query >> finer
        if filled[bit >> BITS] >> (bit & LOW) & ONE == np.uint64(0):
            continue
        for at in range(starts[group], starts[group + ONE]):
            if values[at] >= query:
                if values[at] == query:
                    out[i] = at
                break
