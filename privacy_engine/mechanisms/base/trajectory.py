"""What the mechanisms of trajectories share: a release of a person's series beside their landmarks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any, ClassVar, TypeVar

import numpy as np

from privacy_engine import noise
from privacy_engine.accounting.privacy_loss import PrivacyLoss
from privacy_engine.accounting.promise import (
    ONE_PERSON,
    SAME_LANDMARKS,
    Context,
    LandmarkChoice,
    Neighbours,
    at_most,
    shortest,
)
from privacy_engine.core.arrays import Floats, Mask, parts_of
from privacy_engine.core.progress import reported
from privacy_engine.data import LandmarkSet, Release, Trajectory
from privacy_engine.data.releases import Releases
from privacy_engine.data.trajectories import Trajectories
from privacy_engine.mechanisms.base.mechanism import NO_CONTEXT, Guarantee, Mechanism, number_text
from privacy_engine.mechanisms.base.simulation_plan import SimulationPlan

REPEATS = "Repeats show"
"""How caveats begin that are about published positions which repeat earlier ones."""


class TrajectoryMechanism(Mechanism):
    """Base of every mechanism that releases trajectories.

    Subclasses set ``level`` (``event``, ``w-event``, ``landmark`` or ``user``) and write :meth:`draw`; those whose
    budgets do not depend on the run write ``budgets(is_landmark)`` and inherit the rest.

    ``exposes`` is what it protects less than other events, a noun phrase for tables. ``sentence_of_records`` is the
    promise where an uploaded record decides several events, ``neighbours_of_records`` its neighbour relation.
    ``reads_landmarks`` is False where neither budgets nor noise depend on which events are
    landmarks: how those were chosen then takes nothing from the promise. ``temporal_loss_undefined`` is why budgets do
    not determine the temporal loss; empty where they do.
    """

    kind: ClassVar[str] = Trajectory.kind
    sentence_without_landmarks: ClassVar[str] = ""
    exposes: ClassVar[str] = ""
    sentence_of_records: ClassVar[str] = ""
    reads_landmarks: ClassVar[bool] = True
    neighbours_of_records: ClassVar[Neighbours | None] = None
    temporal_loss_undefined: ClassVar[str] = ""
    clear_fields: ClassVar[tuple[str, ...]] = ("time", "series", "number of events")
    grid_text: ClassVar[str] = f"positions are multiples of {noise.GRID_DEG:g} degrees"

    radius_m: Any

    def draw(self, series: Trajectory, is_landmark: Mask, *, rng: noise.RandomSource) -> Release:
        """Draw a release. Arrays in, arrays out, randomness only through ``rng``."""
        raise NotImplementedError

    def release(
        self, series: Trajectory, landmarks: LandmarkSet, *, rng: noise.RandomSource | np.random.Generator
    ) -> Release:
        """One release of ``series`` (n events) with ``landmarks`` (a mask over them).

        It is ``private`` only if ``rng`` is :func:`privacy_engine.noise.publishable` or a watched source of it;
        whatever else is given, a numpy generator or an object of the caller's own, makes a simulation.

        Raises
        ------
        DataError
            The landmark set is not over this series' events.
        ParameterError
            ``rng`` is no source of randomness.
        """
        landmarks.must_cover(series)
        source = noise.as_source(rng)
        return replace(self.draw(series, landmarks.mask, rng=source), private=source.private)

    def draw_each(self, people: Trajectories, is_landmark: Mask, *, rng: noise.RandomSource) -> Releases:
        """Draw a release of each of several people's events, of which (n,) are landmarks: :meth:`draw` of each.

        A class may override this where all at once take less time, declared by :func:`same_law_as`.
        """
        masks = parts_of(is_landmark, people.starts)
        return Releases.of(people, (self.draw(*pair, rng=rng) for pair in zip(people, masks, strict=True)))

    def release_each(self, people: Trajectories, is_landmark: Mask, *, rng: noise.RandomSource) -> Releases:
        """:meth:`release` of each of several people, whose landmarks are a mask (n,) over their events."""
        if self._draws_each:
            source = noise.as_source(rng)
            return replace(self.draw_each(people, is_landmark, rng=source), private=source.private)
        sets = map(LandmarkSet, parts_of(is_landmark, people.starts))
        return Releases.of(people, (self.release(*pair, rng=rng) for pair in zip(people, sets, strict=True)))

    @property
    def _draws_each(self) -> bool:
        """Whether :meth:`draw_each` has the law of :meth:`release`, of which a caller may have replaced a part."""
        each, plain = type(self).draw_each, TrajectoryMechanism.draw_each
        declared = each is plain or getattr(each, "draw", None) is type(self).draw
        return declared and getattr(self.release, "__func__", None) is _RELEASE

    def repeat(
        self, series: Trajectory, landmarks: LandmarkSet, times: int, *, rng: noise.RandomSource | np.random.Generator
    ) -> Floats:
        """Published positions of ``times`` independent releases, (times, n, 2) degrees; not a number where none is.

        The law is that of :meth:`release`. Where :meth:`draw` has a form for many at once (:func:`same_law_as`) that
        is used, and otherwise, also where a subclass or a caller replaced either of the two, ``release`` itself.
        """
        landmarks.must_cover(series)
        source = noise.as_source(rng)
        many = type(self).draw_many
        declared, cls = getattr(many, "draw", None), type(self)
        replaced = getattr(self.release, "__func__", None) is not _RELEASE
        if not replaced and (declared is cls.draw or (declared is cls.draw_each and self._draws_each)):
            return self.draw_many(series, landmarks.mask, times, rng=source)
        positions = np.full((times, len(series), 2), np.nan)
        for i in reported(range(times)):
            release = self.release(series, landmarks, rng=source)
            positions[i, release.event] = np.column_stack([release.series.lon, release.series.lat])
        return positions

    def draw_many(self, series: Trajectory, is_landmark: Mask, times: int, *, rng: noise.RandomSource) -> Floats:
        """As :meth:`repeat`, for the :meth:`draw_each` that it is declared for by :func:`same_law_as`."""
        raise NotImplementedError

    def simulation_plan(self, is_landmark: Mask) -> SimulationPlan | None:
        """Return the plan by which :mod:`privacy_engine.analysis.simulation` repeats this; None: by :meth:`release`."""
        return None

    def simulation_plans(self, is_landmark: Mask) -> Sequence[SimulationPlan | None]:
        """Return the :meth:`simulation_plan` of each landmark set, rows of (sets, n), of which there may be none.

        A class may override this where all at once take less time; the plans must be equal.
        """
        return [self.simulation_plan(mask) for mask in is_landmark]

    def drawn_together(self, is_landmark: Mask, fresh: Mask) -> Mask:
        """Which of the draws ``fresh`` (n,) are of a joint draw of noise, (n,): none, if not overridden."""
        return np.zeros(len(fresh), dtype=np.bool_)

    def independent(self, budgets: Floats, is_landmark: Mask) -> tuple[Floats, float]:
        """Budgets of the draws with noise of their own, (n,), and the level of that which the landmarks share."""
        return budgets, 0.0

    def epsilon_per_m(self, budgets: Floats) -> Floats:
        """Budgets (levels within ``radius_m``) as the rate of the noise, per metre."""
        return np.asarray(budgets / self.radius_m)

    def promised_epsilon(self, context: Context) -> float:
        """The level of the promise about the upload, within ``radius_m``: what an uploaded record decides, together.

        The m events that a record decides spend at most m times what any of them may, with the landmarks beside them
        S + mM ≤ m(S + M) ≤ mε in the terms of :mod:`privacy_engine.accounting.landmark_ledger`. At user level all
        events of a person are within ``epsilon`` already.
        """
        times = 1 if self.level == "user" else context.stability
        added = self._choice(context).added(self.radius_m)
        return float((Decimal(repr(float(self.epsilon))) + added) * times)

    def charged_epsilon(self, context: Context) -> float:
        """The level that an event is charged in the ledger, within ``radius_m``, for an event decided by a record.

        With that of a one-sided selection, which is published together with the release. What an earlier release
        spent is charged to that release.
        """
        return float(Decimal(repr(float(self.epsilon))) + Decimal(repr(self._choice(context).one_sided)))

    def loss(self, context: Context = NO_CONTEXT) -> PrivacyLoss:
        """What an event is charged, for an event decided by a record: :meth:`charged_epsilon` within the radius."""
        return PrivacyLoss("event_per_m", self.charged_epsilon(context), float(self.radius_m))

    def level_text(self) -> str:
        return f"epsilon {shortest(self.epsilon)} per {shortest(self.radius_m)} m"

    def label_fields(self, context: Context) -> dict[str, Any]:
        return {
            "radius_m": self.radius_m,
            "landmarks": context.landmarks if self.reads_landmarks else None,
            "stability": context.stability,
            "whole_trace_epsilon": context.whole_trace,
            "noise_p95_m": context.noise_p95_m,
            "grid_degrees": noise.GRID_DEG,
        }

    def label_parts(self, context: Context) -> tuple[str, ...]:
        selected = self.reads_landmarks and context.choice.added(1)
        return (*([_selection(context)] if selected else []), *self._whole_trace(context), *_noise(context))

    def _whole_trace(self, context: Context) -> tuple[str, ...]:
        if context.whole_trace is None:
            return ()
        given = "" if not self.reads_landmarks or context.choice.from_times else ", with the same landmarks"
        leak = f"all events of {context.unit} together leak by this release at most ε = {at_most(context.whole_trace)}"
        return (f"{leak} per {shortest(self.radius_m)} m moved by each{given}",)

    def _neighbours(self, choice: LandmarkChoice) -> Neighbours:
        return self.neighbours

    def _choice(self, context: Context) -> LandmarkChoice:
        return context.choice if self.reads_landmarks else SAME_LANDMARKS

    def _caveats(self, context: Context) -> tuple[str, ...]:
        """Without what is about landmarks where there are none, and about repeats that there are none of."""
        none = self.reads_landmarks and context.landmarks == 0
        alone = none or context.repeats is False
        kept = (caveat for caveat in self.caveats if not (none and "landmark" in caveat.lower()))
        return tuple(caveat for caveat in kept if not (alone and caveat.startswith(REPEATS)))

    def promise_context(self, context: Context) -> Context:
        return replace(context, choice=self._choice(context)).merged()

    @classmethod
    def statement(cls) -> str:
        """The guarantee's sentence in symbols, for any parameters."""
        symbols = cls.symbols()
        sentence = cls.sentence.replace("ε = {epsilon} per {radius} m", "ε per {radius}")
        filled = sentence.format(
            **symbols, radius=symbols["radius_m"], landmarks="all landmarks", unit=ONE_PERSON, same=SAME_LANDMARKS.same
        )
        return f"{filled}. {cls.remark}".rstrip()

    def guarantee(self, context: Context = NO_CONTEXT) -> Guarantee:
        """What a release protects of an upload, given its :class:`~privacy_engine.accounting.promise.Context`."""
        multiplied = context.stability > 1 and self.sentence_of_records
        plain = (context.landmarks == 0 and self.sentence_without_landmarks) or self.sentence
        sentence = self.sentence_of_records if multiplied else plain
        epsilon, choice = self.promised_epsilon(context), self._choice(context)
        context = self.promise_context(context)
        numbers = self.numbers()
        filled = sentence.format(
            **numbers | {"epsilon": number_text(epsilon)},
            radius=numbers["radius_m"],
            landmarks=_landmarks(context.landmarks),
            unit=context.unit,
            stability=number_text(context.stability),
            same=choice.same,
        )
        return Guarantee(
            self.level,
            context.unit,
            (self.neighbours_of_records if multiplied else None) or self._neighbours(choice),
            epsilon,
            self.radius_m,
            self.promised(context, filled),
            self.assumptions,
            self._caveats(context),
            context.uncovered,
        )


