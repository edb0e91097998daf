"""What the measures share: a description, a number for each repetition, and how long that takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from privacy_engine.analysis.forecast import has_known_budgets
from privacy_engine.core.arrays import Floats
from privacy_engine.core.component import Component
from privacy_engine.core.params import brief
from privacy_engine.core.progress import reported
from privacy_engine.errors import ParameterError, ParameterErrors
from privacy_engine.experiments.trials import Trials
from privacy_engine.registry import Registry, is_stored

RELEASE_S, RELEASED_EVENT_S, WALKED_EVENT_S = 2e-4, 4e-7, 7e-6
"""Seconds of a release, of each of its events, and of an event more where budgets depend on the run."""

Work = dict[str, float]
"""Seconds by what is done; what two measures have in common is done once."""


class Measure(Component):
    """One number for each repetition, in ``unit``; over several series the mean of theirs, not a number for none.

    ``owner_only``: it reads the truth; ``assumes``: what an adversary is taken to know. The docstring names the source.
    """

    unit: ClassVar[str] = ""
    assumes: ClassVar[tuple[str, ...]] = ()
    owner_only: ClassVar[bool] = False
    needs_release: ClassVar[bool] = False

    name: str

    def values(self, trials: Trials) -> Floats:
        """Its value in each repetition, (repetitions,): the same bits whichever others stand beside it."""
        raise NotImplementedError

    def work(self, cell: Any, lengths: Sequence[int], repetitions: int) -> Work:
        """About how long that takes on a single core of a small machine, for series of these lengths."""
        raise NotImplementedError

    def seconds(self, cell: Any, lengths: Sequence[int], repetitions: int) -> float:
        """The sum of :meth:`work`."""
        return sum(self.work(cell, lengths, repetitions).values())

    @property
    def plain(self) -> str | dict[str, Any]:
        """The shortest JSON that describes it: its name where all parameters are left out, otherwise all of them."""
        own, fields = self.model_dump(), type(self).model_fields
        return self.name if all(own[field] == info.default for field, info in fields.items()) else own

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters that distinguish it from others of its name."""
        return {} if isinstance(self.plain, str) else self.model_dump(exclude={"name"}, exclude_none=True)

    @property
    def column_name(self) -> str:
        """What a table calls it."""
        return self.name

    @property
    def full_title(self) -> str:
        """Its title, its first parameter, and others that differ from what is usual."""
        own = self.parameters
        fields = [field for field in type(self).fields() if field["name"] in own]
        given = [field for i, field in enumerate(fields) if i == 0 or own[field["name"]] != field["default"]]
        parts = (f"{item['label'].lower()} {_shown(item, own[item['name']])} {item['unit']}".strip() for item in given)
        return ", ".join([self.title, *parts])

    def __reduce__(self) -> tuple[Any, ...]:  # classes made of metrics and attacks lie in no module
        return _parsed, (self.plain,)


def _shown(field: dict[str, Any], value: Any) -> str:
    labels = [choice["label"] for choice in field["choices"] if choice["value"] == value]
    return str(labels[0]).lower() if labels else f"{value:g}"


def _parsed(plain: Any) -> Measure:
    return measures.parse(plain)


class Measures(Registry[Measure]):
    """Measures by name. A name stands for itself where it has no parameters to state."""

    def parse(self, description: Any, *, field: str = "") -> Measure:
        if isinstance(description, Measure):
            return description
        if isinstance(description, str):
            description = {"name": description}
        name = description.get("name") if isinstance(description, Mapping) else description
        if not isinstance(name, str) or (name not in self and not is_stored()):
            rule = f"one of {', '.join(cls.registered_name() for cls in self)}"
            message = f"{field or 'measure'} must be {rule}, got {brief(name)}"
            raise ParameterErrors([ParameterError(message, field=field, rule=rule, value=name)])
        return super().parse(description, field=field)

    def __contains__(self, name: object) -> bool:
        return name in self._classes

    def listing(self) -> list[dict[str, Any]]:
        """All that a page or a form needs of each, as JSON-ready data."""
        return [
            {
                "name": cls.registered_name(),
                "kind": cls.kind,
                "title": cls.title,
                "short": cls.legend(),
                "unit": cls.unit,
                "summary": cls.summary,
                "documentation": cls.documentation(),
                "source": cls.source(),
                "assumes": list(cls.assumes),
                "owner_only": cls.owner_only,
                "needs": cls.needs(),
                "needs_time": cls.needs_time,
                "needs_release": cls.needs_release,
                "fields": cls.fields(),
                "schema": cls.model_json_schema(),
            }
            for cls in self
        ]


measures = Measures("measure")


def over_series(by_series: list[Floats], repetitions: int) -> Floats:
    """The mean of each repetition (series, repetitions) over the series that have any."""
    sums, counts = np.zeros(repetitions), np.zeros(repetitions)
    for row in by_series:  # in turn: a sum of numpy's takes another order where there is a single repetition
        known = ~np.isnan(row)
        sums[known] += row[known]
        counts += known
    return np.asarray(np.where(counts, sums / np.maximum(counts, 1), np.nan))


def each(trials: Trials, value: Callable[[int], list[float]]) -> Floats:
    """``value(repetition)``, a number for each series, of every repetition."""
    by_repetition = [value(repetition) for repetition in reported(trials.which)]
    return over_series([np.array(row) for row in zip(*by_repetition, strict=True)], len(trials.which))


def releasing(cell: Any, lengths: Sequence[int], repetitions: int, *, steps: bool = True) -> Work:
    """The work of drawing every release, and of the steps after it."""
    simulated = 0.0 if has_known_budgets(cell.release.mechanism) else WALKED_EVENT_S
    drawing = len(lengths) * RELEASE_S + sum(lengths) * (RELEASED_EVENT_S + simulated)
    work = {"draws": repetitions * drawing}
    if steps and cell.release.postprocess:
        seconds = sum(step.seconds(events) for step in cell.release.postprocess for events in lengths)
        work["steps"] = repetitions * seconds
    return work
