"""What the mechanisms of check-ins share: a model fitted once, under the protection of a user or of a record."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import field_validator
from pydantic_core.core_schema import ValidationInfo

from privacy_engine import noise
from privacy_engine.accounting.privacy_loss import PrivacyLoss
from privacy_engine.accounting.promise import Context, Neighbours, shortest
from privacy_engine.accounting.window_ledger import laplace_rate
from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.core.params import broken
from privacy_engine.core.progress import reported
from privacy_engine.data import CheckIns
from privacy_engine.data.grid import Grid
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
from privacy_engine.mechanisms.base.mechanism import NO_CONTEXT, Guarantee, Mechanism, number_text
from privacy_engine.mechanisms.base.query_log import QueryLog
from privacy_engine.recommender import Recommender, Sequences, grid_cells
from privacy_engine.recommender.sequences import truncated

COLLAPSED = "in the box count, successive ones in one cell taken as one"
"""``counting`` of the mechanisms that read :meth:`CheckInMechanism.sequences`."""

PUBLIC_GRID = "chosen without the check-ins"


class CheckInMechanism(Mechanism):
    """Base of every mechanism that fits a model to check-ins on a public grid.

    A subclass writes :meth:`prepared`, which bounds what a user contributes, and :meth:`fit`, which reads the check-ins
    only through the queries of its log. The grid is the analyst's, chosen without the data: nothing of the upload
    decides which cells there are. ``has_masses`` is True where its models have :meth:`Recommender.densities`;
    ``adaptive`` where earlier answers decide later queries.
    """

    kind: ClassVar[str] = CheckIns.kind
    level: ClassVar[str] = "user"
    sentence: ClassVar[str] = (
        "Whichever user of the upload (all check-ins under one user name, of which the first {contributions} {counting}"
        ") or, at record level, whichever one check-in is {change}, the probability of any published model "
        "changes by a factor of at most exp(ε), ε = {epsilon}, with {domain} {chosen}"
    )
    sentence_of_users: ClassVar[str] = (
        "Whichever user of the upload (all check-ins under one user name, of which the first {contributions} {counting}"
        ") is {change}, the probability of any published model changes by a factor of at most exp(ε), "
        "ε = {epsilon}, with {domain} {chosen}"
    )
    sentence_of_records: ClassVar[str] = (
        "Whichever one check-in of the upload is {change}, the probability of any published model changes by a factor "
        "of at most exp(ε), ε = {epsilon} (for n check-ins of one user together n times that), with {domain} {chosen}"
    )
    domain: ClassVar[str] = "a box and a grid"
    counting: ClassVar[str] = "in the box count"
    neighbours: ClassVar[Neighbours] = Neighbours(
        "Two uploads, one of which has the check-ins of one user beside those of the other.", "D ~ D′ ⇔ D′ = D ∪ {u}"
    )
    assumptions: ClassVar[tuple[str, ...]] = ("A person has one user name in the upload.",)
    caveats: ClassVar[tuple[str, ...]] = ("Check-ins outside the box, and beyond those that count, are left out.",)
    clear_fields: ClassVar[tuple[str, ...]] = ("grid",)
    grid_text: ClassVar[str] = "counts are whole numbers"
    has_masses: ClassVar[bool] = True
    has_box: ClassVar[bool] = True
    adaptive: ClassVar[bool] = True
    work: ClassVar[tuple[float, float, float]] = (5e-4, 6e-8, 5e-5)
    """Seconds on a core of a small machine: of a fit, of each check-in in it, of the scores after a history."""
    pair_s: ClassVar[float] = 0.0
    """Seconds of a fit for each pair of cells, where all pairs are published."""

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
        return Grid.square(self.west, self.south, self.east, self.north, self.side)

    @property
    def decay(self) -> int | None:
        """How many runs a box needs more at each level, of a tree whose splits are private; None without splits."""
        return None

    @property
    def sensitivity(self) -> int:
        """The most that the counts of all cells of neighbours differ by in sum."""
        return self.most_changed(self.contributions, 1)

    def most_changed(self, by_user: int, by_record: int) -> int:
        """The most that neighbours' numbers differ by in sum, where a further user or check-in changes them so far.

        One that is replaced is removed and another added: twice as much.
        """
        most = by_user if self.privacy_unit == "user" else by_record
        return 2 * most if self.relation == "replace-one" else most

    def sequences(self, checkins: CheckIns) -> Sequences:
        """The sequences of cells of each user; DataError where the check-ins have no positions.

        Where users are protected each is truncated to c cells after repeats are collapsed.
        """
        return Sequences.of(checkins, self.grid, self.contributions if self.privacy_unit == "user" else None)

    def counted(self, checkins: CheckIns) -> Ints:
        """How many check-ins of each cell count, (side²,): where users are protected the first c of each in the box.

        Raises
        ------
        DataError
            The check-ins have no positions.
        """
        cells = grid_cells(checkins, self.grid)
        inside = cells >= 0
        cells, user = cells[inside], checkins.user[inside]
        if self.privacy_unit == "user":
            cells = cells[truncated(user, self.contributions)]
        return np.bincount(cells, minlength=len(self.grid)).astype(np.int64)

    def prepared(self, checkins: CheckIns) -> Any:
        """What its queries are of, with the contributions of a user bounded; DataError without positions."""
        raise NotImplementedError

    def fit(self, log: QueryLog) -> Recommender:
        """Fit the model; every number of the check-ins is an answer of ``log``, whose ``private`` the model has."""
        raise NotImplementedError

    def noise_rate(self, share: float = 1.0, sensitivity: int | None = None) -> float:
        """The rate of noise on whole numbers that neighbours change by ``sensitivity``, for a ``share`` of ε."""
        return laplace_rate(share * self.epsilon, self.sensitivity if sensitivity is None else sensitivity)

    def noise_sd(self) -> float:
        """Standard deviation of the noise on each published count; the smallest where there are several."""
        raise NotImplementedError

    def logged(self, checkins: CheckIns, *, rng: noise.RandomSource | np.random.Generator) -> QueryLog:
        """The log of a fit: every query that was answered, in order; errors of :meth:`prepared`."""
        log = QueryLog(self.prepared(checkins), noise.as_source(rng))
        self.fit(log)
        return log

    def release(self, checkins: CheckIns, *, rng: noise.RandomSource | np.random.Generator) -> Recommender:
        """One fitted model of ``checkins``; errors of :meth:`prepared`."""
        return self.fit(QueryLog(self.prepared(checkins), noise.as_source(rng)))

    @property
    def batched(self) -> bool:
        """True: models that are fitted together prepare the check-ins once."""
        return True

    def releases(
        self, checkins: CheckIns, times: int, *, rng: noise.RandomSource | np.random.Generator
    ) -> list[Recommender]:
        """``times`` independently fitted models, at least 1; the check-ins are prepared once."""
        return list(self._fitted(checkins, times, noise.as_source(rng)))

    def _fitted(self, checkins: CheckIns, times: int, source: noise.RandomSource) -> Iterator[Recommender]:
        log = QueryLog(self.prepared(checkins), source)
        yield self.fit(log)
        if self.adaptive:
            yield from (self.fit(QueryLog(log.data, source)) for _ in range(times - 1))
        else:
            yield from (self.fit(repeat) for repeat in log.repeated(times - 1))

    def seconds(self, checkins: int) -> float:
        """About how long a fit takes, on a core of a small machine."""
        fit_s, checkin_s, _ = self.work
        return fit_s + checkin_s * checkins + self.pair_s * len(self.grid) ** 2

    def repeat(
        self, checkins: CheckIns, times: int, observe: Callable[[Recommender], Floats], *, rng: noise.RandomSource
    ) -> Floats:
        """What ``observe`` computes of each of :meth:`releases`, (times, n)."""
        return np.stack([observe(model) for model in reported(self._fitted(checkins, times, rng))])

    def loss(self, context: Context = NO_CONTEXT) -> PrivacyLoss:
        """ε of a user, or of a record."""
        return PrivacyLoss(self.privacy_unit, float(self.epsilon))

    def protected_level(self) -> str:
        return self.privacy_unit

    @classmethod
    def statement(cls) -> str:
        more = {"change": "added, removed or replaced", "domain": cls.domain, "counting": cls.counting}
        more["chosen"] = PUBLIC_GRID
        filled = cls.sentence.format(**cls.symbols(), **more)
        return f"{filled}. {cls.remark}".rstrip()

    def guarantee(self, context: Context = NO_CONTEXT) -> Guarantee:
        users = self.privacy_unit == "user"
        sentence = self.sentence_of_users if users else self.sentence_of_records
        change = "replaced by another" if self.relation == "replace-one" else "added or removed"
        more = {"change": change, "domain": self.domain, "counting": self.counting}
        more["chosen"] = "taken as given" if context.box_from_data else PUBLIC_GRID
        promised = self.promised(context, sentence.format(**self.numbers(), **more))
        return Guarantee(
            self.protected_level(),
            "one user" if users else "one check-in",
            self._neighbours(),
            None if self.unsound else float(self.epsilon),
            None,
            f"There is no guarantee: {self.unsound}." if self.unsound else promised,
            self.assumptions if users else (),
            self.caveats,
            context.uncovered,
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
