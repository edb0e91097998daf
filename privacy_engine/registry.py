"""The one list of everything that can be named: mechanisms and ways to mark landmarks.

A :class:`Mechanism` is a frozen description: its fields are its parameters, its docstring its guarantee. Adding one
is one file and one import line; forms, API schema, legend and documentation derive from it.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from decimal import Decimal
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
from pydantic import ValidationError

from privacy_engine import noise
from privacy_engine.data import Floats, LandmarkSet, Mask, Release, Trajectory
from privacy_engine.errors import ParameterError, ParameterErrors
from privacy_engine.params import Frozen, brief, choices_of, explain, param_of
from privacy_engine.promise import ONE_PERSON, SAME_LANDMARKS, Context, LandmarkChoice, Neighbours, shortest
from privacy_engine.simulation_plan import SimulationPlan

MAX_STEPS = 8
NO_CONTEXT = Context()
_REFERENCE = re.compile(r"^\.\. \[\d+\] (.+?)(?=^\.\. \[|\Z)", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Guarantee:
    """A theorem as a reader meets it: one sentence, what it assumes, what it does not cover.

    ``epsilon`` is the level that the promise about the upload has, within ``radius_m``.
    """

    level: str
    unit: str
    neighbours: Neighbours
    epsilon: float
    radius_m: float
    statement: str
    assumptions: tuple[str, ...]
    caveats: tuple[str, ...]
    not_covered: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """The guarantee as JSON-ready data."""
        lists = {name: list(getattr(self, name)) for name in ("assumptions", "caveats", "not_covered")}
        return asdict(self) | lists


class Component(Frozen):
    """Something with a registered ``name`` and what a page needs to show it."""

    title: ClassVar[str]
    short: ClassVar[str] = ""
    summary: ClassVar[str]
    kind: ClassVar[str] = "trajectory"
    needs_time: ClassVar[bool] = False
    needs_column: ClassVar[bool] = False

    name: str

    @classmethod
    def needs(cls) -> list[str]:
        """What a dataset must have for it: ``time``, ``landmark column``. A page leaves out what lacks its needs."""
        return ["time"] * cls.needs_time + ["landmark column"] * cls.needs_column

    @classmethod
    def registered_name(cls) -> str:
        """The name this class is registered under; it never changes meaning."""
        return str(cls.model_fields["name"].default)

    @classmethod
    def legend(cls) -> str:
        """Its title where room is short."""
        return cls.short or cls.title

    @classmethod
    def fields(cls) -> list[dict[str, Any]]:
        """Its parameters as form fields: name, label, unit, symbol, help, bounds, choices, default, required."""
        found = []
        for field, info in cls.model_fields.items():
            if field == "name":
                continue
            param = param_of(info)
            if param is None:
                raise TypeError(f"{cls.__name__}.{field} must be declared with a Param")
            labels = dict(param.options)
            found.append(
                {
                    "name": field,
                    "label": param.label,
                    "symbol": param.symbol,
                    "unit": param.unit,
                    "help": param.help,
                    "minimum": param.lowest,
                    "maximum": param.highest,
                    "example": param.example,
                    "whole": info.annotation is int,
                    "text": info.annotation is str,
                    "control": param.control,
                    "choices": [{"value": value, "label": labels.get(value, value)} for value in choices_of(info)],
                    "default": None if info.is_required() else info.default,
                    "required": info.is_required(),
                }
            )
        return found

    @classmethod
    def documentation(cls) -> str:
        """The class's docstring, indentation removed."""
        return inspect.getdoc(cls) or ""

    @classmethod
    def source(cls) -> str:
        """The references of its docstring, one after the other on one line."""
        found = _REFERENCE.findall(cls.documentation())
        return " ".join(" ".join(text.split()) for text in found)


