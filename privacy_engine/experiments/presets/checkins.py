"""What a published ranking of places is worth, by the level."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from privacy_engine.data import CheckIns
from privacy_engine.experiments.generated import CITY, CityCheckIns, PerUser, Users
from privacy_engine.experiments.inputs import Given
from privacy_engine.experiments.presets.base import ReleasePreset, presets

EDGE_DEG = 1e-4
"""The least width and height of a box around check-ins."""


@presets.register
class CheckInsByEpsilon(ReleasePreset):
    """Hit rate, overlap and range-count error of every check-in mechanism for levels from 0.01 to 10 [1]_, [2]_.

    On a 16 by 16 grid, 10 check-ins of each user count where users are protected; with each user and with each
    check-in protected. On a dataset the grid spans its check-ins, which is allowed in an experiment alone: a release
    must have a box that was chosen without them.

    References
    ----------
    .. [1] Zhang, Ghinita, Chow. "Differentially private location recommendations in geosocial networks". MDM 2014.
       (The hit rate; the generated check-ins are Cairn's.)
    .. [2] Cormode, Procopiuc, Srivastava, Shen, Yu. "Differentially private spatial decompositions". ICDE 2012.
    """

    kind: ClassVar[str] = CheckIns.kind
    title: ClassVar[str] = "Popularity ranking by level"
    summary: ClassVar[str] = "Hit rate and count errors of published rankings of places over the level ε."
    metrics: ClassVar[tuple[Any, ...]] = ("hit-rate", "top-overlap", "range-count-error")

    name: Literal["checkins-epsilon"] = "checkins-epsilon"
    users: Users = 500
    per_user: PerUser = 20

    def parameters(self, given: Given | None) -> dict[str, Any]:
        west, south, east, north = CITY if given is None or given.box is None else given.box
        east, north = max(east, west + EDGE_DEG), max(north, south + EDGE_DEG)
        box = {"west": west, "south": south, "east": east, "north": north}
        return {"epsilon": 1.0, "contributions": 10, "side": 16, **box}

    def grid(self, given: Given | None = None) -> dict[str, list[Any]]:
        return {
            "release.mechanism.epsilon": [0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0],
            "release.mechanism.privacy_unit": ["user", "record"],
        }

    def generated(self) -> list[dict[str, Any]]:
        return [CityCheckIns(users=self.users, per_user=self.per_user, seed=self.seed).model_dump()]
