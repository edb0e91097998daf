"""The error of a storage of files on another host that does not answer, or refuses what it should do."""

from __future__ import annotations


class StorageUnavailable(Exception):
    """The storage did not carry out a request after its repetitions; the same may succeed later.

    No :class:`OSError`: readers of files would take it for a damaged file, and it is no property of any.
    """
