"""``ReleaseInputs``: all that a release reads, loaded once and passed down."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from privacy_engine.accounting.promise import Context
from privacy_engine.core.arrays import Mask
from privacy_engine.data import LandmarkSet
from privacy_engine.data.mapped_series import leave
from privacy_engine.data.numbered import Each
from privacy_engine.data.people import Person
from privacy_engine.mechanisms.base.mechanism import NO_CONTEXT

D = TypeVar("D")


@dataclass(frozen=True, eq=False)
class ReleaseInputs(Generic[D]):
    """The data of an upload and what is known beside them before anything is drawn.

    ``data`` are what the kind's :meth:`~privacy_engine.datatypes.DataType.from_table` returns: of trajectories columns
    with offsets, whose ``people`` are those of the series, and ``landmarks`` a set for each series. ``context`` is
    what the promise depends on. A subclass may read each of them when it is first used.
    """

    data: D
    people: Sequence[Person] = ()
    landmarks: Sequence[LandmarkSet] = ()
    context: Context = NO_CONTEXT

    @property
    def masks(self) -> Sequence[Mask]:
        """The landmarks of each person, over their events in the order of time, put together when they are needed."""
        masks = [marks.mask for marks in self.landmarks]

        def joined(person: Person) -> Mask:
            leave([masks[person.members[0]]])  # what those before have read of the file
            return person.joined_mask(masks)

        return Each(self.people, joined)
