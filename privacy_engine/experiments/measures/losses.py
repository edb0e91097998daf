"""Losses under temporal correlation: of each event, or of the landmarks and an event together."""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Literal

import numpy as np

from privacy_engine.accounting.temporal import landmark_losses
from privacy_engine.analysis.forecast import has_known_budgets
from privacy_engine.core.arrays import Floats
from privacy_engine.core.progress import reported
from privacy_engine.errors import ParameterError
from privacy_engine.experiments.measures.base import Measure, Work, measures, over_series, releasing
from privacy_engine.experiments.trials import Trials
from privacy_engine.mechanisms.landmark.base import PlanarLaplaceMechanism


class _Loss(Measure):
    r"""The privacy loss that an adversary who knows how positions follow one another can infer [1]_, [2]_.

    *Own* is the loss :math:`\alpha_{i=t}` of an event's own draw, *summed* that of all landmarks and one event
    together, by the bound that the correlation names, between states as far apart as its ``diameter_m``; without
    a correlation, budgets within one radius are the loss. Of every repetition the mean over all events, or the largest.

    References
    ----------
    .. [1] Katsomallos, Tzompanaki, Kotzinos. "Landmark Privacy: Configurable Differential Privacy Protection for
       Time Series". CODASPY 2022.
    .. [2] Cao, Yoshikawa, Xiao, Xiong. "Quantifying Differential Privacy in Continuous Data Release under Temporal
       Correlations". IEEE TKDE 31(7), 2019.
    """

    unit: ClassVar[str] = "ε"
    needs_release: ClassVar[bool] = True
    part: ClassVar[int]
    worst: ClassVar[bool] = False

    def values(self, trials: Trials) -> Floats:
        n, rows = len(trials.which), []
        of: Callable[[Floats], Any] = np.max if self.worst else np.mean
        for loss in _losses(trials):
            by_row = np.array([of(row) if row.size else np.nan for row in loss[self.part]])
            rows.append(np.broadcast_to(by_row, n))
        return over_series(rows, n)

    def work(self, cell: Any, lengths: Sequence[int], repetitions: int) -> Work:
        correlation, build, events = cell.correlation, 3e-4, sum(lengths)
        if correlation is not None:
            build += 6e-8 * correlation.states**3
            if correlation.bound == "bridge":
                build += correlation.states * min(events, 100) * (25e-6 + 0.3e-6 * correlation.states**2)
        work = {"losses": float(build + repetitions * (3e-5 + 7e-8 * events))}
        if not has_known_budgets(cell.release.mechanism):
            work |= releasing(cell, lengths, repetitions, steps=False)
        return work


@measures.register
class OwnLoss(_Loss):
    title: ClassVar[str] = "Each event's own loss, mean over events"
    short: ClassVar[str] = "Own loss"
    summary: ClassVar[str] = "What one event's release leaks, its neighbours' included, on average."
    part: ClassVar[int] = 0

    name: Literal["loss-own"] = "loss-own"


@measures.register
class WorstOwnLoss(_Loss):
    title: ClassVar[str] = "Each event's own loss, largest"
    short: ClassVar[str] = "Own loss, largest"
    summary: ClassVar[str] = "What one event's release leaks, its neighbours' included, at the worst event."
    part: ClassVar[int] = 0
    worst: ClassVar[bool] = True

    name: Literal["loss-own-worst"] = "loss-own-worst"


@measures.register
class SummedLoss(_Loss):
    title: ClassVar[str] = "Loss of landmarks and one event, mean over events"
    short: ClassVar[str] = "Summed loss"
    summary: ClassVar[str] = "What all landmarks and one more event leak together, on average."
    part: ClassVar[int] = 1

    name: Literal["loss-summed"] = "loss-summed"


@measures.register
class WorstSummedLoss(_Loss):
    title: ClassVar[str] = "Loss of landmarks and one event, largest"
    short: ClassVar[str] = "Summed loss, largest"
    summary: ClassVar[str] = "What all landmarks and one more event leak together, at the worst event."
    part: ClassVar[int] = 1
    worst: ClassVar[bool] = True

    name: Literal["loss-summed-worst"] = "loss-summed-worst"


def _losses(trials: Trials) -> list[tuple[Floats, Floats]]:
    """Own and summed losses of each series, both (repetitions, n), or (1, n) where all are the same."""
    return trials.once("losses", lambda: [_losses_of(trials, i) for i in reported(range(len(trials.series)))])


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
    for row, repetition in enumerate(reported(which)):
        spent = mechanism.budgets(masks[row]) if known else trials.draws(repetition)[i].budgets
        budgets[row], shared[row] = mechanism.independent(spent, masks[row])
    times = correlation.scale(mechanism.radius_m) if correlation else 1.0
    budgets, shared = budgets * times, shared * times
    bound = correlation.bound if correlation else "published"
    own, summed = landmark_losses(budgets, masks, trials.carried, trials.carried, bound=bound)
    return own + shared * masks, summed + shared
