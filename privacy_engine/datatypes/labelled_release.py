"""``LabelledRelease``: a release of data in memory with its label, as commands and notebooks make it; no ledger."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, BinaryIO

import numpy as np

from privacy_engine.accounting.promise import Context
from privacy_engine.cleaning import CleaningStep, Done, stability_of
from privacy_engine.data import LandmarkSet, Trajectory
from privacy_engine.data.people import most_landmarks, people
from privacy_engine.datatypes import DataType, datatypes
from privacy_engine.formats.decisions import Decisions
from privacy_engine.landmarks import LandmarkMethod, MarkedBeside, SelectionSpec
from privacy_engine.releases.inputs import ReleaseInputs
from privacy_engine.releases.label import NOT_PRIVATE, privacy_label, release_context
from privacy_engine.releases.spec import ReleaseSpec

NONE = Decisions()


@dataclass(frozen=True, eq=False)
class LabelledRelease:
    """What was published by ``spec``, and the label that every file of it carries.

    ``published`` is what the kind's :meth:`~privacy_engine.datatypes.DataType.release` returned.
    """

    spec: ReleaseSpec
    context: Context
    published: Any
    label: dict[str, Any]

    @property
    def data_type(self) -> DataType:
        """The kind of data that it is of."""
        return datatypes[self.spec.mechanism.kind]

    @property
    def statement(self) -> str:
        """What is promised, in a sentence; that it is not private, of a seeded run."""
        return self.spec.mechanism.guarantee(self.context).statement if self.spec.private else f"{NOT_PRIVATE}."

    def write(self, fmt: str, out: BinaryIO) -> None:
        """Write it with its label to the binary stream ``out``; ParameterError where its kind has no format ``fmt``."""
        self.data_type.write(self.published, fmt, out, label=self.label)


@dataclass(frozen=True, eq=False)
class Marks:
    """The landmarks of trajectories: a set for each series, the method, and what was marked beside them.

    ``method`` is None where none were marked, for mechanisms that read no landmarks.
    """

    sets: Sequence[LandmarkSet]
    method: LandmarkMethod | None = None
    beside: MarkedBeside | None = None

    @classmethod
    def none(cls, series: Sequence[Trajectory]) -> Marks:
        """No event of ``series``."""
        return cls([LandmarkSet(np.zeros(len(track), np.bool_)) for track in series])

    @classmethod
    def of(cls, series: Sequence[Trajectory], method: LandmarkMethod, dummies: SelectionSpec | None = None) -> Marks:
        """The events of ``series`` that ``method`` marks, and ``dummies`` among the others; the errors of both."""
        sets = method.mark(series)
        if dummies is None:
            return cls(sets, method)
        beside = MarkedBeside(dummies.private, dummies.method.one_sided_level)
        return cls([LandmarkSet(marks.mask) for marks in dummies.select(sets)], method, beside)


def release_trajectories(
    spec: ReleaseSpec,
    series: Sequence[Trajectory],
    marks: Marks,
    *,
    cleaning: Sequence[CleaningStep] = (),
    done: Sequence[Done] = (),
    decisions: Decisions = NONE,
    first_unit: int = 0,
) -> LabelledRelease:
    """Release ``series``, which ``cleaning`` has left; ``done`` is what each of its steps did.

    ``decisions`` are those of reading the file that they came from; ``first_unit`` is as of ``ReleaseSpec.release``.

    Raises
    ------
    ParameterErrors
        The mechanism is for another kind of data.
    DataError
        The landmarks are not of these series.
    """
    inputs = ReleaseInputs(series, people(series), marks.sets)
    context = release_context(
        landmarks=most_landmarks(inputs.masks),
        method=marks.method,
        beside=marks.beside,
        cleaning=cleaning,
        stability=stability_of(done),
    )
    context = context.with_reading(decisions.listed, decisions.joined)
    return released(spec, replace(inputs, context=context), cleaning=cleaning, first_unit=first_unit)


def release_other(spec: ReleaseSpec, data: Any, *, decisions: Decisions = NONE) -> LabelledRelease:
    """Release data of a kind without landmarks; ParameterErrors where the mechanism is for another kind.

    ``decisions`` are those of reading the file that they came from.
    """
    spec, context = datatypes[data.kind].prepared(spec, data)
    context = context.with_box(spec.box_from_data).with_reading(decisions.listed, decisions.joined)
    return released(spec, ReleaseInputs(data, context=context))


def released(
    spec: ReleaseSpec, inputs: ReleaseInputs[Any], *, cleaning: Sequence[CleaningStep] = (), **options: Any
) -> LabelledRelease:
    """Release what was loaded, after ``cleaning``, and label it; ``options`` are those of the kind's ``release``."""
    data_type = datatypes[spec.mechanism.kind]
    drawn = data_type.release(spec, inputs.data, inputs.landmarks, **options)
    context, private = data_type.drawn_context(spec, inputs, drawn), data_type.is_private(drawn)
    label = privacy_label(spec, context, private=private, cleaning=cleaning, sha256=data_type.digest(drawn))
    return LabelledRelease(spec, context, drawn, label)