def _selection(context: Context) -> str:
    """What was spent beside the mechanism, of which the promise has the sum."""
    choice = context.choice
    if choice.one_sided:
        return f"marked events chosen by a one-sided selection of level {shortest(choice.one_sided)}, which is included"
    return f"landmarks by zones over an earlier release, which spent {shortest(choice.earlier_per_m)} per m, included"


def _noise(context: Context) -> tuple[str, ...]:
    """The noise's own figure, of which no original is read."""
    if context.noise_p95_m is None:
        return ()
    return (f"noise moves 95 % of positions by at most {at_most(context.noise_p95_m)} m",)


def _landmarks(count: int | None) -> str:
    if count is None:
        return "all landmarks"
    return {0: "no landmark", 1: "the 1 landmark"}.get(count, f"all {count:,} landmarks")


_RELEASE = TrajectoryMechanism.release
F = TypeVar("F", bound=Callable[..., Any])


def same_law_as(draw: Callable[..., Any]) -> Callable[[F], F]:
    """Declare a form for many releases as having the law of this very ``draw``: of no other, which may replace it.

    ``draw_each`` is declared for a ``draw``, and ``draw_many`` for either.
    """

    def declared(many: F) -> F:
        many.draw = draw  # type: ignore[attr-defined]
        return many

    return declared
