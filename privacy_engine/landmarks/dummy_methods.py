"""Registered ways to choose dummy landmarks, and the description of a choice: a way and perhaps a seed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated, Any, ClassVar, Literal, get_args

import numpy as np
from pydantic import field_serializer, field_validator

from privacy_engine import noise
from privacy_engine.core.arrays import Floats
from privacy_engine.core.component import Component
from privacy_engine.core.params import CoinLevel, Param, Seed, SelectionLevel, Spec
from privacy_engine.data import LandmarkSet
from privacy_engine.errors import ParameterError
from privacy_engine.landmarks.counts import summed
from privacy_engine.landmarks.dummy_selection import (
    COIN_CAVEATS,
    OPTION_CAVEATS,
    DummySelection,
    Method,
    Utility,
    dummy_counts,
    one_sided_counts,
    one_sided_dummies,
    select_dummies,
)
from privacy_engine.landmarks.orders import LONGEST, MOST_CELLS, MOST_REGULAR, Distance, Evaluation, landmark_histogram
from privacy_engine.registry import Registry

dummy_methods: Registry[DummyMethod] = Registry("method")


class DummyMethod(Component):
    """Base of every way to choose dummies over the series of a dataset.

    ``guarantees`` is True where ``statement`` is a theorem about the landmarks, and not a warning that there is none.
    """

    guarantees: ClassVar[bool] = False
    statement: ClassVar[str]
    over_series: ClassVar[str]
    caveats: ClassVar[tuple[str, ...]]
    redrawing: ClassVar[str] = (
        "Every draw is a new one, and their levels add up (sequential composition). Drawing again and keeping the one "
        "that suits the landmarks is covered by no level."
    )

    epsilon: Any

    @classmethod
    def promise(cls) -> dict[str, Any]:
        """What it protects, before it is run, as JSON-ready data."""
        return {
            "guarantees": cls.guarantees,
            "statement": cls.statement,
            "over_series": cls.over_series,
            "redrawing": cls.redrawing,
            "caveats": list(cls.caveats),
        }

    @property
    def one_sided_level(self) -> float | None:
        """The level at which it protects each landmark one-sidedly; None where it does not."""
        return None

    def select(
        self, landmarks: Sequence[LandmarkSet], *, rng: noise.RandomSource | np.random.Generator
    ) -> list[DummySelection]:
        """One selection for each series, in order, each at the level ``epsilon``.

        Series share no event, so for any single event the level does not grow with their number (parallel composition);
        for m events, in whichever series, it is m times as large.

        Raises
        ------
        ParameterError
            A series is too long for the method.
        """
        source = noise.as_source(rng)
        with _naming_the_method():
            return [self._select(marks, source) for marks in landmarks]

    def counts(self, landmarks: Sequence[LandmarkSet]) -> Floats:
        """How likely 0, 1, … dummies are over all series together; nothing is drawn. For the landmarks' owner only."""
        with _naming_the_method():
            return summed(self._counts(marks) for marks in landmarks)

    def seconds(self, landmarks: Sequence[LandmarkSet]) -> float:
        """How long choosing takes at worst, as measured on a core of a small machine; what is refused takes none."""
        return sum(2.5e-4 + self._seconds(marks) for marks in landmarks)

    def describe(self) -> str:
        """The method with its parameters as a short text, to name a set by."""
        return f"L′, {self.title.lower()}, ε = {self.epsilon:g}"

    def _select(self, marks: LandmarkSet, rng: noise.RandomSource) -> DummySelection:
        raise NotImplementedError

    def _counts(self, marks: LandmarkSet) -> Floats:
        raise NotImplementedError

    def _seconds(self, marks: LandmarkSet) -> float:
        raise NotImplementedError


@contextmanager
def _naming_the_method() -> Iterator[None]:
    """A series too long for a method is the method's fault, to whoever chose it."""
    try:
        yield
    except ParameterError as error:
        if error.field == "is_landmark":
            message = error.message.replace("is_landmark", "Every series")
            raise ParameterError(message, field="method.name", rule=error.rule, value=error.value) from None
        raise


