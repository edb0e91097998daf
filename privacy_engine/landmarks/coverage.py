"""What the choice of landmarks adds to a promise; theorems: docs/decisions/0020-landmarks-that-are-covered.md."""

import math
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal, localcontext

from privacy_engine.accounting.promise import SAME_LANDMARKS, LandmarkChoice
from privacy_engine.core.arrays import Floats, Mask
from privacy_engine.landmarks.methods import LandmarkMethod

UNMARKED = "that the events left unmarked are no landmarks, which is certain"
SEEDED = "which of the marked events are dummies, drawn from a seed"


@dataclass(frozen=True)
class MarkedBeside:
    """How other events were marked beside the landmarks, so that a marked event need not be a landmark.

    Parameters
    ----------
    private : bool
        False where a seed drew them: whoever tries seeds takes them away again.
    level : float or None
        The sum of the levels of all draws from these landmarks, where each was of one-sided coins; None otherwise.
    draws : int
        How many there were, this draw included.
    """

    private: bool
    level: float | None
    draws: int = 1


def landmark_choice(
    method: LandmarkMethod | None,
    *,
    beside: MarkedBeside | None = None,
    stability: int = 1,
    earlier_per_m: float = 0.0,
) -> LandmarkChoice:
    """What landmarks marked by ``method`` add to a promise, with the dummies ``beside`` them.

    A one-sided selection counts where a record decides no mark but its own: neither by the method nor, among
    several events that it decides (``stability``), by cleaning. ``earlier_per_m`` is what the earlier release that a
    method reads spent: :func:`earlier_loss_per_m`.
    """
    if method is None:
        return SAME_LANDMARKS
    condition = (method.condition,) if method.condition else ()
    seeded = (SEEDED,) if beside and not beside.private else ()
    if method.reads == "release":
        return LandmarkChoice(from_release=True, earlier_per_m=earlier_per_m, provided=condition, not_covered=seeded)
    if method.reads != "positions":
        return LandmarkChoice(from_times=True, provided=condition, not_covered=seeded)
    if beside and beside.private and beside.level is not None and method.own_mark and stability == 1:
        unseen = f"this draw of dummies was not preferred to {_others(beside.draws)} by looking at the landmarks"
        given = (method.own_mark, unseen) if beside.draws > 1 else (method.own_mark,)
        return LandmarkChoice(one_sided=beside.level, provided=given, not_covered=(UNMARKED,))
    return LandmarkChoice(not_covered=(*method.not_covered, *seeded))


def _others(draws: int) -> str:
    return "the other draw" if draws == 2 else f"the {draws - 1} other draws"


def earlier_loss_per_m(budgets: Floats, together: float, radius_m: float, is_landmark: Mask) -> float:
    r"""What a release spent on the landmarks of another release and on another event, per metre, rounded up
    to 15 digits.

    The most of :math:`\sum_{s \in L \cup \{t\}} b_s / r` over all events t of a person.

    Parameters
    ----------
    budgets : (n,) array
        What each event's own draw spent in the earlier release, levels within ``radius_m``.
    together : float
        The level of a draw that several of its events share: it counts once whichever of them are in the sum.
    is_landmark : (n,) array of bool
        The landmarks of the new release.

    >>> import numpy as np
    >>> earlier_loss_per_m(np.array([1.0, 2.0, 3.0]), 0.0, 200.0, np.array([True, False, False]))
    0.02
    """
    other = float(budgets[~is_landmark].max(initial=0.0))
    total = Decimal(repr(math.fsum([*budgets[is_landmark].tolist(), other, together])))
    with localcontext(prec=15, rounding=ROUND_CEILING):
        return float(total / Decimal(repr(float(radius_m))))
