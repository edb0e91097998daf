"""What to expect of models of check-ins that are not yet made: computed from the original, for the owner alone."""

from collections.abc import Sequence
from functools import lru_cache, partial
from typing import Any

from dashboard.core.computing import computed
from dashboard.datasets.models import Dataset, Kind, Unit
from dashboard.releases.common.least_levels import KindLevels, is_usable, kind_levels
from dashboard.releases.selectors import made
from dashboard.storage.data_files import cached_data
from dashboard.storage.stored_path import StoredPath
from privacy_engine.analysis.checkin_forecast import CheckinForecast, PublicHits, checkin_forecast, public_hits
from privacy_engine.analysis.repeated import SHOWN, Effort
from privacy_engine.analysis.results import Result
from privacy_engine.analysis.utility_verdict import USABLE_GAIN, UtilityVerdict, hit_verdict
from privacy_engine.data.grid import Grid
from privacy_engine.mechanisms.base.checkins import CheckInMechanism
from privacy_engine.mechanisms.checkins.markov import CheckInMarkov
from privacy_engine.releases.spec import SimulatedSpec


class MechanismHits(Result):
    """The hit rate to expect of one model, and the verdict on it; null where no user moves from cell to cell."""

    name: str
    title: str
    hits: int | None
    """Of 1,000 next places of users who were not fitted, how many are among ten recommended cells."""
    forecast: CheckinForecast
    verdict: UtilityVerdict | None
    made: str | None = None
    """The page of a release that is made, or being made, as described, of the same data; null for none."""


class ExpectedHits(Result):
    """Hits to expect of models, beside those of the nearest ten cells, which costs no ε, and of a model without noise.

    All of them are of 1,000 next places; ``usable_gain`` is by how many a model has to be above ``public``.
    """

    public: int | None
    without_noise: int | None
    usable_gain: int
    mechanisms: list[MechanismHits]


@computed
def expected_hits(dataset: Dataset, mechanisms: Sequence[CheckInMechanism]) -> ExpectedHits:
    """Return the hits to expect of a model by each mechanism; all of the same box and grid, those of the first."""
    free = _forecast(dataset.points_path, _without_noise(mechanisms[0]))
    public, without = _hits(free.baseline), _hits(free.hit_rate)
    most = (dataset.summary or {})["most_per_user"]
    rows = []
    pages = made(dataset, None, [SimulatedSpec(mechanism=given) for given in mechanisms])
    for mechanism, page in zip(mechanisms, pages, strict=True):
        forecast = _forecast(dataset.points_path, mechanism)
        hits = _hits(forecast.hit_rate)
        named: dict[str, Any] = {"name": mechanism.name, "title": mechanism.title, "made": page}
        rated = _verdict(mechanism, hits, public, most)
        rows.append(MechanismHits(**named, hits=hits, forecast=forecast, verdict=rated))
    return ExpectedHits(public=public, without_noise=without, usable_gain=USABLE_GAIN, mechanisms=rows)


def _verdict(mechanism: CheckInMechanism, hits: int | None, public: int | None, most: int) -> UtilityVerdict | None:
    """``most`` check-ins are of a single person."""
    if hits is None or public is None:
        return None
    exposed = most * mechanism.epsilon if mechanism.privacy_unit == Unit.RECORD.value else None
    return hit_verdict(hits, public, unsound=bool(mechanism.unsound), exposed_epsilon=exposed)


@computed
def least_hit_levels(dataset: Dataset, mechanisms: Sequence[CheckInMechanism], accepted: float | None) -> KindLevels:
    """Return the least ε of each mechanism at which ``accepted`` of 1,000 next places are found, or it is usable."""

    def reached(mechanism: CheckInMechanism, how: Effort) -> bool:
        hits = _hits(_forecast(dataset.points_path, mechanism, how).hit_rate)
        if accepted is None:
            public = _hits(_public(dataset.points_path, mechanism.grid).rate())
            return is_usable(_verdict(mechanism, hits, public, (dataset.summary or {})["most_per_user"]))
        return hits is not None and hits >= accepted

    return kind_levels(dataset, mechanisms, accepted, reached)


@lru_cache(maxsize=256)
def _forecast(path: StoredPath, mechanism: CheckInMechanism, how: Effort = SHOWN) -> CheckinForecast:
    public = partial(_public, path, mechanism.grid)
    return checkin_forecast(mechanism, cached_data(Kind.CHECKINS, path), how, public=public)


@lru_cache(maxsize=32)
def _public(path: StoredPath, grid: Grid) -> PublicHits:
    return public_hits(grid, cached_data(Kind.CHECKINS, path))


def _without_noise(mechanism: CheckInMechanism) -> CheckInMechanism:
    same = mechanism.model_dump(include={"contributions", "west", "south", "east", "north", "side"})
    return CheckInMarkov(epsilon=1.0, **same)  # which has no effect


def _hits(rate: float | None) -> int | None:
    return None if rate is None else round(1000 * rate)
