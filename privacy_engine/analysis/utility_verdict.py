"""The verdict on releases of count streams and of models of check-ins: beside what costs no ε, and by which rule.

A release of counts is compared with publishing zeros, a model with a public baseline that reads no check-ins.
"""

from typing import Literal

from privacy_engine.analysis.results import Result
from privacy_engine.analysis.verdict import RULES, TITLES

USABLE_ARE = 0.1
"""Counts are usable if their average relative error is at most this, and :data:`USABLE_SHARE` of that of zeros."""
USABLE_SHARE = 0.5
"""Publishing zeros has an error of at most 100 / T over T timestamps: little in long streams."""
USABLE_GAIN = 10
"""A model is usable if it finds more than this many of 1,000 next places beyond what the public baseline finds."""

UtilityName = Literal["no-guarantee", "person-exposed", "worse-than-free", "usable", "coarse"]


class UtilityVerdict(Result):
    """What a release is good for, by the first rule that applies, in the order of :data:`UtilityName`."""

    name: UtilityName
    title: str
    rule: str
    """The rule, without numbers of the data."""


class CountRules(Result):
    """Up to which average relative error counts are usable, and coarse: that of publishing zeros."""

    usable: float
    coarse: float


NO_GUARANTEE = UtilityVerdict(name="no-guarantee", title=TITLES["no-guarantee"], rule=RULES["no-guarantee"])


def count_rules(zeros_are: float) -> CountRules:
    """Return the bounds for a stream for which publishing zeros has the average relative error ``zeros_are``.

    >>> count_rules(0.239), count_rules(0.1)
    (CountRules(usable=0.1, coarse=0.239), CountRules(usable=0.05, coarse=0.1))
    """
    return CountRules(usable=min(USABLE_ARE, USABLE_SHARE * zeros_are), coarse=zeros_are)


def count_verdict(are: float, zeros_are: float, *, unsound: bool = False) -> UtilityVerdict:
    """Return the verdict on counts of the average relative error ``are``; ``unsound`` if there is no guarantee.

    >>> [count_verdict(are, 0.239).title for are in (0.1, 0.101, 0.239)]
    ['usable', 'coarse: better than zeros', 'worse than publishing zeros']
    """
    bounds = count_rules(zeros_are)
    if unsound:
        return NO_GUARANTEE
    if are >= bounds.coarse:
        rule = "the average relative error is not less than that of publishing zeros"
        return UtilityVerdict(name="worse-than-free", title="worse than publishing zeros", rule=rule)
    if are <= bounds.usable:
        rule = "the average relative error is at most 0.1 and half of that of publishing zeros"
        return UtilityVerdict(name="usable", title="usable", rule=rule)
    rule = "the average relative error is less than that of publishing zeros"
    return UtilityVerdict(name="coarse", title="coarse: better than zeros", rule=rule)


def hit_verdict(
    hits: int, public: int, *, unsound: bool = False, exposed_epsilon: float | None = None
) -> UtilityVerdict:
    """Return the verdict on a model that finds so many ``hits`` of 1,000 next places, ``public`` the public baseline.

    ``exposed_epsilon`` is the ε of the most active person where check-ins are protected singly, None where persons
    are; ``unsound`` if there is no guarantee.

    >>> [hit_verdict(hits, 447).title for hits in (462, 457, 447)]
    ['usable: 15 more per 1,000', 'coarse: 10 more per 1,000', 'no better than the baseline']
    >>> hit_verdict(500, 447, exposed_epsilon=746.0).title
    'a person exposed: ε 746'
    """
    if unsound:
        return NO_GUARANTEE
    if exposed_epsilon is not None:
        rule = "check-ins are protected one by one: the ε of a person grows with their number"
        title = f"a person exposed: ε {exposed_epsilon:,.3g}" if exposed_epsilon < 1000 else "a person exposed"
        return UtilityVerdict(name="person-exposed", title=title, rule=rule)
    if hits <= public:
        title = "worse than the public baseline" if hits < public else "no better than the baseline"
        rule = "the nearest ten cells, which cost no ε, find as many next places or more"
        return UtilityVerdict(name="worse-than-free", title=title, rule=rule)
    gain = hits - public
    name: UtilityName = "usable" if gain > USABLE_GAIN else "coarse"
    many = "over" if name == "usable" else "at most"
    rule = f"{many} {USABLE_GAIN} more of 1,000 next places are found than by the public baseline"
    return UtilityVerdict(name=name, title=f"{name}: {gain:,} more per 1,000", rule=rule)
