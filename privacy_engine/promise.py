"""What a promise about an upload depends on beside the mechanism: people, landmarks, cleaning, what is not covered."""

from __future__ import annotations

from dataclasses import dataclass

ONE_PERSON = "one person"
ONE_SERIES = "one series"
"""The unit of releases drawn before people were known: each series had a budget of its own."""


@dataclass(frozen=True)
class Context:
    """What stands between an upload and the events that a mechanism sees, as far as its promise depends on it.

    Parameters
    ----------
    landmarks : int or None
        The largest number of landmarks that any one person has; None in general statements.
    unit : str
        Whose data the promise is about.
    stability : int
        The most events that one uploaded record decides: cleaning that makes several events of one record multiplies
        what the record leaks.
    added_epsilon : float
        What was spent before the mechanism on the same records, as a level within its radius: a private selection of
        landmarks.
    provided : tuple of str
        Conditions under which the number holds, each a clause that follows "provided that".
    not_covered : tuple of str
        What no part of the promise covers, each a noun phrase.
    whole_trace : float or None
        The largest sum of the budgets of all events of any one person, as a level within the mechanism's radius.
    """

    landmarks: int | None = None
    unit: str = ONE_PERSON
    stability: int = 1
    added_epsilon: float = 0.0
    provided: tuple[str, ...] = ()
    not_covered: tuple[str, ...] = ()
    whole_trace: float | None = None

    def qualified(self, sentence: str) -> str:
        """``sentence``, without a full stop, with its conditions and what is not covered, as one sentence."""
        provided = f", provided that {' and '.join(self.provided)}" if self.provided else ""
        uncovered = f"; not covered: {'; '.join(self.not_covered)}" if self.not_covered else ""
        return f"{sentence}{provided}{uncovered}."


@dataclass(frozen=True)
class Neighbours:
    """A neighbour relation, in words and in symbols: the pairs of data sets that a promise is about."""

    words: str
    symbols: str
