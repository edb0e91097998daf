"""What an experiment can measure: registered functions from repetitions to one number each.

Each lies in :data:`measures` with its unit, what it needs and how long it takes. Losses and distances read which
events are landmarks and never a position; errors read the truth, so they are the owner's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from privacy_engine import metrics
from privacy_engine.accounting.temporal import landmark_losses
from privacy_engine.data import Floats, Mask
from privacy_engine.errors import ParameterError
from privacy_engine.experiments.trials import Trials
from privacy_engine.landmarks.synthetic import average_temporal_distance
from privacy_engine.mechanisms.landmark.base import PlanarLaplaceMechanism
from privacy_engine.outlook import has_known_budgets
from privacy_engine.simulation import simulate_errors

RELEASE_S, RELEASED_EVENT_S, WALKED_EVENT_S = 2e-4, 4e-7, 2.2e-5
"""Seconds of one release, of each of its events, and of an event more where budgets depend on the run."""


@dataclass(frozen=True)
class Measure:
    """One number for each repetition, in ``unit``; over several series the mean of theirs, not a number for none.

    ``values(trials)`` gives (repetitions,); ``seconds(cell, events, repetitions)`` about how long that takes.
    """

    name: str
    title: str
    unit: str
    values: Callable[[Trials], Floats]
    seconds: Callable[[Any, int, int], float]
    needs_release: bool = False


measures: dict[str, Measure] = {}


def register(measure: Measure) -> Measure:
    """Add ``measure`` under its name, which never changes meaning."""
    if measure.name in measures:
        raise TypeError(f"{measure.name} is registered twice")
    return measures.setdefault(measure.name, measure)


def _over_series(found: list[Floats], repetitions: int) -> Floats:
    """The mean of each repetition (series, repetitions) over the series that have one."""
    sums, counts = np.zeros(repetitions), np.zeros(repetitions)
    for one in found:  # one after another: a sum of numpy's takes another order where there is one repetition
        known = ~np.isnan(one)
        sums[known] += one[known]
        counts += known
    return np.asarray(np.where(counts, sums / np.maximum(counts, 1), np.nan))


def _each(trials: Trials, value: Callable[[int], list[float]]) -> Floats:
    """``value(repetition)``, a number for each series, of every repetition."""
    by_repetition = [value(repetition) for repetition in trials.which]
    return _over_series([np.array(one) for one in zip(*by_repetition, strict=True)], len(trials.which))


def _errors(trials: Trials) -> Floats:
    """Mean absolute error of each repetition, metres; without post-processing by simulation, which is faster."""
    spec = trials.cell.release
    if spec.postprocess:
        return _each(
            trials,
            lambda repetition: [
                metrics.mean_absolute_error_m(*pair)
                for pair in zip(trials.series, trials.releases(repetition), strict=True)
            ],
        )
    runs = [trials.which] if trials.alike else [range(one, one + 1) for one in trials.which]
    found = []
    for i, (series, seed) in enumerate(zip(trials.series, trials.seeds, strict=True)):
        parts = [
            simulate_errors(
                spec.mechanism,
                series,
                trials.marked(run.start)[i],
                seed=seed,
                repetitions=len(run),
                first_repetition=run.start,
            )
            for run in runs
        ]
        found.append(np.concatenate(parts))
    return _over_series(found, len(trials.which))


def _error_seconds(cell: Any, events: int, repetitions: int) -> float:
    if cell.release.postprocess:
        steps: float = sum(step.seconds(events) for step in cell.release.postprocess)
        return repetitions * (_release_seconds(cell, events) + steps)
    if cell.redraw or cell.dummies is not None:
        return repetitions * (1.6e-4 + 1.5e-7 * events)
    return 6e-4 + events * (1e-7 + 8e-9 * repetitions)


def _release_seconds(cell: Any, events: int) -> float:
    walked = 0.0 if has_known_budgets(cell.release.mechanism) else WALKED_EVENT_S
    return RELEASE_S + events * (RELEASED_EVENT_S + walked)


register(Measure("error", "Mean absolute error", "m", _errors, _error_seconds, needs_release=True))


def _distances(trials: Trials) -> Floats:
    return _each(trials, lambda repetition: [_distance(one.mask) for one in trials.marked(repetition)])


def _distance(mask: Mask) -> float:
    return average_temporal_distance(mask) if len(mask) else np.nan


register(
    Measure(
        "temporal-distance",
        "Average temporal distance",
        "events",
        _distances,
        lambda _, events, repetitions: repetitions * (2e-5 + 1e-9 * events),
    )
)


def _shares(trials: Trials) -> Floats:
    return _each(trials, lambda repetition: [one.share if len(one) else np.nan for one in trials.marked(repetition)])


register(
    Measure(
        "marked-share",
        "Marked events, dummies included",
        "",
        _shares,
        lambda _, events, repetitions: repetitions * (1e-5 + 1e-9 * events),
    )
)


def _losses(trials: Trials) -> list[tuple[Floats, Floats]]:
    """Own and summed losses of each series, both (repetitions, n), or (1, n) where all are the same."""
    if "losses" not in trials.found:
        trials.found["losses"] = [_losses_of(trials, i) for i in range(len(trials.series))]
    kept: list[tuple[Floats, Floats]] = trials.found["losses"]
    return kept


def _losses_of(trials: Trials, i: int) -> tuple[Floats, Floats]:
    mechanism, correlation = trials.cell.release.mechanism, trials.cell.correlation
    if not isinstance(mechanism, PlanarLaplaceMechanism):
        rule = "must be one whose draws have a budget of their own to have a temporal loss"
        message = f"release.mechanism {rule}, got {mechanism.name}"
        raise ParameterError(message, field="release.mechanism", rule=rule, value=mechanism.name)
    known = has_known_budgets(mechanism)
    which = trials.which[:1] if trials.alike and known else trials.which
    masks = np.array([trials.marked(repetition)[i].mask for repetition in which])
    budgets, shared = np.empty(masks.shape), np.zeros((len(which), 1))
    for row, repetition in enumerate(which):
        spent = mechanism.budgets(masks[row]) if known else trials.releases(repetition)[i].budgets
        budgets[row], shared[row] = mechanism.independent(spent, masks[row])
    bound = correlation.bound if correlation else "published"
    own, summed = landmark_losses(budgets, masks, trials.carried, trials.carried, bound=bound)
    return own + shared * masks, summed + shared


def _loss(part: int, of: Callable[[Floats], Any]) -> Callable[[Trials], Floats]:
    def values(trials: Trials) -> Floats:
        n, found = len(trials.which), []
        for one in _losses(trials):
            by_row = np.array([of(row) if row.size else np.nan for row in one[part]])
            found.append(np.broadcast_to(by_row, n))
        return _over_series(found, n)

    return values


def _loss_seconds(cell: Any, events: int, repetitions: int) -> float:
    correlation, build, more = cell.correlation, 3e-4, 0.0
    if not has_known_budgets(cell.release.mechanism):
        more = _release_seconds(cell, events)
    if correlation is not None:
        build += 6e-8 * correlation.states**3
        if correlation.bound == "bridge":
            build += correlation.states * min(events, 100) * (25e-6 + 0.3e-6 * correlation.states**2)
    return float(build + repetitions * (3e-5 + 7e-8 * events + more))


for _part, _which, _titled in ((0, "own", "Each event's own loss"), (1, "summed", "Loss of landmarks and one event")):
    for _suffix, _words, _of in (("", "mean over events", np.mean), ("-worst", "largest", np.max)):
        register(
            Measure(
                f"loss-{_which}{_suffix}",
                f"{_titled}, {_words}",
                "ε",
                _loss(_part, _of),
                _loss_seconds,
                needs_release=True,
            )
        )