class Mechanism(Component):
    """Base of every mechanism: a description that can release a series.

    Subclasses set ``level`` (what is protected: ``event``, ``w-event``, ``landmark``, ``user``) and write
    :meth:`draw`; those whose budgets do not depend on the run write ``budgets(is_landmark)`` and inherit the rest.

    Sentences have no full stop: conditions and what is not covered follow in the same sentence. ``sentence_of_records``
    is the promise where one uploaded record decides several events, ``neighbours_of_records`` its neighbour relation;
    ``remark`` is a sentence of its own.
    ``reads_landmarks`` is False where neither budgets nor noise depend on which events are landmarks: how those were
    chosen then takes nothing from the promise.
    """

    level: ClassVar[str]
    sentence: ClassVar[str]
    sentence_without_landmarks: ClassVar[str] = ""
    sentence_of_records: ClassVar[str] = ""
    remark: ClassVar[str] = ""
    neighbours: ClassVar[Neighbours]
    reads_landmarks: ClassVar[bool] = True
    neighbours_of_records: ClassVar[Neighbours | None] = None
    assumptions: ClassVar[tuple[str, ...]] = ()
    caveats: ClassVar[tuple[str, ...]] = ()

    epsilon: Any
    radius_m: Any

    def draw(self, series: Trajectory, is_landmark: Mask, *, rng: noise.RandomSource) -> Release:
        """Draw one release. Arrays in, arrays out, randomness only through ``rng``."""
        raise NotImplementedError

    def release(
        self, series: Trajectory, landmarks: LandmarkSet, *, rng: noise.RandomSource | np.random.Generator
    ) -> Release:
        """One release of ``series`` (n events) with ``landmarks`` (a mask over them).

        It is ``private`` only if ``rng`` is :func:`privacy_engine.noise.publishable` or a watched one of it; whatever
        else is given, a numpy generator or an object of the caller's own, makes a simulation.

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
        if getattr(many, "draw", None) is type(self).draw and getattr(self.release, "__func__", None) is _RELEASE:
            return self.draw_many(series, landmarks.mask, times, rng=source)
        found = np.full((times, len(series), 2), np.nan)
        for i in range(times):
            release = self.release(series, landmarks, rng=source)
            found[i, release.event] = np.column_stack([release.series.lon, release.series.lat])
        return found

    def draw_many(self, series: Trajectory, is_landmark: Mask, times: int, *, rng: noise.RandomSource) -> Floats:
        """As :meth:`repeat`, for the :meth:`draw` that it is declared for by :func:`same_law_as`."""
        raise NotImplementedError

    def simulation_plan(self, is_landmark: Mask) -> SimulationPlan | None:
        """Return the plan by which :mod:`privacy_engine.analysis.simulation` repeats this; None: by :meth:`release`."""
        return None

    def drawn_together(self, is_landmark: Mask, fresh: Mask) -> Mask:
        """Which of the draws ``fresh`` (n,) are of one joint draw of noise, (n,): none, unless the mechanism says."""
        return np.zeros(len(fresh), dtype=np.bool_)

    def epsilon_per_m(self, budgets: Floats) -> Floats:
        """Budgets (levels within ``radius_m``) as the rate of the noise, per metre."""
        return np.asarray(budgets / self.radius_m)

    def promised_epsilon(self, context: Context) -> float:
        """The level of the promise about the upload, within ``radius_m``: what one uploaded record decides, together.

        The m events that a record decides spend at most m times what one of them may, with the landmarks beside them
        S + mM ≤ m(S + M) ≤ mε in the terms of :mod:`privacy_engine.accounting.landmark_ledger`. At user level all
        events of a person are within ``epsilon`` already.
        """
        times = 1 if self.level == "user" else context.stability
        added = self._choice(context).added(self.radius_m)
        return float((Decimal(repr(float(self.epsilon))) + added) * times)

    def charged_epsilon(self, context: Context) -> float:
        """The level that one event is charged in the ledger, within ``radius_m``, for one event decided by a record.

        With that of a one-sided selection, which is published together with the release. What an earlier release
        spent is charged to that one.
        """
        return float(Decimal(repr(float(self.epsilon))) + Decimal(repr(self._choice(context).one_sided)))

    def _neighbours(self, choice: LandmarkChoice) -> Neighbours:
        return self.neighbours

    def _choice(self, context: Context) -> LandmarkChoice:
        return context.choice if self.reads_landmarks else SAME_LANDMARKS

    @classmethod
    def statement(cls) -> str:
        """The guarantee's sentence in symbols, for any parameters."""
        symbols = {field["name"]: field["symbol"] or field["label"].lower() for field in cls.fields()}
        sentence = cls.sentence.replace("ε = {epsilon} per {radius} m", "ε per {radius}")
        filled = sentence.format(
            **symbols, radius=symbols["radius_m"], landmarks="all landmarks", unit=ONE_PERSON, same=SAME_LANDMARKS.same
        )
        return f"{filled}. {cls.remark}".rstrip()

    def guarantee(self, context: Context = NO_CONTEXT) -> Guarantee:
        """What a release protects of an upload: :class:`~privacy_engine.promise.Context` has what it depends on."""
        multiplied = context.stability > 1 and self.sentence_of_records
        plain = (context.landmarks == 0 and self.sentence_without_landmarks) or self.sentence
        sentence = self.sentence_of_records if multiplied else plain
        epsilon, choice = self.promised_epsilon(context), self._choice(context)
        context = replace(context, choice=choice).merged()
        numbers = {name: _number(value) for name, value in self if isinstance(value, float | int)}
        filled = sentence.format(
            **numbers | {"epsilon": _number(epsilon)},
            radius=numbers["radius_m"],
            landmarks=_landmarks(context.landmarks),
            unit=context.unit,
            stability=_number(context.stability),
            same=choice.same,
        )
        statement = f"{context.qualified(filled)} {self.remark}".rstrip()
        return Guarantee(
            self.level,
            context.unit,
            (self.neighbours_of_records if multiplied else None) or self._neighbours(choice),
            epsilon,
            self.radius_m,
            statement,
            self.assumptions,
            self.caveats,
            context.not_covered,
        )


