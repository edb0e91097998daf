"""Popular venues: how many check-ins each venue of a public list has, with noise."""

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from privacy_engine import noise
from privacy_engine.core.arrays import Ints
from privacy_engine.data import CheckIns
from privacy_engine.data.venues import Venues
from privacy_engine.errors import DataError
from privacy_engine.mechanisms.base.checkins import CheckInMechanism
from privacy_engine.mechanisms.base.mechanism import mechanisms
from privacy_engine.mechanisms.base.query_log import NoisyQuery, QueryLog
from privacy_engine.recommender import VenuesModel
from privacy_engine.recommender.sequences import truncated


@dataclass(frozen=True, eq=False)
class _Visits:
    """The listed venues in the box and how many check-ins at each count, (venues,)."""

    venues: Venues
    counts: Ints


@mechanisms.register
class CheckInVenues(CheckInMechanism):
    r"""Discrete Laplace noise of rate :math:`\epsilon / \Delta` on the number of check-ins at every listed venue.

    Every venue of the list in the box is published, also those without a check-in, at the position that the list gives:
    which venues there are discloses nothing about the check-ins so far as the list does not depend on them. Where users
    are protected the first c check-ins of each at such venues count, so that with one user more or less the counts
    differ by at most Δ = c in sum, and by 2c if one is replaced; where records are, by 1 or 2. Discrete Laplace noise
    then gives ε [1]_. Ranking venues, and cells by their sums, reads the published counts alone.

    References
    ----------
    .. [1] Ghosh, Roughgarden, Sundararajan. "Universally Utility-Maximizing Privacy Mechanisms". STOC 2009.
    """

    title: ClassVar[str] = "Popular venues"
    summary: ClassVar[str] = "Noisy counts of check-ins at the venues of a public list: the most visited of each cell."
    domain: ClassVar[str] = "a box, a grid and a list of venues"
    counting: ClassVar[str] = "at listed venues in the box count"
    assumptions: ClassVar[tuple[str, ...]] = (
        *CheckInMechanism.assumptions,
        "The list of venues is public, with their names and positions: nothing in it depends on the check-ins.",
    )
    caveats: ClassVar[tuple[str, ...]] = (
        "Check-ins at other places, outside the box, and beyond those that count, are left out.",
    )
    clear_fields: ClassVar[tuple[str, ...]] = ("grid", "venues")
    needs_venues: ClassVar[bool] = True
    adaptive: ClassVar[bool] = False

    name: Literal["checkin-venues"] = "checkin-venues"

    def prepared(self, checkins: CheckIns) -> _Visits:
        """The listed venues in the box and their counts; DataError where no list came with the check-ins."""
        listed = checkins.venues
        if listed is None or checkins.place is None:
            rule = "joined with a list of venues: upload both in one ZIP archive"
            raise DataError(f"check-ins must be {rule}", field="venues", rule=rule)
        inside = np.flatnonzero(self.grid.cells(listed.lon, listed.lat) >= 0)
        row = np.full(len(listed) + 1, -1, dtype=np.int64)  # the last is of places that are not listed
        row[inside] = np.arange(len(inside))
        venue = row[listed.rows(checkins.places)][checkins.place]
        counted = np.flatnonzero(venue >= 0)
        if self.privacy_unit == "user":
            counted = counted[truncated(checkins.user[counted], self.contributions)]
        return _Visits(listed.at(inside), np.bincount(venue[counted], minlength=len(inside)).astype(np.int64))

    def noise_sd(self) -> float:
        """Standard deviation of the noise on each count."""
        return noise.discrete_laplace_sd(self.noise_rate())

    def fit(self, log: QueryLog) -> VenuesModel:
        query = NoisyQuery("check-ins at each venue", lambda data: data.counts, self.sensitivity, self.noise_rate())
        counts = log.answer(query)
        return VenuesModel(self.grid, log.data.venues, counts, private=log.private)