@dummy_methods.register
class OneSided(DummyMethod):
    r"""A coin for each regular event; every landmark, and every coin that falls, is marked.

    One-sided ``epsilon``-differentially private for each event [1]_: a mark multiplies the odds that its event is a
    landmark by at most :math:`e^\epsilon`. See :func:`privacy_engine.landmarks.dummy_selection.one_sided_dummies`.

    References
    ----------
    .. [1] Kotsogiannis, Doudalis, Haney, Machanavajjhala, Mehrotra. "One-sided Differential Privacy". ICDE 2020.
    """

    title: ClassVar[str] = "One-sided coins"
    summary: ClassVar[str] = "Every event that is not a landmark is added with a fixed probability, independently."
    guarantees: ClassVar[bool] = True
    statement: ClassVar[str] = (
        "Seeing an event marked multiplies the odds that it is a landmark by at most e^ε, whatever else is known: "
        "one-sided ε-differential privacy for each event."
    )
    over_series: ClassVar[str] = (
        "Every series is drawn at the full level. No event lies in two series, so for one event the levels do not add "
        "up (parallel composition); for m events, in whichever series, the level is m times ε."
    )
    caveats: ClassVar[tuple[str, ...]] = (
        "Cost: of the events that are no landmarks, the share e^−ε is marked on average (ε = 1: 36.8 %, "
        "ε = 3: 5 %). No mechanism that keeps every landmark marked makes this promise with fewer.",
        *COIN_CAVEATS,
    )

    name: Literal["dummies-one-sided"] = "dummies-one-sided"
    epsilon: CoinLevel

    @property
    def one_sided_level(self) -> float | None:
        return float(self.epsilon)

    def counts(self, landmarks: Sequence[LandmarkSet]) -> Floats:
        return one_sided_counts(sum(len(marks) - marks.count for marks in landmarks), epsilon=self.epsilon)

    def _select(self, marks: LandmarkSet, rng: noise.RandomSource) -> DummySelection:
        return one_sided_dummies(marks.mask, epsilon=self.epsilon, rng=rng)

    def _seconds(self, marks: LandmarkSet) -> float:
        return 3e-7 * len(marks)


class OptionMethod(DummyMethod):
    """Base of those that draw one of nested options by the exponential mechanism: no privacy for the landmarks."""

    way: ClassVar[Method]
    statement: ClassVar[str] = (
        "Not differentially private for the landmarks. Every landmark is in every option, and which events join them "
        "follows from where the landmarks are: two sets that differ in one landmark lead to marks that only one of "
        "them can give, so whoever knows the method can rule sets out with certainty."
    )
    over_series: ClassVar[str] = (
        "Every series is drawn separately at this level. It is the exponential mechanism's, for the number of dummies; "
        "it adds up to no promise about the landmarks, over one series or many."
    )
    caveats: ClassVar[tuple[str, ...]] = OPTION_CAVEATS

    utility: Annotated[
        Utility,
        Param(
            label="Prefers",
            help="Which numbers of dummies the exponential mechanism prefers.",
            options=(("distance", "dummies near the landmarks"), ("count", "few dummies")),
        ),
    ] = "distance"

    def _options(self) -> dict[str, Any]:
        """How to call the engine's functions for this description."""
        return {"method": self.way} | self.model_dump(exclude={"name"})

    def _select(self, marks: LandmarkSet, rng: noise.RandomSource) -> DummySelection:
        return select_dummies(marks.mask, rng=rng, **self._options())

    def _counts(self, marks: LandmarkSet) -> Floats:
        return dummy_counts(marks.mask, **self._options())


EVALUATION = Param(
    label="Preserves",
    help="Which distribution over time the marked events should share with the landmarks.",
    options=(("gaps", "gaps between neighbouring marks"), ("nearest", "every event’s time to its nearest mark")),
)


@dummy_methods.register
class OptimalDummies(OptionMethod):
    """Of all orders in which regular events can join, the one whose options stay most like the landmarks [1]_.

    References
    ----------
    .. [1] Katsomallos. PhD thesis, "Protecting landmarks": the algorithm Optimal.
    """

    title: ClassVar[str] = "Optimal"
    summary: ClassVar[str] = "Evaluates every order of adding events; at most 16 other events in a series."

    way: ClassVar[Method] = "optimal"
    name: Literal["dummies-optimal"] = "dummies-optimal"
    epsilon: SelectionLevel
    evaluation: Annotated[Evaluation, EVALUATION] = "gaps"

    def _seconds(self, marks: LandmarkSet) -> float:
        r = len(marks) - marks.count
        return float(0.5 * 8.0 ** (r - 14)) if r <= MOST_REGULAR else 0.0


