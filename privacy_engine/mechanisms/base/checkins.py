"""What the mechanisms of check-ins share: a model fitted once, under the protection of a user or of a record."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal, Protocol

import numpy as np
from pydantic import field_validator
from pydantic_core.core_schema import ValidationInfo

from privacy_engine import noise
from privacy_engine.data import CheckIns, Ints
from privacy_engine.errors import DataError
from privacy_engine.mechanism import NO_CONTEXT, Guarantee, Mechanism, number_text
from privacy_engine.mechanisms.base.checkin_parameters import (
    PRIVACY_UNIT,
    RELATION,
    CheckInEpsilon,
    Contributions,
    East,
    North,
    Side,
    South,
    West,
)
from privacy_engine.params import broken
from privacy_engine.popularity import Grid
from privacy_engine.privacy_loss import PrivacyLoss
from privacy_engine.promise import Context, Neighbours, shortest


class Recommender(Protocol):
    """A fitted model that recommends cells."""

    @property
    def private(self) -> bool:
        """True only if all noise came from the operating system's generator."""

    def recommend(self, history: Any, k: int) -> Ints:
        """The ``k`` cells recommended after a history of cells, the best first."""


class CheckInMechanism(Mechanism):
    """Base of every mechanism that fits a model to check-ins on a public grid.

    A subclass writes :meth:`fit` and counts with :meth:`counted`, which bounds what a user contributes. The grid is
    the analyst's, chosen without the data: nothing of the upload decides which cells there are.
    """

    kind: ClassVar[str] = CheckIns.kind
    level: ClassVar[str] = "user"
    sentence: ClassVar[str] = (
        "Whichever user of the upload (all check-ins under one user name, of which the first {contributions} in the "
        "box count) or, at record level, whichever one check-in is {change}, the probability of any published model "
        "changes by a factor of at most exp(ε), ε = {epsilon}, with a box and a grid chosen without the check-ins"
    )
    sentence_of_users: ClassVar[str] = (
        "Whichever user of the upload (all check-ins under one user name, of which the first {contributions} in the "
        "box count) is {change}, the probability of any published model changes by a factor of at most exp(ε), "
        "ε = {epsilon}, with a box and a grid chosen without the check-ins"
    )
    sentence_of_records: ClassVar[str] = (
        "Whichever one check-in of the upload is {change}, the probability of any published model changes by a factor "
        "of at most exp(ε), ε = {epsilon} (for n check-ins of one user together n times that), with a box and a grid "
        "chosen without the check-ins"
    )
    neighbours: ClassVar[Neighbours] = Neighbours(
        "Two uploads, one of which has the check-ins of one user beside those of the other.", "D ~ D′ ⇔ D′ = D ∪ {u}"
    )
    assumptions: ClassVar[tuple[str, ...]] = ("A person has one user name in the upload.",)
    caveats: ClassVar[tuple[str, ...]] = ("Check-ins outside the box, and beyond those that count, are left out.",)
    clear_fields: ClassVar[tuple[str, ...]] = ("grid",)
    grid_text: ClassVar[str] = "counts are whole numbers"

    name: str
    epsilon: CheckInEpsilon
    privacy_unit: Annotated[Literal["user", "record"], PRIVACY_UNIT] = "user"
    relation: Annotated[Literal["add-remove", "replace-one"], RELATION] = "add-remove"
    contributions: Contributions
    west: West
    south: South
    east: East
    north: North
    side: Side

    @field_validator("east", "north")
    @classmethod
    def _beyond(cls, value: float, info: ValidationInfo) -> float:
        other = {"east": "west", "north": "south"}[str(info.field_name)]
        if other in info.data and value <= info.data[other]:
            raise broken(f"must be greater than {other} ({info.data[other]:g})")
        return value

    @property
    def grid(self) -> Grid:
        """The public grid."""
        return Grid(self.west, self.south, self.east, self.north, self.side)

    @property
    def sensitivity(self) -> int:
        """The most that the counts of all cells of neighbours differ by in sum."""
        most = self.contributions if self.privacy_unit == "user" else 1
        return 2 * most if self.relation == "replace-one" else most

    def counted(self, checkins: CheckIns) -> Ints:
        """How many check-ins of each cell count, (side²,): where users are protected the first c of each in the box.

        Raises
        ------
        DataError
            The check-ins have no positions.
        """
        if checkins.lon is None or checkins.lat is None:
            raise DataError("check-ins must have positions for a grid", field="lon", rule="positions")
        cells = self.grid.cells(checkins.lon, checkins.lat)
        inside = cells >= 0
        cells, user = cells[inside], checkins.user[inside]
        if self.privacy_unit == "user":
            starts = np.flatnonzero(np.diff(user, prepend=-1))
            place = np.arange(len(user)) - np.repeat(starts, np.diff(starts, append=len(user)))
            cells = cells[place < self.contributions]
        return np.bincount(cells, minlength=len(self.grid)).astype(np.int64)

    def fit(self, checkins: CheckIns, rng: noise.RandomSource) -> Any:
        """Fit the model, randomness only through ``rng``: it must have ``private`` of it."""
        raise NotImplementedError

    def release(self, checkins: CheckIns, *, rng: noise.RandomSource | np.random.Generator) -> Any:
        """One fitted model of ``checkins``: a :class:`Recommender`; errors of :meth:`counted`."""
        return self.fit(checkins, noise.as_source(rng))

    @property
    def batched(self) -> bool:
        """True if models that are fitted together take less time than one after the other."""
        return False

    def releases(self, checkins: CheckIns, times: int, *, rng: noise.RandomSource | np.random.Generator) -> list[Any]:
        """``times`` independently fitted models, at least one."""
        return [self.release(checkins, rng=rng) for _ in range(times)]

    def repeat(self, checkins: CheckIns, times: int, *, rng: noise.RandomSource) -> Ints:
        """Counts of :meth:`releases`, (times, side²)."""
        return np.stack([one.counts for one in self.releases(checkins, times, rng=rng)])

    def loss(self, context: Context = NO_CONTEXT) -> PrivacyLoss:
        """ε of one user, or of one record."""
        return PrivacyLoss(self.privacy_unit, float(self.epsilon))

    def protected_level(self) -> str:
        return self.privacy_unit

    @classmethod
    def statement(cls) -> str:
        filled = cls.sentence.format(**cls.symbols(), change="added, removed or replaced")
        return f"{filled}. {cls.remark}".rstrip()

    def guarantee(self, context: Context = NO_CONTEXT) -> Guarantee:
        users = self.privacy_unit == "user"
        sentence = self.sentence_of_users if users else self.sentence_of_records
        change = "replaced by another" if self.relation == "replace-one" else "added or removed"
        return Guarantee(
            self.protected_level(),
            "one user" if users else "one check-in",
            self._neighbours(),
            float(self.epsilon),
            None,
            f"{context.qualified(sentence.format(**self.numbers(), change=change))} {self.remark}".rstrip(),
            self.assumptions if users else (),
            self.caveats,
            context.not_covered,
        )

    def _neighbours(self) -> Neighbours:
        what, symbol = ("the check-ins of one user", "D_u") if self.privacy_unit == "user" else ("one check-in", "{r}")
        if self.relation == "add-remove":
            text = f"Two uploads, one of which has {what} beside what the other has."
            return Neighbours(text, f"D ~ D′ ⇔ D′ = D ∪ {symbol} or D = D′ ∪ {symbol}")
        text = f"Two uploads that differ in {what}, replaced by others."
        return Neighbours(text, f"D ~ D′ ⇔ D ∖ {symbol} = D′ ∖ {symbol.replace('D', 'D′').replace('r', 'r′')}")

    def level_text(self) -> str:
        what = "user" if self.privacy_unit == "user" else "check-in"
        return f"epsilon {shortest(self.epsilon)} per {what}, sensitivity {number_text(self.sensitivity)}"

    def label_fields(self, context: Context) -> dict[str, Any]:
        return {"sensitivity": self.sensitivity}
