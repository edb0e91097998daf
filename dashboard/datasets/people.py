"""The people of a stored dataset: which series are whose."""

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import numpy as np

from dashboard.core.errors import must_be
from dashboard.core.text import one_line
from dashboard.datasets.models import Dataset
from dashboard.storage import parquet
from dashboard.storage.data_files import series_index
from dashboard.storage.stored_path import Source
from privacy_engine.core.arrays import Ints, Mask
from privacy_engine.core.instants import instant
from privacy_engine.data.people import Person
from privacy_engine.data.people import people_of as grouped
from privacy_engine.datatypes.trajectory_table import people_columns, people_of_table


def people_of(dataset: Dataset) -> list[Person]:
    """The people of a dataset that is ready, in the order of their first series.

    The times of its events are read only where the series of a person interleave.
    """
    if (dataset.summary or {}).get("interleaved", True):
        return _people(dataset.points_path)
    index = series_index(dataset.points_path)
    return grouped(index.people, index.sizes.tolist())


@lru_cache(maxsize=64)
def _people(path: Source) -> list[Person]:
    # a file of points is never changed, and its name never used again
    return people_of_table(parquet.read_table(path, people_columns(parquet.read_schema(path))))


def series_rows(dataset: Dataset, numbers: Iterable[int]) -> list[dict[str, Any]]:
    """Some series of a dataset that is ready, each as the API represents it."""
    index = series_index(dataset.points_path)
    first = np.cumsum(index.sizes) - index.sizes

    def time_of(ends: Ints | None, i: int) -> str | None:
        return None if ends is None or not index.sizes[i] else instant(ends[i] / 1000)

    return [
        {
            "index": i,
            "name": one_line(index.names[i]),
            "person": one_line(index.people[i]),
            "points": int(index.sizes[i]),
            "first_event": int(first[i]),
            "start": time_of(index.start_ms, i),
            "end": time_of(index.end_ms, i),
        }
        for i in numbers
    ]


def person_of(dataset: Dataset, series: int) -> Person:
    """Whose a series is.

    Raises
    ------
    ParameterError
        There is no such series.
    """
    for person in people_of(dataset):
        if series in person.members:
            return person
    raise must_be("series", f"between 0 and {dataset.series_count - 1}", series)


def person_masks(dataset: Dataset, mask: Mask) -> list[Mask]:
    """A mask over all events of a dataset as a mask for each person, over their events in the order of time."""
    parts = _split(dataset, mask)
    return [person.joined_mask(parts) for person in people_of(dataset)]


def mask_of_person(dataset: Dataset, mask: Mask, person: Person) -> Mask:
    """The same for a ``person``."""
    return person.joined_mask(_split(dataset, mask))


def _split(dataset: Dataset, mask: Mask) -> list[Mask]:
    return np.split(mask, np.cumsum(dataset.series_lengths)[:-1])
