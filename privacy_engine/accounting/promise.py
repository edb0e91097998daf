"""What a promise about an upload depends on beside the mechanism: people, landmarks, cleaning, what is not covered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, Decimal, localcontext

from privacy_engine.core.plurals import quantity
from privacy_engine.data.counted import Counted
from privacy_engine.data.detected_stays import DetectedStays

ONE_PERSON = "one person"
ONE_SERIES = "one series"
"""The unit of releases drawn before people were known: each series had a budget of its own."""


DECIDED = "decided from the data"
READING = "the values of the reading options"
SEEN_BOX = "the box and the cells of the grid, which were chosen with knowledge of the uploaded check-ins"
"""What no promise covers of check-ins whose grid is not public knowledge."""


@dataclass(frozen=True)
class LandmarkChoice:
    """What choosing the landmarks adds to a promise about them.

    docs/decisions/0020-landmarks-that-are-covered.md has the theorems.

    Parameters
    ----------
    from_times : bool
        Times, or nothing of the data, decide which events are landmarks: traces with the same times have the same.
    from_release : bool
        An earlier release decides, which is published: conditional on it traces with the same times have the same.
    one_sided : float
        The level of a one-sided private selection that marked other events beside the landmarks: a plain number, spent
        for each landmark that could have been none. 0 without a selection.
    earlier_per_m : float
        What the release that decides spent on the landmarks and a further event of any person, per metre.
    provided, not_covered : tuple of str
        As those of :class:`Context`.
    """

    from_times: bool = False
    from_release: bool = False
    one_sided: float = 0.0
    earlier_per_m: float = 0.0
    provided: tuple[str, ...] = ()
    not_covered: tuple[str, ...] = ()

    @property
    def same(self) -> str:
        """What two traces have in common that a promise is about."""
        if self.from_times or self.from_release:
            return "the same times"
        if self.one_sided:
            more = f"{shortest(self.one_sided)}"
            return f"the same times and the same landmarks, or all of these but one (each further one adds ε = {more})"
        return "the same landmarks and times"

    def added(self, radius_m: float) -> Decimal:
        """What a release with this radius promises less, as a level within it."""
        return Decimal(repr(self.one_sided)) + Decimal(repr(self.earlier_per_m)) * Decimal(repr(float(radius_m)))


SAME_LANDMARKS = LandmarkChoice()
"""Promises are about traces with the same landmarks; nothing is stated of how they were chosen."""


@dataclass(frozen=True)
class Context:
    """What stands between an upload and the events that a mechanism sees, as far as its promise depends on it.

    Parameters
    ----------
    landmarks : int or None
        The largest number of landmarks that any person has; None in general statements.
    unit : str
        Whose data the promise is about.
    stability : int
        The most events that an uploaded record decides: cleaning that makes several events of a record multiplies
        what the record leaks.
    choice : LandmarkChoice
        How the landmarks came about; mechanisms whose releases do not depend on landmarks leave it out.
    provided : tuple of str
        Conditions under which the number holds, each a clause that follows "provided that".
    not_covered : tuple of str
        What no part of the promise covers, each a noun phrase.
    counted : Counted or None
        How the counts of a stream were made of events; None of counts that were uploaded.
    stays : DetectedStays or None
        How check-ins were made of trajectories; None of check-ins that were uploaded.
    whole_trace : float or None
        The largest sum of the budgets of all events of any person, as a level within the mechanism's radius.
    noise_p95_m : float or None
        What noise moves 95 % of the published positions by at most, in metres; None where it is not known.
    repeats : bool or None
        Whether the release repeats a position that it published before; None before it is drawn.
    box_from_data : bool
        True where the box or the cells of the grid of check-ins were chosen with knowledge of them.
    decided : tuple of str
        The reading options that were decided from all rows of the upload, each with its value.
    """

    landmarks: int | None = None
    unit: str = ONE_PERSON
    stability: int = 1
    choice: LandmarkChoice = SAME_LANDMARKS
    provided: tuple[str, ...] = ()
    not_covered: tuple[str, ...] = ()
    whole_trace: float | None = None
    noise_p95_m: float | None = None
    repeats: bool | None = None
    counted: Counted | None = None
    stays: DetectedStays | None = None
    box_from_data: bool = False
    decided: tuple[str, ...] = ()

    @classmethod
    def of_stays(cls, stays: DetectedStays) -> Context:
        """What a promise about check-ins depends on that are the stays of trajectories."""
        return cls(stays=stays, not_covered=stays.not_covered)

    @classmethod
    def of_counts(cls, counted: Counted | None) -> Context:
        """What a promise about the counts of a stream depends on."""
        return cls() if counted is None else cls(counted=counted, not_covered=counted.not_covered)

    def with_box(self, from_data: bool) -> Context:
        """The same for releases of check-ins whose box was chosen with knowledge of them, if it was."""
        if not from_data:
            return self
        return replace(self, box_from_data=True, not_covered=(*self.not_covered, SEEN_BOX))

    def with_reading(self, decided: Sequence[str], joined: Sequence[str]) -> Context:
        """The same for an upload of which these options were ``decided``; ``joined`` is what is not covered of rows."""
        return replace(self, decided=tuple(decided), not_covered=(*self.not_covered, *joined))

    @property
    def uncovered(self) -> tuple[str, ...]:
        """Everything that is not covered, each reading option separately."""
        listed = f"{READING}, which were {DECIDED} ({', '.join(self.decided)})"
        return (*self.not_covered, listed) if self.decided else self.not_covered

    @property
    def uncovered_in_short(self) -> tuple[str, ...]:
        """Everything that is not covered as a sentence names it: the reading options are counted."""
        options = f"the values of {quantity(len(self.decided), 'reading option')}, {DECIDED}"
        return (*self.not_covered, options) if self.decided else self.not_covered

    def merged(self) -> Context:
        """The same with the conditions of the choice of landmarks, and what it leaves uncovered, before the others."""
        return replace(
            self,
            provided=(*self.choice.provided, *self.provided),
            not_covered=(*self.choice.not_covered, *self.not_covered),
        )

    def qualified(self, sentence: str) -> str:
        """``sentence``, without a full stop, with its conditions and what is not covered, in a single sentence."""
        made = self.counted or self.stays
        covers = f", which covers {made.covers}" if made else ""
        provided = f", provided that {' and '.join(self.provided)}" if self.provided else ""
        uncovered = f"; not covered: {'; '.join(self.uncovered_in_short)}" if self.uncovered_in_short else ""
        return f"{sentence}{covers}{provided}{uncovered}."


def shortest(value: float) -> str:
    """A number with the fewest digits that are read back as the same number.

    >>> shortest(0.5), shortest(118.0), shortest(0.1 + 0.2)
    ('0.5', '118', '0.30000000000000004')
    """
    return f"{value:.0f}" if value == int(value) and abs(value) < 1e15 else repr(float(value))


def at_most(value: float) -> str:
    """A bound with six significant digits, rounded up; what differs by less than 1e-12 of it counts as equal.

    >>> at_most(2.9387755102040813), at_most(0.1 + 0.2), at_most(4.0)
    ('2.93878', '0.3', '4')
    """
    settled = Decimal(f"{value:.12g}")
    with localcontext(prec=6, rounding=ROUND_CEILING):
        return shortest(float(+settled))


@dataclass(frozen=True)
class Neighbours:
    """A neighbour relation, as text and in symbols: the pairs of data sets that a promise is about."""

    words: str
    symbols: str
