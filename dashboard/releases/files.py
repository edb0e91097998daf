"""The files of a release. An attempt writes under names that carry its token, so two attempts never meet."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dashboard.core.computing import computed
from dashboard.datasets.people import mask_of_person, people_of
from dashboard.jobs.models import State
from dashboard.jobs.parts import delete_of_ended
from dashboard.landmarks.models import LandmarkSet
from dashboard.landmarks.promise import mask_of
from dashboard.landmarks.selectors import series_bounds
from dashboard.releases.models import Release, ReleasePart
from dashboard.storage import data_files, local_files, parquet, stored_path
from dashboard.storage.data_files import series_index
from dashboard.storage.stored_path import StoredPath
from privacy_engine import data
from privacy_engine.analysis.release_curves import ReleasedSeries
from privacy_engine.core.arrays import Floats, Ints, Mask
from privacy_engine.core.progress import blocks
from privacy_engine.data.mapped_series import column, leaving
from privacy_engine.data.numbered import Numbered, each
from privacy_engine.data.people import Person
from privacy_engine.datatypes import datatypes


def write(row: Release, original: Any, drawn: Any) -> None:
    """Write the attempt's files; ``row.data_file`` is the name of that with what is published."""
    datatype = datatypes[row.kind]
    data_files.write_release(row.kind, row.data_path, drawn)
    for path, columns in (
        (row.budgets_path, datatype.budget_columns(drawn)),
        (row.errors_path, datatype.owner_columns(original, drawn)),
    ):
        parquet.write_columns(path, columns, differences=datatype.slow_columns)


@computed
def matches_label(name: str, path: Path) -> bool | None:
    """Whether the stored data of a release have the digest of its label; None for its other files."""
    pk, file = name.split("/")[1:]
    row = Release.objects.filter(pk=pk, data_file=file).first()
    if row is None or not row.data_sha256:
        return None
    if row.by_series:  # rows of before there was a digest of the points hold that of the file
        return local_files.digest_of(path) == row.data_sha256
    return datatypes[row.kind].digest(data_files.read_release(row.kind, path)) == row.data_sha256


class _Stored(Numbered[data.Release]):
    """A finished release as its mechanism made it, a part for each series, out of its own files alone."""

    def __init__(self, row: Release) -> None:
        self._mechanism, self._budgets = row.parsed_spec.mechanism, parquet.Rows(row.budgets_path)
        self._found = data_files.read_release(row.kind, row.data_path)
        self._starts = np.append(0, np.cumsum(row.dataset.series_lengths)).tolist()

    def __len__(self) -> int:
        return len(self._found)

    def _read(self, number: int) -> data.Release:
        published, event = self._found[number]
        columns = self._budgets.columns(*self._starts[number : number + 2])
        if "sd_m" not in columns:  # written before there was noise that is not planar Laplace
            columns["sd_m"] = self._mechanism.sd_m(columns["budget"])
        fresh = columns["fresh"].astype(np.bool_)
        return data.Release(published, event, columns["budget"], fresh, columns["sd_m"])


def read_releases(row: Release) -> Sequence[data.Release]:
    """A finished release as its mechanism made it, a part for each series, read when they are needed."""
    return _Stored(row)


def people_of_release(row: Release) -> list[Person]:
    """The people whose events were drawn together; of a release from before people were known each series alone."""
    if row.by_series:
        return [Person("", (i,), (length,), None) for i, length in enumerate(row.dataset.series_lengths)]
    return people_of(row.dataset)


def person_of_release(row: Release, series: int) -> Person:
    """Whose a series of a release is.

    Raises
    ------
    ParameterError
        There is no such series.
    """
    series_bounds(row.dataset.series_lengths, series)
    return next(person for person in people_of_release(row) if series in person.members)


def read_person(row: Release, person: Person, landmark_set: LandmarkSet | None) -> tuple[data.Release, Mask]:
    """A finished release of a person's events in the order of time, and which of these are landmarks of a set."""
    is_landmark = mask_of_person(row.dataset, mask_of(row.dataset, landmark_set), person)
    return person.joined_release(read_releases(row)), is_landmark


ERROR_PER = {"error_mm": 1000, "error_m": 1}


@dataclass(frozen=True, eq=False)
class Curves:
    """One series of a release, over its n events; not a number where nothing was published."""

    budget: Floats
    error_m: Floats
    time_s: Floats | None


