"""Zones applied to the positions of an earlier release: no position of the upload is read."""

from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import AfterValidator

from privacy_engine.core.arrays import Ints, Mask
from privacy_engine.core.params import Param, broken
from privacy_engine.data import LandmarkSet, Trajectory
from privacy_engine.errors import DataError
from privacy_engine.landmarks.methods import Reads, landmark_methods
from privacy_engine.landmarks.zones import Zones

RELEASE = Param(
    label="Release",
    help="A finished release of this dataset, by its id: whether an event lies in a zone is judged by its released "
    "position, so releases over these landmarks are covered end to end.",
    control="release",
)


def _identifier(text: str) -> str:
    if not (0 < len(text) <= 100 and text.isprintable()):
        raise broken("must be the id of a release")
    return text


@landmark_methods.register
class ReleasedZones(Zones):
    """Events whose position in an earlier release lies in any of the zones, or on its border.

    Events that the release did not publish are landmarks too: nothing is known of where they were, so they get the
    care that landmarks get. The landmarks are a function of the release, which is published: conditional on it they
    are the same for all positions of the upload. What the release spent on them is added to the promise of every
    release over them (docs/decisions/0020-landmarks-that-are-covered.md).
    """

    title: ClassVar[str] = "Zones on a release"
    summary: ClassVar[str] = "Events that a release places inside the areas you draw. It reads that release only."
    reads: ClassVar[Reads] = "release"
    found: ClassVar[str] = ""
    own_mark: ClassVar[str] = ""
    condition: ClassVar[str] = "the zones were chosen without looking at the positions of the upload"

    name: Literal["released-zones"] = "released-zones"  # type: ignore[assignment]
    release: Annotated[str, AfterValidator(_identifier), RELEASE]

    def mark(self, series: Sequence[Trajectory]) -> list[LandmarkSet]:
        """Refuse: these landmarks are marked from a release, by :meth:`mark_released`."""
        raise DataError(
            "Zones on a release need the release, and only the dataset is given",
            field="method.release",
            rule="a release of this dataset",
            value=self.release,
        )

    def mark_released(self, published: Sequence[tuple[Trajectory, Ints]], lengths: Sequence[int]) -> list[LandmarkSet]:
        """One landmark set for each series, from what an earlier release published of it.

        Parameters
        ----------
        published : sequence of (Trajectory, (m,) int)
            The released positions of each series and the 0-based events they stand for.
        lengths : sequence of int
            How many events each series of the dataset has.

        Raises
        ------
        DataError
            The release is not over these series.
        """
        if len(published) != len(lengths) or any(
            len(event) and event[-1] >= n for (_, event), n in zip(published, lengths, strict=False)
        ):
            raise DataError(
                "The release is not over the series of this dataset",
                field="method.release",
                rule="a release of this dataset",
                value=self.release,
            )
        inside = self._mark([track for track, _ in published])
        return [
            LandmarkSet(_over_events(marks.mask, event, n))
            for marks, (_, event), n in zip(inside, published, lengths, strict=True)
        ]

    def describe(self) -> str:
        return f"{super().describe()} on release {self.release[:8]}"


def _over_events(inside: Mask, event: Ints, n: int) -> Mask:
    mask = np.ones(n, dtype=np.bool_)
    mask[event] = inside
    return mask
