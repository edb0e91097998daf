"""Counter-based Laplace noise for simulations: a word for each draw, so a block of Philox serves four events."""

import numpy as np
from numba import f8, u8

from privacy_engine.core.arrays import Floats
from privacy_engine.kernels import compiled_for, inlined, out
from privacy_engine.kernels.elementary import halfway, log
from privacy_engine.kernels.philox import LOW, ONE, PART, SHIFT, ZERO, Word, Words, block

BLOCKS = 256  # whose words stay in the first cache until their logarithms are taken
TO_TOP = np.uint64(63)
FOUR = np.uint64(4)


@inlined
def _noise(word: Word, scale: float) -> float:
    """The lowest bit is the sign; the others are the middle of one of 2**31 equal parts of (0, 1)."""
    below = log(halfway(word >> ONE) * (2.0 * PART)) * scale
    return float(np.uint64(np.float64(below).view(np.uint64) ^ (word << TO_TOP)).view(np.float64))


@compiled_for(u8[::1], u8, u8, f8[::1], out(f8[::1]))
def laplace(key: Words, repetition: Word, first_event: Word, scale: Floats, out: Floats) -> None:
    """Laplace noise of consecutive events, each with its scale, into ``out``."""
    k0, k1 = key[0], key[1]
    words = np.empty(4 * BLOCKS, dtype=np.uint64)
    index, skipped, done = first_event // FOUR, int(first_event % FOUR), 0
    while done < len(scale):
        for b in range(BLOCKS):
            c = index + np.uint64(b)
            words[4 * b], words[4 * b + 1], words[4 * b + 2], words[4 * b + 3] = block(
                c & LOW, c >> SHIFT, repetition, ZERO, k0, k1
            )
        drawn, scales, noise = words[skipped:], scale[done:], out[done:]
        size = min(len(drawn), len(scales))
        for i in range(size):
            noise[i] = _noise(drawn[i], scales[i])
        index, skipped, done = index + np.uint64(BLOCKS), 0, done + size
