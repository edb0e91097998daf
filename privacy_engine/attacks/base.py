"""What the attacks share: a description, what its adversary knows, a result with a sentence that states it."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, ClassVar

import numpy as np

from privacy_engine.core.arrays import Floats, Ints, Mask
from privacy_engine.core.component import Component
from privacy_engine.data import Release, Trajectory
from privacy_engine.errors import DataError
from privacy_engine.registry import Registry

Watch = Callable[[float], None]
"""Called with the share of the work that is done, and may raise to stop it."""


@dataclass(frozen=True)
class Place:
    """A place that is looked for: where it is, where the release puts it, how far off that is (metres), whether within.

    Not a number where there is none: on the original (``lon, lat``) or on the release (``found_lon, found_lat``).
    """

    lon: float
    lat: float
    found_lon: float
    found_lat: float
    distance_m: float
    within: bool

    @property
    def exists(self) -> bool:
        """Whether the original has such a place."""
        return not math.isnan(self.lon)

    @property
    def found(self) -> float:
        """1 if the guess is within, 0 if not; not a number where there is nothing to find."""
        return float(self.within) if self.exists else math.nan

    def as_dict(self) -> dict[str, Any]:
        """The place as JSON-ready data; None for what is not a number."""
        return dict(_plain(self))


@dataclass(frozen=True, eq=False)
class Result:
    """What an attack came to; field names carry the units. A map shows its ``places`` and its ``path``."""

    @property
    def sentence(self) -> str:
        """The result as a plain sentence."""
        raise NotImplementedError

    @property
    def places(self) -> Mapping[str, Place]:
        """The places it was after, by what they are called; none for most attacks."""
        return {}

    @property
    def path(self) -> tuple[Floats, Floats] | None:
        """``lon, lat`` guessed for every event, (n,) each in degrees; None where events are not guessed."""
        return None

    def as_dict(self) -> dict[str, Any]:
        """The result as JSON-ready data, its sentence included; None for what is not a number."""
        return {"sentence": self.sentence} | {field.name: _plain(getattr(self, field.name)) for field in fields(self)}


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, np.ndarray):
        return [_plain(item) for item in value.tolist()]
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and not np.isfinite(value) else value


@dataclass(frozen=True)
class Headline:
    """One number ``of`` a result, in ``unit``, not a number for none: what an experiment follows under ``name``.

    ``share``: it lies between 0 and 1.
    """

    name: str
    title: str
    unit: str
    summary: str
    of: Callable[[Any], float]
    share: bool = False


class Attack(Component):
    """Base of every attack. ``assumes`` states in plain sentences what its adversary knows; the docstring the source.

    ``reads_draws``: it must have the release as the mechanism drew it, before any step.
    """

    assumes: ClassVar[tuple[str, ...]]
    headlines: ClassVar[tuple[Headline, ...]]
    population: ClassVar[bool] = False
    reads_draws: ClassVar[bool] = False

    name: str

    def seconds_once(self, lengths: Sequence[int]) -> float:
        """About how long it takes on a release of each series, on a single core of a small machine."""
        raise NotImplementedError


class SeriesAttack(Attack):
    """An attack on the release of one series."""

    def run(
        self, truth: Trajectory, release: Release, *, shared: Mask | None = None, watch: Watch | None = None
    ) -> Result:
        """What the attack makes of ``release`` (m of n events), measured against ``truth`` (n events).

        Parameters
        ----------
        shared : (n,) bool, optional
            The draws of a joint draw of noise (:meth:`Mechanism.drawn_together`), where the attack reads them.
        watch : callable, optional
            Called with the share of the work that is done, where it takes long, and may raise to stop it.

        Raises
        ------
        DataError
            The release lacks what the attack needs, or does not belong to ``truth``.
        ParameterError
            The work would pass the attack's stated limit.
        """
        must_match(truth, release)
        if self.needs_time and (truth.time_s is None or release.series.time_s is None):
            raise DataError(f"{self.title} needs times", field="time_s", rule="required")
        return self._run(truth, release)

    def _run(self, truth: Trajectory, release: Release) -> Result:
        raise NotImplementedError


class PopulationAttack(Attack):
    """An attack on the releases of many series at once, in parts that read all and try some of the releases each."""

    population: ClassVar[bool] = True

    def run(self, truths: Sequence[Trajectory], releases: Sequence[Release], *, watch: Watch | None = None) -> Any:
        """What the attack makes of ``releases``, the i-th of which was made of ``truths[i]``; ``watch`` as above."""
        return self.joined([self.part(truths, releases, range(len(releases)), watch=watch)])

    def part(
        self, truths: Sequence[Trajectory], releases: Sequence[Release], some: range, *, watch: Watch | None = None
    ) -> Ints:
        """What is counted of the releases of these numbers: the same in all, however they are cut into parts."""
        raise NotImplementedError

    def joined(self, parts: Sequence[Ints]) -> Result:
        """The result, from the :meth:`part` of all releases."""
        raise NotImplementedError


def must_match(truth: Trajectory, release: Release) -> None:
    """DataError unless ``release`` can have been made of ``truth``."""
    if len(truth) != len(release.budgets):
        message = f"the release must be of {len(truth)} events, got {len(release.budgets)}"
        raise DataError(message, field="release", rule="same length", value=len(release.budgets))


attacks: Registry[Attack] = Registry("attack", "cairn.attacks", Attack)
