"""The people of a stored dataset: which series are whose."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np

from dashboard.datasets.models import Dataset
from dashboard.storage import parquet
from dashboard.storage.stored_path import Source
from privacy_engine.core.arrays import Mask
from privacy_engine.data.people import Person
from privacy_engine.data.people import people_of as grouped
from privacy_engine.datatypes.trajectory_table import people_columns, people_of_table
from privacy_engine.errors import ParameterError


def people_of(dataset: Dataset) -> list[Person]:
    """The people of a dataset that is ready, in the order of their first series.

    Its file is read only where the series of a person interleave in time.
    """
    summary = dataset.summary or {}
    if summary.get("interleaved", True):
        return _people(dataset.points_path)
    series = summary["series"]
    whose = [str(one["person_index"]) for one in series]
    found = grouped(whose, [one["points"] for one in series])
    return [replace(person, name=series[person.members[0]]["person"]) for person in found]


@lru_cache(maxsize=64)
def _people(path: Source) -> list[Person]:
    # a file of points is never changed, and its name never used again
    return people_of_table(parquet.read_table(path, people_columns(parquet.read_schema(path))))


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
    rule = f"between 0 and {len(dataset.series_lengths) - 1}"
    raise ParameterError(f"series must be {rule}, got {series}", field="series", rule=rule, value=series)


def person_masks(dataset: Dataset, mask: Mask) -> list[Mask]:
    """A mask over all events of a dataset as one for each person, over their events in the order of time."""
    parts = _split(dataset, mask)
    return [person.joined_mask(parts) for person in people_of(dataset)]


def mask_of_person(dataset: Dataset, mask: Mask, person: Person) -> Mask:
    """The same for one ``person``."""
    return person.joined_mask(_split(dataset, mask))


def _split(dataset: Dataset, mask: Mask) -> list[Mask]:
    return np.split(mask, np.cumsum(dataset.series_lengths)[:-1])
