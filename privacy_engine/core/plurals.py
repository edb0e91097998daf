"""Counted nouns in messages: ``1 entry``, ``1,234 entries``."""

import re

_IRREGULAR = {"person": "people", "series": "series", "axis": "axes", "matrix": "matrices"}


def plural(noun: str) -> str:
    """Return the plural of an English noun, or of the last word of a phrase.

    >>> [plural(noun) for noun in ("event", "entry", "day", "dummy", "match", "landmark set", "series", "person")]
    ['events', 'entries', 'days', 'dummies', 'matches', 'landmark sets', 'series', 'people']
    """
    before, space, last = noun.rpartition(" ")
    if last in _IRREGULAR:
        ended = _IRREGULAR[last]
    elif re.search(r"[^aeiou]y$", last):
        ended = f"{last[:-1]}ies"
    else:
        ended = f"{last}es" if re.search(r"(s|x|z|ch|sh)$", last) else f"{last}s"
    return before + space + ended


def quantity(number: int, noun: str) -> str:
    """Return a number with its noun: ``1 event``, ``1,234 events``, ``3 series``."""
    return f"{number:,} {noun if number == 1 else plural(noun)}"
