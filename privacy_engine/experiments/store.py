"""Where results are kept between runs, by what they follow from; a block that is kept is never computed again."""

import hashlib
import os
import tempfile
import tokenize
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Protocol

import numpy as np

from privacy_engine.core.arrays import Floats


@dataclass(frozen=True)
class Key:
    """A block of results: the digests of dataset and cell, and which repetitions."""

    dataset: str
    cell: str
    first: int
    count: int


class Store(Protocol):
    """Keeps arrays by key."""

    def get(self, key: Key) -> Floats | None:
        """What was put there, or None."""

    def put(self, key: Key, values: Floats) -> None:
        """Keep ``values``; a second time they are the same."""


DIGEST_BYTES = 32
_DAMAGED = (EOFError, MemoryError, OverflowError, SyntaxError, TypeError, ValueError, tokenize.TokenError)


def block_bytes(values: Floats) -> bytes:
    """A block as it is stored: the file of ``numpy.save``, and its SHA-256 after it."""
    out = BytesIO()
    np.save(out, values, allow_pickle=False)
    return out.getvalue() + hashlib.sha256(out.getbuffer()).digest()


def has_digest(content: bytes) -> bool:
    """Whether a stored block has its own digest after it, as :func:`block_bytes` wrote it."""
    array, digest = content[:-DIGEST_BYTES], content[-DIGEST_BYTES:]
    return hashlib.sha256(array).digest() == digest


def block_of(content: bytes) -> Floats | None:
    """The block of :func:`block_bytes`, or a block from before there were digests; None if it is damaged."""
    file = BytesIO(content)
    try:
        block = np.lib.format.read_array(file, allow_pickle=False)
    except _DAMAGED:
        return None
    whole = has_digest(content) or file.tell() == len(content)
    return np.asarray(block, dtype=np.float64) if whole else None


class MemoryStore:
    """Keeps them until the process ends."""

    def __init__(self) -> None:
        self._kept: dict[Key, Floats] = {}

    def get(self, key: Key) -> Floats | None:
        return self._kept.get(key)

    def put(self, key: Key, values: Floats) -> None:
        self._kept[key] = values


class FolderStore:
    """Keeps them as files ``dataset/cell/first-count.npy``: each whole or not there; a damaged block counts as none.

    Several experiments and processes may share a folder.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, key: Key) -> Floats | None:
        try:
            return block_of(self._path(key).read_bytes())
        except OSError:
            return None

    def begun(self, dataset: str) -> set[str]:
        """Cells of which something may be kept; nothing is of any other."""
        try:
            return {path.name for path in (self._folder / dataset).iterdir()}
        except OSError:
            return set()

    def put(self, key: Key, values: Floats) -> None:
        _make(self._folder)
        descriptor, partial = tempfile.mkstemp(dir=self._folder, prefix=".block-")
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(block_bytes(values))
            _move(Path(partial), self._path(key))
        except BaseException:
            Path(partial).unlink(missing_ok=True)
            raise

    def _path(self, key: Key) -> Path:
        return self._folder / key.dataset / key.cell / f"{key.first}-{key.count}.npy"


def _make(folder: Path) -> None:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)  # results were measured against originals


def _move(file: Path, place: Path) -> None:
    for _ in range(3):  # what lies there may be cleared away at any moment
        try:
            file.replace(place)
            return
        except FileNotFoundError:
            for folder in (place.parent.parent, place.parent):
                _make(folder)
    file.replace(place)
