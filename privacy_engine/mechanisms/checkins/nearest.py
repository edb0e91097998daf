"""Nearest cell: a public baseline that reads no check-ins."""

from typing import ClassVar, Literal

from privacy_engine.data import CheckIns
from privacy_engine.mechanisms.base.checkins import CheckInMechanism
from privacy_engine.mechanisms.base.mechanism import mechanisms
from privacy_engine.mechanisms.base.query_log import QueryLog
from privacy_engine.recommender import NearestModel, grid_cells


@mechanisms.register
class CheckInNearest(CheckInMechanism):
    """The cells nearest to the last one, by the public grid alone: what every other mechanism is compared with [1]_.

    Nothing is read of the check-ins, so nothing of them is disclosed and there is nothing to release.

    References
    ----------
    .. [1] Ye, Yin, Lee, Lee. "Exploiting geographical influence for collaborative point-of-interest recommendation".
       SIGIR 2011. (That the next place is near.)
    """

    title: ClassVar[str] = "Nearest cell"
    summary: ClassVar[str] = "The cells nearest to the last one, without any check-ins: to compare with."
    publishable: ClassVar[bool] = False
    has_masses: ClassVar[bool] = False
    reason: ClassVar[str] = "it reads no check-ins, so there is nothing to release"

    work: ClassVar[tuple[float, float, float]] = (1e-4, 1.5e-8, 5e-5)

    name: Literal["checkin-nearest"] = "checkin-nearest"

    @property
    def unsound(self) -> str:
        return self.reason

    def prepared(self, checkins: CheckIns) -> None:
        """Nothing; DataError where the check-ins have no positions, as for every other mechanism."""
        grid_cells(checkins, self.grid)

    def noise_sd(self) -> float:
        """Zero: there is no noise."""
        return 0.0

    def fit(self, log: QueryLog) -> NearestModel:
        return NearestModel(self.grid)
