"""Blocks of results of an owner's experiments: in a folder of this host, or as objects that all hosts share."""

import contextlib
import uuid
from pathlib import Path
from typing import Protocol

from dashboard.core.storage_errors import DamagedFile
from dashboard.storage import local_files
from dashboard.storage.stored_path import StoredPath, stored_files
from privacy_engine.core.arrays import Floats
from privacy_engine.experiments import FolderStore, Key, Store
from privacy_engine.experiments.store import block_bytes, block_of, has_digest


class BlockStore(Store, Protocol):
    """A store that lists what it may have."""

    def begun(self, dataset: str) -> set[str]:
        """Cells of which something may be kept; nothing is of any other."""


def blocks_of(owner_id: uuid.UUID) -> StoredPath:
    """Where an owner's blocks are stored, in a folder for each digest of data and within it for each cell."""
    return StoredPath(f"blocks/{owner_id}")


def block_store(owner_id: uuid.UUID) -> BlockStore:
    """The store of an owner's blocks."""
    if stored_files().shared:
        return SharedStore(blocks_of(owner_id))
    return FolderStore(local_files.home("blocks", str(owner_id)))


class SharedStore:
    """Keeps blocks as ``dataset/cell/first-count.npy``, under the same names as :class:`FolderStore`."""

    def __init__(self, folder: StoredPath) -> None:
        self._folder = folder

    def get(self, key: Key) -> Floats | None:
        """What was put there, or None; a damaged block counts as none."""
        try:
            return block_of(self._path(key).read_bytes())
        except FileNotFoundError:
            return None
        except DamagedFile:  # it is computed again, and stored under the same name
            self._path(key).unlink()
            return None

    def begun(self, dataset: str) -> set[str]:
        """Cells of which something may be kept."""
        return {path.parent.name for path in (self._folder / dataset).iterdir()}

    def put(self, key: Key, values: Floats) -> None:
        """Keep ``values``; where there are some, they are the same."""
        with contextlib.suppress(FileExistsError), stored_files().written(str(self._path(key))) as out:
            out.write(block_bytes(values))  # with its digest: no row for each of thousands of blocks

    def _path(self, key: Key) -> StoredPath:
        return self._folder / key.dataset / key.cell / f"{key.first}-{key.count}.npy"


def is_whole(_: str, path: Path) -> bool | None:
    """Whether a stored block is what was stored; None for a block of before blocks had digests."""
    content = path.read_bytes()
    if has_digest(content):
        return True
    return None if block_of(content) is not None else False
