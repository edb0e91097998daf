"""Arrays that parts of a job compute (dashboard/jobs/parts.py): a file of each in its folder until they are joined."""

import io
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dashboard.jobs import parts
from dashboard.jobs.leases import Lease
from dashboard.storage import stored_path
from dashboard.storage.stored_path import StoredPath


def store(part: Any, lease: Lease, arrays: Mapping[str, Any]) -> dict[str, str]:
    """Store the arrays of a claimed part; returns its result, by which they are found."""
    with _path(part.job, lease.token.hex).written() as out:
        np.savez(out, **arrays)
    return {"token": lease.token.hex}


def results(
    job: Any, lease: Lease, step: str, pieces: Sequence[parts.Piece], **how: Any
) -> Iterator[dict[str, NDArray[Any]]]:
    """The arrays of each piece, as :func:`dashboard.jobs.parts.results` has results."""
    kept = lambda made: _path(job, made["token"]).exists()  # noqa: E731
    for made in parts.results(job, lease, step, pieces, kept=kept, **how):
        with np.load(io.BytesIO(_path(job, made["token"]).read_bytes())) as arrays:
            yield dict(arrays)


def clear(job: Any) -> None:
    """Remove the parts of a job with their files, if it has some and is over."""
    if parts.delete_of_ended(job):
        stored_path.remove_all(files=job.folder.iterdir("part-"))


def clear_part(part: Any) -> None:
    """Remove the file of a part."""
    _path(part.job, part.token.hex).unlink()
    part.job.folder.remove_empty()


def _path(job: Any, token: str) -> StoredPath:
    path: StoredPath = job.folder / f"part-{token}.npz"
    return path