def read_curves(row: Release, series: int) -> Curves:
    """What the owner's charts show of a series.

    Raises
    ------
    ParameterError
        There is no such series.
    """
    start, end = series_bounds(series_index(row.data_path).sizes.tolist(), series)
    first, last = series_bounds(row.dataset.series_lengths, series)
    names = [name for name in parquet.read_schema(row.data_path).names if name in ("event", "time_ms")]
    published = parquet.Rows(row.data_path, names).columns(start, end)
    event, time_ms = published["event"], published.get("time_ms")
    time_s = None if time_ms is None else _over_events(last - first, event, time_ms, 1000)
    (stored,) = parquet.read_schema(row.errors_path).names  # releases of before 1.0 have metres
    errors = _over_events(last - first, event, _column(row.errors_path, stored, start, end), ERROR_PER[stored])
    return Curves(_column(row.budgets_path, "budget", first, last), errors, time_s)


def _column(path: StoredPath, name: str, first: int, last: int) -> NDArray[Any]:
    values: NDArray[Any] = parquet.Rows(path, [name]).columns(first, last)[name]
    return values


def read_series(row: Release, series: int, landmark_set: LandmarkSet | None) -> ReleasedSeries:
    """One series of a finished release beside all events of its person; errors as in :func:`person_of_release`."""
    person, curves = person_of_release(row, series), read_curves(row, series)
    is_landmark = mask_of_person(row.dataset, mask_of(row.dataset, landmark_set), person)
    budgets: Floats = curves.budget
    ranks: Ints | slice = slice(None)
    if len(person.members) > 1:
        rows, ends = parquet.Rows(row.budgets_path, ["budget"]), np.cumsum([0, *row.dataset.series_lengths]).tolist()
        budgets = person.joined_values(each(tuple(pairwise(ends)), lambda of: rows.columns(*of)["budget"]))
        ranks = person.ranks_of(series)
    return ReleasedSeries(curves.error_m, curves.budget, curves.time_s, budgets, is_landmark, ranks)


def _over_events(n: int, event: Ints, values: NDArray[Any], per: float = 1.0) -> Floats:
    """``values`` of ascending events, each divided by ``per``, over all ``n``."""
    full = column(np.float64, n)
    for part in leaving([event, values], blocks(n)):
        here = slice(*np.searchsorted(event, (part.start, part.stop)).tolist())
        piece = np.full(part.stop - part.start, np.nan)
        piece[event[here] - part.start] = values[here] / per
        full.add(piece)
    taken: Floats = full.taken()
    return taken


# Away with them ----------------------------------------------------------------------------------


def clear_after(draft: Release) -> None:
    """Remove what an attempt left behind unless it is what the row publishes.

    Of a row that is not done only the attempt's own: it may have been requeued, and another attempt be writing.
    """
    row = Release.objects.filter(pk=draft.pk).first()
    if row is None:
        remove_all(draft.pk, draft.dataset_id)
        return
    published = row.state == State.DONE
    token = (row if published else draft).file_token
    files = [path for path in _all(row.pk, row.dataset_id) if (token in path.name) != published]
    if not row.open:
        delete_of_ended(row)
        files += [] if published else _parts(row.pk, row.dataset_id)
    stored_path.remove_all(files=files)
    if not published:
        _remove_empty(row.pk, row.dataset_id)


def clear_part(part: ReleasePart) -> None:
    """Remove the files of a part."""
    stored_path.remove_all(files=_parts(part.job_id, part.job.dataset_id, part.token.hex))


def part_path(row: Release, token: str, what: str) -> StoredPath:
    """A file of the part that was drawn under a token."""
    return row.dataset.folder / f"errors-{row.pk}-part-{token}-{what}"


def _parts(release_id: uuid.UUID, dataset_id: uuid.UUID, beginning: str = "") -> list[StoredPath]:
    return _folder("datasets", dataset_id).iterdir(f"errors-{release_id}-part-{beginning}")


def remove_all(release_id: uuid.UUID, dataset_id: uuid.UUID) -> None:
    """Remove every file of a release."""
    stored_path.remove_all(files=_all(release_id, dataset_id))
    _remove_empty(release_id, dataset_id)


def _remove_empty(release_id: uuid.UUID, dataset_id: uuid.UUID) -> None:
    for folder in (_folder("releases", release_id), _folder("datasets", dataset_id)):
        folder.remove_empty()  # the dataset's folder stays while anything is in it


def _folder(app: str, pk: uuid.UUID) -> StoredPath:
    return StoredPath(f"{app}/{pk}")


def _all(release_id: uuid.UUID, dataset_id: uuid.UUID) -> list[StoredPath]:
    private = _folder("datasets", dataset_id).iterdir(f"errors-{release_id}-")
    return [*_folder("releases", release_id).iterdir(), *private]