def _number(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else shortest(value)


def _landmarks(count: int | None) -> str:
    if count is None:
        return "all landmarks"
    return {0: "no landmark", 1: "the 1 landmark"}.get(count, f"all {count:,} landmarks")


_RELEASE = Mechanism.release


def same_law_as(draw: Callable[..., Release]) -> Callable[[Callable[..., Floats]], Callable[..., Floats]]:
    """Declare a ``draw_many`` as having the law of this very ``draw``: of no other one, which may replace it later."""

    def declared(many: Callable[..., Floats]) -> Callable[..., Floats]:
        many.draw = draw  # type: ignore[attr-defined]
        return many

    return declared


T = TypeVar("T", bound=Component)


class Registry(Generic[T]):
    """Named descriptions of one sort, in the order they were registered."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._classes: dict[str, type[T]] = {}

    def register(self, cls: type[T]) -> type[T]:
        """Add ``cls`` under its name (a class decorator)."""
        name = cls.registered_name()
        if name in self._classes:
            raise TypeError(f"{name} is registered twice")
        cls.fields()  # a parameter without label and domain fails at import, not in a form
        self._classes[name] = cls
        return cls

    def __iter__(self) -> Iterator[type[T]]:
        return iter(self._classes.values())

    def __len__(self) -> int:
        return len(self._classes)

    def __getitem__(self, name: str) -> type[T]:
        return self._classes[name]

    def parse(self, description: Any, *, field: str = "") -> T:
        """The described object.

        Raises
        ------
        ParameterErrors
            One error for each parameter that is missing, unknown, of the wrong type or outside its domain.
        """
        at = f"{field}." if field else ""
        if isinstance(description, Component):
            description = description.model_dump()
        if not isinstance(description, Mapping):
            raise ParameterErrors(
                [ParameterError(f"{field or self._what} must be an object", field=field, rule="object")]
            )
        name = description.get("name")
        cls = self._classes.get(name) if isinstance(name, str) else None
        if cls is None:
            names = ", ".join(self._classes)
            rule = f"one of {names}"
            raise ParameterErrors(
                [
                    ParameterError(
                        f"{at}name must be {rule}, got {brief(name)}", field=f"{at}name", rule=rule, value=name
                    )
                ]
            )
        try:
            return cls.model_validate(dict(description))
        except ValidationError as error:
            raise ParameterErrors(explain(error, prefix=field)) from None

    def parse_list(self, description: Any, *, field: str, most: int = MAX_STEPS) -> tuple[T, ...]:
        """The objects that a list of descriptions describes, in its order.

        Raises
        ------
        ParameterErrors
            With one error for each field at fault, named ``field.0.parameter``.
        """
        if not isinstance(description, list | tuple) or len(description) > most:
            rule = f"a list of at most {most} steps"
            error = ParameterError(f"{field} must be {rule}", field=field, rule=rule, value=description)
            raise ParameterErrors([error])
        found, errors = [], []
        for i, one in enumerate(description):
            try:
                found.append(self.parse(one, field=f"{field}.{i}"))
            except ParameterErrors as wrong:
                errors += wrong.errors
        if errors:
            raise ParameterErrors(errors)
        return tuple(found)


mechanisms: Registry[Mechanism] = Registry("mechanism")
