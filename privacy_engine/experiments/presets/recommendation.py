"""How good recommendations of places are for users who were not fitted: by level, history, density; ranges by level."""

from typing import Annotated, Any, ClassVar, Literal

from privacy_engine.core.params import Param, Repetitions
from privacy_engine.data import CheckIns
from privacy_engine.experiments.generated import CITY, CityCheckIns, PerUser, Users
from privacy_engine.experiments.inputs import Given
from privacy_engine.experiments.presets.base import ReleasePreset, presets
from privacy_engine.mechanisms.base.mechanism import mechanisms

EDGE_DEG = 1e-4
"""The least width and height of a box around check-ins."""
LEVELS = [0.1, 0.5, 1.0, 2.0, 5.0]
UNITS = ["user", "record"]


def _edge(label: str, bound: float, example: float) -> Param:
    help_text = "An edge of the box of the grid; left out, that of the check-ins, which is for experiments only."
    return Param(label, unit="°", help=help_text, lowest=-bound, highest=bound, example=example)


SIDE = Param(label="Cells per side", symbol="G", help="G times G cells.", lowest=1, highest=32, example=16)


class Recommendation(ReleasePreset):
    """Base: check-in mechanisms, with each user and with each check-in protected, on a grid of 16 by 16 cells.

    All of them but those that need a list of venues, which ranks cells as popularity does.
    On a dataset the grid spans its check-ins unless edges are given, which is allowed in an experiment alone: a release
    must have a box that was chosen without them.
    """

    kind: ClassVar[str] = CheckIns.kind
    metrics: ClassVar[tuple[Any, ...]] = (
        "hit-rate",
        "hit-rate-1",
        "hit-rate-5",
        "hit-rate-by-user",
        "precision",
        "recall",
        "reciprocal-rank",
    )

    repetitions: Repetitions = 10
    users: Users = 500
    per_user: PerUser = 20
    side: Annotated[int, SIDE] = 16
    west: Annotated[float | None, _edge("West", 180.0, -74.03)] = None
    south: Annotated[float | None, _edge("South", 90.0, 40.69)] = None
    east: Annotated[float | None, _edge("East", 180.0, -73.91)] = None
    north: Annotated[float | None, _edge("North", 90.0, 40.83)] = None

    def parameters(self, given: Given | None) -> dict[str, Any]:
        west, south, east, north = CITY if given is None or given.box is None else given.box
        east, north = max(east, west + EDGE_DEG), max(north, south + EDGE_DEG)
        around = {"west": west, "south": south, "east": east, "north": north}
        own = {name: edge for name in around if (edge := getattr(self, name)) is not None}
        return {"epsilon": 1.0, "side": self.side, **around, **own}

    def variants(self, given: Given | None) -> list[dict[str, Any]]:
        return [{"name": cls.registered_name()} for cls in mechanisms.of(self.kind) if self.tries(cls)]

    def tries(self, cls: Any) -> bool:
        """True for a class of mechanisms that it is about."""
        return not cls.needs_venues

    def grid(self, given: Given | None = None) -> dict[str, list[Any]]:
        return {"release.mechanism.privacy_unit": UNITS, **self.swept()}

    def swept(self) -> dict[str, list[Any]]:
        """What is swept beside what is protected."""
        raise NotImplementedError

    def generated(self) -> list[dict[str, Any]]:
        return [CityCheckIns(users=self.users, per_user=self.per_user, seed=self.seed).model_dump()]


@presets.register
class RecommendationByEpsilon(Recommendation):
    """Hit rate, precision, recall and reciprocal rank of every mechanism for levels from 0.1 to 5 [1]_.

    Measured on a fifth of the users, others in each repetition, that no model is fitted to.

    References
    ----------
    .. [1] Zhang, Ghinita, Chow. "Differentially private location recommendations in geosocial networks". MDM 2014.
       (What is measured; the generated check-ins are Cairn's.)
    """

    title: ClassVar[str] = "Recommendation by level"
    summary: ClassVar[str] = "Hit rate, precision, recall and reciprocal rank of recommended places over the level ε."

    name: Literal["recommendation-epsilon"] = "recommendation-epsilon"

    def swept(self) -> dict[str, list[Any]]:
        return {"release.mechanism.epsilon": LEVELS}


presets.rename("checkins-epsilon", "recommendation-epsilon")  # until the next version


@presets.register
class RecommendationByHistory(Recommendation):
    """Hit rate, precision, recall and reciprocal rank for histories of 1 to 3 cells at ε = 1 [1]_.

    A mechanism with an order is fitted with the length of the history, the others read the last cell or none.

    References
    ----------
    .. [1] Zhang, Ghinita, Chow. "Differentially private location recommendations in geosocial networks". MDM 2014.
       (What is varied; the generated check-ins are Cairn's.)
    """

    title: ClassVar[str] = "Recommendation by history length"
    summary: ClassVar[str] = "Hit rate, precision, recall and reciprocal rank over how many last places are known."

    name: Literal["recommendation-history"] = "recommendation-history"
    repetitions: Repetitions = 5  # trees of runs of four cells take a second each

    def swept(self) -> dict[str, list[Any]]:
        return {"history": [1, 2, 3]}


@presets.register
class RecommendationByDensity(Recommendation):
    """Hit rate, precision, recall and reciprocal rank of models of 3 to 100 % of the users, at ε = 1 [1]_.

    The users they are measured on are the same for every share.

    References
    ----------
    .. [1] Zhang, Ghinita, Chow. "Differentially private location recommendations in geosocial networks". MDM 2014.
       (What is varied; the generated check-ins are Cairn's.)
    """

    title: ClassVar[str] = "Recommendation by density"
    summary: ClassVar[str] = "Hit rate, precision, recall and reciprocal rank over the share of users that are fitted."

    name: Literal["recommendation-density"] = "recommendation-density"

    def swept(self) -> dict[str, list[Any]]:
        return {"density": [0.03, 0.1, 0.3, 1.0]}


@presets.register
class RecommendationByRange(Recommendation):
    """Error of masses in random rectangles and overlap of the first ten cells, for levels from 0.1 to 5 [1]_.

    Of every mechanism that publishes a mass of each cell, fitted to all users and compared with their check-ins.

    References
    ----------
    .. [1] Cormode, Procopiuc, Srivastava, Shen, Yu. "Differentially private spatial decompositions". ICDE 2012.
       (What is measured; the generated check-ins are Cairn's.)
    """

    title: ClassVar[str] = "Range error by level"
    summary: ClassVar[str] = "Errors of published masses in random rectangles of cells over the level ε."
    metrics: ClassVar[tuple[Any, ...]] = ("range-share-error", "top-overlap")

    name: Literal["recommendation-range"] = "recommendation-range"

    def tries(self, cls: Any) -> bool:
        return super().tries(cls) and cls.has_masses

    def swept(self) -> dict[str, list[Any]]:
        return {"release.mechanism.epsilon": LEVELS}

    def base(self) -> dict[str, Any]:
        return {"test_share": 0.0}
