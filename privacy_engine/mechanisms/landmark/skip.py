"""Skip: landmarks are never drawn; the last release is repeated in their place."""

from typing import Annotated, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from privacy_engine.core.arrays import Ints
from privacy_engine.core.params import Param
from privacy_engine.mechanisms.base.mechanism import mechanisms
from privacy_engine.mechanisms.landmark.base import PlanarLaplaceMechanism

LEADING = Param(
    label="Landmarks before the first release",
    help="No release exists yet to repeat: take the first later one, or leave them out.",
    options=(("back-fill", "Repeat the first later release"), ("gap", "Leave them out")),
)


@mechanisms.register
class Skip(PlanarLaplaceMechanism):
    r"""Landmarks are not drawn: the last *release* is repeated in their place; other events get the whole budget.

    :math:`\epsilon_t = 0` for landmarks and :math:`\epsilon` for the others, so :math:`L \cup \{t\}` spends ε [1]_.
    Repeating a release is post-processing. Landmarks before the first release are left out (``leading="gap"``) or
    repeat the first later one (``"back-fill"``, not for live use); the truth is never published. Where every event
    is a landmark nothing could be released, and the mechanism is user level. Assumes independent events.

    References
    ----------
    .. [1] Katsomallos, Tzompanaki, Kotzinos. "Landmark Privacy: Configurable Differential Privacy Protection for
       Time Series". CODASPY 2022.
    """

    title: ClassVar[str] = "Skip"
    summary: ClassVar[str] = "Landmarks repeat the last release; all other events get the whole budget."
    exposes: ClassVar[str] = "events next to a landmark"
    caveats: ClassVar[tuple[str, ...]] = (
        "Repeats show where the landmarks are.",
        "Where events are correlated, the neighbours of a skipped landmark, released with the whole budget, leak it.",
        *PlanarLaplaceMechanism.caveats,
    )

    name: Literal["landmark-skip"] = "landmark-skip"
    leading: Annotated[Literal["back-fill", "gap"], LEADING] = "back-fill"

    def shares(self, n: Ints, k: Ints) -> tuple[ArrayLike, ArrayLike]:
        return np.where(k == n, self.epsilon / np.maximum(n, 1), 0.0), self.epsilon

    @property
    def leading_gap(self) -> bool:
        return self.leading == "gap"
