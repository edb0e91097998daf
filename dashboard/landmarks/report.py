"""What a landmark set is like, and whose losses a report of it has; only the mask is read, never a position."""

from typing import Any, BinaryIO

import numpy as np

from dashboard.core.computing import computed, computed_where
from dashboard.core.rest.json_text import as_json
from dashboard.datasets.people import mask_of_person, person_of
from dashboard.landmarks.correlation import named, parse_correlation
from dashboard.landmarks.loss_serializers import correlation_of
from dashboard.landmarks.models import LandmarkSet
from dashboard.landmarks.selectors import described
from dashboard.storage import local_files
from privacy_engine.analysis.budget_plan import BudgetPlan, plan
from privacy_engine.analysis.downsampling import runs
from privacy_engine.analysis.loss_report import losses
from privacy_engine.core.arrays import Mask
from privacy_engine.errors import ParameterError

MAX_EVENTS = 100_000
"""Events of a person that a report is worked out for within a request."""


@computed_where(lambda landmark_set: landmark_set.dataset.is_large)
def set_facts(landmark_set: LandmarkSet) -> dict[str, Any]:
    """Size, share and distances of a whole set: runs and distances end where a series does."""
    lengths = landmark_set.dataset.series_lengths
    parts = np.split(landmark_set.mask, np.cumsum(lengths)[:-1])
    return described(landmark_set.mask, lengths) | {"runs": sum(len(runs(part)) for part in parts)}


@computed
def losses_of(landmark_set: LandmarkSet, params: dict[str, Any], form: str) -> bytes | BinaryIO:
    """The losses of mechanisms as JSON, or as CSV of every event; ``params`` as of LossQuery.

    Raises
    ------
    EngineError
        A parameter lies outside its domain, or there are too many events.
    """
    points, series = params.pop("points"), params.pop("series")
    correlation = correlation_of(params, landmark_set.dataset)
    result = losses(mask_of_series(landmark_set, series), correlation=correlation, **params)
    if form == "csv":
        return local_files.unnamed(lambda out: out.writelines(line.encode() for line in result.lines()))
    return as_json(result.shown(points, landmark_set=str(landmark_set.pk), series=series).model_dump())


@computed
def plan_of(landmark_set: LandmarkSet | None, params: dict[str, Any]) -> BudgetPlan:
    """The budgets for a target, of a series of a landmark set or of ``params["n"]`` events, as of PlanRequest."""
    dataset, n = (landmark_set.dataset, 0) if landmark_set else (None, params.get("n", 0))
    if dataset is not None:
        n = len(person_of(dataset, params["series"]))
    with named("correlation"):
        correlation = parse_correlation(dataset=dataset, **params["correlation"])
    kept = {name: params[name] for name in ("alpha", "radius_m", "method", "points")}
    return plan(n=n, correlation=correlation, **kept)


def mask_of_series(landmark_set: LandmarkSet, series: int) -> Mask:
    """Which events are landmarks of the person whose ``series`` it is, where they are few enough for a report.

    Events of all series of the person, in the order of time: they share a budget.

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
