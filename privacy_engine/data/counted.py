"""``Counted``: how the counts of a stream were made of events, and by how much a person's events can change them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from privacy_engine.core.arrays import ceil_div
from privacy_engine.data.grid import Grid
from privacy_engine.errors import DataError

Unit = Literal["person", "series", "event"]
UNITS: tuple[str, ...] = get_args(Unit)


@dataclass(frozen=True)
class Counted:
    """Counts of events in the cells of a grid.

    Parameters
    ----------
    grid : Grid
        Its cells are the dimensions.
    unit : "person", "series" or "event"
        What counts: an event adds 1 to a cell; a person (or a series) adds 1 to each of at most ``most`` cells of a
        timestamp, wherever its other events of that timestamp are.
    most : int
        The most cells of a timestamp that a unit counts in; 1 for events.
    changed : bool
        True where the sensitivity covers that events of a unit are changed to others, not only added or removed.
    box_from_data, times_from_data : bool
        True where the box, or the first and the last timestamp, follow from the data that are to be protected.
    cleaned : tuple of str
        The names of the cleaning steps before counting.
    decided : tuple of str
        The options that the events were read with and that were decided from all of them, each with its value.

    Raises
    ------
    DataError
        The unit is unknown, or ``most`` is no whole number from 1, or not 1 for events.
    """

    grid: Grid
    unit: Unit
    most: int = 1
    changed: bool = False
    box_from_data: bool = False
    times_from_data: bool = False
    cleaned: tuple[str, ...] = ()
    decided: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.unit not in UNITS:
            rule = f"one of {', '.join(UNITS)}"
            raise DataError(f"unit must be {rule}, got {self.unit!r:.60}", field="unit", rule=rule, value=self.unit)
        if type(self.most) is not int or self.most < 1 or (self.unit == "event" and self.most != 1):
            rule = "a whole number of at least 1, and 1 for events"
            raise DataError(f"most must be {rule}, got {self.most!r:.60}", field="most", rule=rule, value=self.most)

    @property
    def sensitivity(self) -> int:
        """By how much, in sum over the cells, a unit can change the counts of a timestamp.

        A unit that is present or absent changes ``most`` counts by 1. One whose events are others can be counted in
        ``most`` other cells: twice as much.
        """
        return self.most * (1 + self.changed)

    @property
    def event_sensitivity(self) -> int:
        """By how much an event, present or absent, can change the counts of its timestamp in sum.

        Where units count in some of their cells only, another event can decide in which: a cell less, a cell more.
        """
        return 1 if self.unit == "event" else 2

    def event_charges(self, sensitivity: int) -> int:
        """How often a release protects an event with its ε: ``sensitivity`` is what its noise is for.

        >>> grid = Grid(0.0, 0.0, 1.0, 1.0, 1, 1)
        >>> Counted(grid, "person").event_charges(1), Counted(grid, "person").event_charges(2)
        (2, 1)
        """
        return ceil_div(self.event_sensitivity, sensitivity)

    @property
    def covers(self) -> str:
        """What a w-event guarantee for a sensitivity of at least :attr:`sensitivity` covers, a noun phrase.

        It continues the guarantee's sentence: "these timestamps" are the successive ones that it names.
        """
        if self.unit == "event":
            return self._protected
        return f"{self._protected} (a {self.unit} counts in at most {self._most} of a timestamp)"

    @property
    def _protected(self) -> str:
        if self.unit == "event":
            how = "added, removed or changed" if self.changed else "added or removed"
            return f"one event of each of these timestamps, {how}"
        how = "however they change" if self.changed else "where those of a timestamp are added or removed together"
        return f"all events of one {self.unit} at these timestamps, {how}"

    @property
    def not_covered(self) -> tuple[str, ...]:
        """What no guarantee about the counts covers, noun phrases."""
        excluded = ["the box of the grid, which was taken from the data"] * self.box_from_data
        excluded += ["the first and the last timestamp, which were taken from the data"] * self.times_from_data
        if self.cleaned:
            excluded.append(f"what cleaning ({', '.join(self.cleaned)}) made of the upload before it was counted")
        if self.decided:
            excluded.append(
                f"the options that the events were read with, decided from the data ({', '.join(self.decided)})"
            )
        if self.unit != "person":
            excluded.append(f"other {'events' if self.unit == 'event' else 'series'} of the same person")
        return tuple(excluded)

    @property
    def sensitivity_text(self) -> str:
        """The sensitivity, why it is that and what it protects, as a sentence."""
        if self.unit == "event":
            other = ", one that becomes another changes two" if self.changed else ""
            why = f"an event changes one count by 1{other}"
        else:
            other = f", with other events in {self._most} more" if self.changed else ""
            why = f"a {self.unit} counts in at most {self._most} of a timestamp{other}"
        protects = f"A release protects, for any w successive timestamps, {self._protected}"
        return f"Sensitivity {self.sensitivity}: {why}. {protects}."

    @property
    def _most(self) -> str:
        return "1 cell" if self.most == 1 else f"{self.most:,} cells"

    def as_dict(self) -> dict[str, Any]:
        """The description as JSON-ready data."""
        fields = asdict(self) | {"cleaned": list(self.cleaned), "decided": list(self.decided)}
        return fields if self.decided else {name: value for name, value in fields.items() if name != "decided"}

    @classmethod
    def from_dict(cls, description: Mapping[str, Any]) -> Counted:
        """What :meth:`as_dict` describes."""
        rest = dict(description)
        grid, cleaned = Grid(**rest.pop("grid")), tuple(map(str, rest.pop("cleaned")))
        decided = tuple(map(str, rest.pop("decided", ())))
        rest |= {name: bool(rest[name]) for name in ("changed", "box_from_data", "times_from_data")}
        return cls(grid, cleaned=cleaned, decided=decided, **rest)
