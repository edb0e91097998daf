"""Events as messages of 64-bit words, and their keyed hash."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from privacy_engine.core.arrays import Floats
from privacy_engine.core.progress import ROWS, blocks, reported

Hashes = NDArray[np.uint64]
Instants = NDArray[np.int64]

KEY_BYTES = 16


def siphash24(message: Sequence[Hashes], key: bytes) -> Hashes:
    """Return SipHash-2-4 of each event's message, which is 1 to 3 little-endian 64-bit words, (n,) each; (n,).

    Raises
    ------
    ValueError
        The key is not of 16 bytes.
    """
    from privacy_engine.kernels import siphash

    if len(key) != KEY_BYTES:
        raise ValueError(f"key must be {KEY_BYTES} bytes, got {len(key)}")
    k0, k1 = (np.uint64(int.from_bytes(key[at : at + 8], "little")) for at in (0, 8))
    out = np.empty(len(message[0]), dtype=np.uint64)
    for part in blocks(len(out)):
        match [frozen(column[part]) for column in message]:
            case [first]:
                siphash.of_one(first, k0, k1, out[part])
            case [first, second]:
                siphash.of_two(first, second, k0, k1, out[part])
            case [first, second, third]:
                siphash.of_three(first, second, third, k0, k1, out[part])
    return out


def frozen(words: Hashes) -> Hashes:
    """The same words, not to be written through this name: kernels are compiled for a single sort of array."""
    view = words.view()
    view.flags.writeable = False
    return view


def position_words(lon: Floats, lat: Floats) -> Hashes:
    """Positions on the grid of 1e-7 degrees as words; the two names of the antimeridian are the same position."""
    from privacy_engine.kernels import event_cells

    out = np.empty(len(lon), dtype=np.uint64)
    event_cells.position_words(lon, lat, out)
    return out


def instants(time_s: Floats) -> Instants:
    """Times in whole milliseconds."""
    return np.asarray(np.round(time_s * 1000).astype(np.int64))


def text_words(texts: Sequence[str], key: bytes) -> Hashes:
    """One keyed word for each text."""
    coming = reported(texts, ROWS)
    digests = [hashlib.blake2b(text.encode(), key=key, digest_size=8).digest() for text in coming]
    return np.frombuffer(b"".join(digests), dtype="<u8").astype(np.uint64)
