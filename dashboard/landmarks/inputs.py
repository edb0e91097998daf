"""What releases of stored trajectories read."""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from dashboard.datasets.models import Dataset
from dashboard.datasets.people import people_of
from dashboard.datasets.scale import scale_of, stored_scale
from dashboard.landmarks.models import LandmarkSet
from dashboard.landmarks.promise import mask_of, promise_context
from dashboard.storage.data_files import cached_data
from privacy_engine.accounting.promise import Context
from privacy_engine.data import LandmarkSet as Landmarks
from privacy_engine.data.people import Person, most_landmarks
from privacy_engine.data.trajectories import Trajectories
from privacy_engine.landmarks.methods import split
from privacy_engine.releases.inputs import ReleaseInputs


class TrajectoryInputs(ReleaseInputs[Trajectories]):
    """A dataset and a landmark set or none; each part is read when it is first used, and once.

    ``read`` reads the positions, from memory where that has them.
    """

    _dataset: Dataset
    _set: LandmarkSet | None
    _read: Callable[[str, Any], Any]

    def __init__(
        self, dataset: Dataset, landmark_set: LandmarkSet | None, read: Callable[[str, Any], Any] = cached_data
    ) -> None:
        self.__dict__.update(_dataset=dataset, _set=landmark_set, _read=read)

    @cached_property
    def data(self) -> Trajectories:
        """The series."""
        trajectories: Trajectories = self._read(self._dataset.kind, self._dataset.points_path)
        return trajectories

    def record_scale(self) -> None:
        """Store with a dataset of an earlier version the scale that verdicts need."""
        if stored_scale(self._dataset) is None:
            scale_of(self._dataset, self.data)

    @cached_property
    def people(self) -> Sequence[Person]:
        """Whose they are: by the positions where those were read, else by no more of the file than it takes."""
        read: Trajectories | None = self.__dict__.get("data")
        return people_of(self._dataset) if read is None else read.people

    @cached_property
    def landmarks(self) -> Sequence[Landmarks]:
        """One set for each series."""
        return split(mask_of(self._dataset, self._set), self._dataset.series_lengths)

    @cached_property
    def context(self) -> Context:
        """With the largest number of landmarks of any person, as the set has it or as they are counted."""
        known = self._set.count_per_person if self._set else 0
        return promise_context(
            self._dataset, self._set, landmarks=most_landmarks(self.masks) if known is None else known
        )