@dummy_methods.register
class HeuristicDummies(OptionMethod):
    """Adds, one by one, the regular event that leaves the marks most like the landmarks [1]_.

    References
    ----------
    .. [1] Katsomallos. PhD thesis, "Protecting landmarks": the algorithm Heuristic.
    """

    title: ClassVar[str] = "Heuristic"
    summary: ClassVar[str] = "Adds the best next event, one after another. For long series."

    way: ClassVar[Method] = "heuristic"
    name: Literal["dummies-heuristic"] = "dummies-heuristic"
    epsilon: SelectionLevel
    evaluation: Annotated[Evaluation, EVALUATION] = "gaps"

    def _seconds(self, marks: LandmarkSet) -> float:
        n, r = len(marks), len(marks) - marks.count
        if n > LONGEST[self.evaluation]:
            return 0.0
        return 3e-9 * r * n**0.5 + 3e-7 * n if self.evaluation == "gaps" else 1.5e-9 * r * n


@dummy_methods.register
class PartitionedDummies(OptionMethod):
    """Fills the bins of the landmarks' histogram so that its shape stays, and draws the events inside each bin [1]_.

    References
    ----------
    .. [1] Katsomallos. PhD thesis, "Protecting landmarks": the algorithm Partitioned.
    """

    title: ClassVar[str] = "Partitioned"
    summary: ClassVar[str] = "Keeps the landmarks’ histogram over time; inside a bin the events are sampled uniformly."

    way: ClassVar[Method] = "partitioned"
    name: Literal["dummies-partitioned"] = "dummies-partitioned"
    epsilon: SelectionLevel
    distance: Annotated[
        Distance,
        Param(
            label="Histograms apart by",
            help="How the histograms are compared.",
            options=(("euclidean", "Euclidean distance"), ("wasserstein", "Wasserstein distance")),
        ),
    ] = "euclidean"

    def _seconds(self, marks: LandmarkSet) -> float:
        bins = len(landmark_histogram(marks.mask).counts) if self.distance == "wasserstein" else 0
        cells = bins * (len(marks) - marks.count)
        return 6e-7 * len(marks) + 3e-9 * cells if cells <= MOST_CELLS and len(marks) <= LONGEST["gaps"] else 0.0


class SelectionSpec(Spec):
    """A way to choose dummies, and a seed where it is an experiment: repeatable, and therefore never private."""

    method: Any
    seed: Seed | None = None

    @field_validator("method", mode="before")
    @classmethod
    def _registered(cls, value: Any) -> DummyMethod:
        return dummy_methods.parse(value, field="method")

    @field_serializer("method")
    def _dumped(self, value: DummyMethod) -> dict[str, Any]:
        return value.model_dump()

    @property
    def private(self) -> bool:
        """True if what it draws may be released on."""
        return self.seed is None

    def select(self, landmarks: Sequence[LandmarkSet]) -> list[DummySelection]:
        """A selection for each series, all from the same random source; errors as :meth:`DummyMethod.select`."""
        chosen: list[DummySelection] = self.method.select(
            landmarks, rng=noise.source(self.seed, stream=noise.Stream.DUMMIES)
        )
        return chosen


_SHORT = re.compile(r"([a-z-]+):([0-9]{1,15}(?:\.[0-9]{1,15})?)((?::[a-z]+)*)", re.ASCII)
_CHOICES = {"utility": Utility, "evaluation": Evaluation, "distance": Distance}


def parse_short_dummies(text: str, *, seed: Any = None) -> SelectionSpec:
    """The choice written in short, as the command line takes it: the method, its level, then any of its choices.

    >>> parse_short_dummies("one-sided:2").method.describe()
    'L′, one-sided coins, ε = 2'
    >>> parse_short_dummies("heuristic:0.01:nearest:count").method.evaluation
    'nearest'
    """
    match = _SHORT.fullmatch(text)
    options = {choice: name for name, choices in _CHOICES.items() for choice in get_args(choices)}
    chosen = match[3].split(":")[1:] if match else []
    if not match or any(choice not in options for choice in chosen):
        rule = "METHOD:LEVEL (one-sided:2, heuristic:0.01:nearest:count, partitioned:0.01:wasserstein)"
        raise ParameterError.must_be("dummies", rule, text)
    method = {"name": f"dummies-{match[1]}", "epsilon": float(match[2])} | {
        options[choice]: choice for choice in chosen
    }
    return SelectionSpec.parse({"method": method, "seed": seed})
