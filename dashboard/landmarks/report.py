"""What a landmark set is like, and whose losses a report of it has; only the mask is read, never a position."""

from typing import Any

import numpy as np

from dashboard.datasets.people import mask_of_person, person_of
from dashboard.landmarks.models import LandmarkSet
from dashboard.landmarks.selectors import described
from privacy_engine.analysis.downsampling import runs
from privacy_engine.core.arrays import Mask
from privacy_engine.errors import ParameterError

MAX_EVENTS = 100_000
"""Events of one person that a report is worked out for within a request."""


def set_facts(landmark_set: LandmarkSet) -> dict[str, Any]:
    """Size, share and distances of a whole set: runs and distances end where a series does."""
    lengths = landmark_set.dataset.series_lengths
    parts = np.split(landmark_set.mask, np.cumsum(lengths)[:-1])
    return described(landmark_set.mask, lengths) | {"runs": sum(len(runs(part)) for part in parts)}


def mask_of_series(landmark_set: LandmarkSet, series: int) -> Mask:
    """Which events are landmarks of the person whose ``series`` it is, where they are few enough for a report.

    Events of all series of the person, in the order of time: they share one budget.

    Raises
    ------
    ParameterError
        There is no such series, or its person has more events than are worked out within a request.
    """
    person = person_of(landmark_set.dataset, series)
    if len(person) > MAX_EVENTS:
        rule = f"a series of a person with at most {MAX_EVENTS:,} events"
        raise ParameterError(
            f"series must be {rule}, this one has {len(person):,}", field="series", rule=rule, value=series
        )
    return mask_of_person(landmark_set.dataset, landmark_set.mask, person)
