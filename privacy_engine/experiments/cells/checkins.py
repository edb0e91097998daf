"""``CheckInCell``: a model of check-ins, fitted to some users and measured on others."""

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
from pydantic import model_validator

from privacy_engine import noise
from privacy_engine.core.params import Param
from privacy_engine.data import CheckIns
from privacy_engine.errors import ParameterErrors
from privacy_engine.evaluation import Evaluation, Split, split_by_user
from privacy_engine.experiments.cells.base import lacks
from privacy_engine.experiments.cells.releases import ReleaseCell
from privacy_engine.experiments.inputs import Given

SPLIT = 3
"""Part of the seed of the users that are held out."""
SPLIT_S, POSITION_S, MEASURED_S = 6e-8, 2e-6, 3e-8
"""Seconds of each check-in where users are held out, of each position, and of each check-in in a metric of masses."""
RANKED_S, CELL_S = 4e-5, 2.5e-8
"""Seconds of each different history that is ranked, and of each cell in its ranking."""

TEST_SHARE = Param(
    label="Held-out users",
    help="The share of users that no model is fitted to, new ones in each repetition: recommendations are measured on "
    "them. 0 fits all users.",
    lowest=0.0,
    highest=0.9,
    example=0.2,
)
DENSITY = Param(
    label="Data density",
    help="The share of the other users that models are fitted to.",
    lowest=0.001,
    highest=1.0,
    example=1.0,
)
HISTORY = Param(
    label="History length",
    symbol="m",
    help="How many last cells a model is given. A mechanism with an order is fitted with this one.",
    lowest=1,
    highest=16,
    example=1,
)


class CheckInCell(ReleaseCell):
    """One combination of an experiment on check-ins; the size is their number.

    Each repetition holds out other users, the same ones in all cells of a seed that hold out the same share. Without a
    ``history`` models are given as many cells as the order of their mechanism, or one.
    """

    data_kind: ClassVar[str] = CheckIns.kind
    item: ClassVar[str] = "check-in"
    generated: ClassVar[str] = "generated check-ins"
    results: ClassVar[int] = 2
    columns: ClassVar[tuple[str, ...]] = ("user", "time_s", "place", "lon", "lat")

    kind: Literal["checkins"] = "checkins"
    test_share: Annotated[float, TEST_SHARE] = 0.2
    density: Annotated[float, DENSITY] = 1.0
    history: Annotated[int | None, HISTORY] = None

    @classmethod
    def given_of(cls, data: CheckIns | None) -> Given | None:
        if data is None or data.lon is None or data.lat is None or not len(data):
            return super().given_of(data)
        box = (float(data.lon.min()), float(data.lat.min()), float(data.lon.max()), float(data.lat.max()))
        return Given(box=box)

    @model_validator(mode="after")
    def _has_others(self) -> Self:
        for i, metric in enumerate(self.metrics):
            if metric.held_out and not self.test_share:
                rule = f"must be greater than 0 for {metric.name} (metrics.{i}), which reads users that were held out"
                raise ParameterErrors([lacks("test_share", rule, self.test_share)])
        return self

    @model_validator(mode="after")
    def _order_of_the_history(self) -> Self:
        mechanism, order = self.release.mechanism, self.release.mechanism.parameter("order")
        if self.history is None or order is None or order == self.history:
            return self
        if "order" in mechanism.model_fields_set:
            rule = f"must be {self.history}, the history length, or left out"
            raise ParameterErrors([lacks("release.mechanism.order", rule, order)])
        description = self.release.model_dump()
        description["mechanism"] |= {"order": self.history}
        return self.parse(self.model_dump() | {"release": description})

    @property
    def short_columns(self) -> dict[str, Any]:
        """``guarantee`` is False of a baseline that spends no ε: that of its row is what it is compared at."""
        mechanism = self.release.mechanism
        grid = f"{mechanism.grid.columns}x{mechanism.grid.rows}"
        names = "model", "privacy_unit", "epsilon", "grid", "guarantee"
        values = mechanism.name, mechanism.privacy_unit, float(mechanism.epsilon), grid, not mechanism.unsound
        return dict(zip(names, values, strict=True))

    @property
    def splits(self) -> bool:
        """True if a repetition is fitted to some of the users."""
        return self.test_share > 0 or self.density < 1

    def parts(self, truth: CheckIns, batch: int) -> Split | tuple[CheckIns, None]:
        if not self.splits:
            return truth, None
        rng = np.random.default_rng(noise.spawned(self.root, noise.Stream.EXPERIMENTS, SPLIT, batch))
        return split_by_user(truth, self.test_share, rng, density=self.density)

    def trial(self, parts: Split | tuple[CheckIns, None], release: Any) -> Evaluation:
        fitted, others = parts
        return Evaluation(release, fitted, others, self._length())

    def batch(self, sizes: Sequence[int]) -> int:
        return 1 if self.splits else super().batch(sizes)

    def seconds(self, sizes: Sequence[int], repetitions: int) -> float:
        """About how long so many repetitions take on a single core of a small machine, over so many check-ins.

        Sums of constants measured on check-ins of 500 to 7,000 users, right within a factor of eight.
        """
        checkins, mechanism, cells = sum(self._sizes(sizes)), self.release.mechanism, self._counts(sizes)
        others = self.test_share * checkins
        fitted = self.density * (checkins - others)
        held_out = any(metric.held_out for metric in self.metrics)
        masses = sum(not metric.held_out for metric in self.metrics)
        each = mechanism.seconds(int(fitted)) / min(self.batch(sizes), 4) + SPLIT_S * checkins * self.splits
        each += masses * (2e-4 + MEASURED_S * fitted)
        if held_out:
            histories = min(0.7 * others, cells ** self._length())
            each += POSITION_S * others + histories * (RANKED_S + CELL_S * cells + mechanism.work[2])
        return repetitions * float(each)

    def _length(self) -> int:
        order: int = self.release.mechanism.parameter("order", 1)
        return self.history or order

    def _counts(self, sizes: Sequence[int]) -> int:
        return len(self.release.mechanism.grid)
