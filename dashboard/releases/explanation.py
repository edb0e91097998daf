"""What the explanation of a release holds, whatever its kind: a page for readers without mathematics.

Everything in it follows from what the release publishes, from its description and from its label. It never looks at the
original or at figures measured against it; of the owner's texts it has the title, and author and
licence of a public link.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar, NamedTuple

from django.http import HttpRequest

from dashboard.core.by_kind import ByKind
from dashboard.core.computing import computed_where
from dashboard.core.palette import palette
from dashboard.core.templatetags.display import NARROW
from dashboard.core.text import one_line
from dashboard.releases import downloads
from dashboard.releases.models import Release
from dashboard.releases.paper_figure import Plot
from dashboard.releases.report import parameters_of
from privacy_engine.accounting.promise import DECIDED, READING, Context
from privacy_engine.analysis.best_guess import best_guess
from privacy_engine.core.plurals import quantity
from privacy_engine.mechanisms.landmark.base import ELSEWHERE

READERS = {"board": "Ethics board", "colleague": "Colleague"}
"""Who the page is written for, the usual first."""
SPARSE = 850
"""Letters of the promise and of what it does not hide that leave space for large letters on a page of paper."""
CODE = 12
"""Digits of the digest that a printed page shows large, in groups of four."""


class Subject(NamedTuple):
    """What a promise is about: ``who`` it protects, ``between`` what a stranger hesitates, and what is the ``same``."""

    who: str
    between: str
    same: str


class Explanation(ABC):
    """What the page has of a kind of data; ``explain.html`` in its folder extends ``explain_base.html``.

    ``known`` is the side knowledge of the strongest stranger, ``listed`` are caveats of labels that the list of what is
    published as it was has already.
    """

    known: ClassVar[str]
    listed: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def subject(self, mechanism: Any, context: Context) -> Subject:
        """Return what the promise is about."""

    @abstractmethod
    def questions(
        self, mechanism: Any, context: Context, label: dict[str, Any], published: dict[str, Any]
    ) -> Sequence[tuple[str, float]]:
        """Return what a stranger may wonder about, each with the ε that follows from the promise."""

    def more_to_learn(self, mechanism: Any, context: Context, label: dict[str, Any]) -> list[str]:
        """Return sentences on what else the promise does not hide."""
        return []

    def not_hidden(self, label: dict[str, Any], facts: dict[str, Any]) -> list[str]:
        """Return what the promise does not cover of a release, in sentences, each fact once.

        ``facts`` are of what it published: those of its public page, or of :meth:`published`.
        """
        clear = f"What is published as it was: {', '.join(label['clear_fields'])}."
        uncovered = (text.partition(" (")[0] if text.startswith(READING) else text for text in label["not_covered"])
        caveats = (caveat for caveat in label["guarantee"]["caveats"] if caveat not in self.listed)
        return list(dict.fromkeys([clear, *(f"{text[:1].upper()}{text[1:]}." for text in uncovered), *caveats]))

    @abstractmethod
    def published(self, row: Release, series: str) -> dict[str, Any]:
        """Return what the template shows of what the release published, with ``image``.

        ``series`` is the number of the series that the page is about, as text, "" for none. 404 where there is none.
        """

    @abstractmethod
    def plot(self, row: Release, series: str) -> Plot:
        """Return what a paper's figure shows; ``series`` as in :meth:`published`."""

    def context(self, request: HttpRequest, row: Release) -> dict[str, Any]:
        """Return the context of the page of a finished release."""
        label, mechanism, chosen = downloads.label(row), row.parsed_spec.mechanism, request.GET
        context = mechanism.promise_context(downloads.context_of(row))
        shown = {name: name in chosen or "reader" not in chosen for name in ("image", "numbers")}  # if checked
        page = {
            "dataset": row.dataset,
            "release": row,
            "title": one_line(chosen.get("title", "")) or row.dataset.name,
            "label": label,
            "mechanism": mechanism,
            "style": palette(row.kind)[row.mechanism],
            "steps": [step.title for step in row.parsed_spec.postprocess],
            "known": self.known,
            "parameters": parameters_of(mechanism),
            "references": mechanism.references(),
            "links": [link for link in row.publications.all() if not link.expired],
            "readers": READERS.items(),
            "reader": chosen["reader"] if chosen.get("reader") in READERS else next(iter(READERS)),
            "shown": shown,
            "code": [label["sha256"][i : i + 4] for i in range(0, CODE, 4)],
            "query": chosen.urlencode(),
            **published_of(row, chosen.get("series", "")),
        }
        if label["guarantee"]:
            page |= self._promised(mechanism, context, label, page)
        letters = sum(map(len, [page.get("protected", ""), *page.get("not_hidden", ())]))
        return page | {"dense": page["reader"] == "colleague" or letters > SPARSE}

    def _promised(
        self, mechanism: Any, context: Context, label: dict[str, Any], published: dict[str, Any]
    ) -> dict[str, Any]:
        """What only releases with a guarantee have."""
        subject, questions = self.subject(mechanism, context), self.questions(mechanism, context, label, published)
        rest = label | {"not_covered": []}  # the sentence has it
        return {
            "protected": _sentence(mechanism, context, label, subject),
            "same": subject.same,
            "guesses": [(what, certainty(epsilon), 2 * certainty(epsilon) - 100) for what, epsilon in questions],
            "not_hidden": [*self.more_to_learn(mechanism, context, label), *self.not_hidden(rest, published)],
        }


explanations: ByKind[Explanation] = ByKind("dashboard.releases", "explain")


@computed_where(lambda row, _: row.dataset.is_large)
def published_of(row: Release, series: str) -> dict[str, Any]:
    """:meth:`Explanation.published` of a release."""
    return explanations[row.kind].published(row, series)


@computed_where(lambda row, _: row.dataset.is_large)
def plot_of(row: Release, series: str) -> Plot:
    """:meth:`Explanation.plot` of a release."""
    return explanations[row.kind].plot(row, series)


def certainty(epsilon: float) -> float:
    """What a guess of a half becomes at most where odds change by a factor of at most exp(ε), in per cent.

    Rounded up to a tenth.

    >>> certainty(1.0), certainty(0.0), certainty(100.0)
    (73.2, 50.0, 100.0)
    """
    return math.ceil(1000 * best_guess(epsilon)) / 10


def _sentence(mechanism: Any, context: Context, label: dict[str, Any], subject: Subject) -> str:
    """The promise for readers without mathematics, with its conditions and what it does not cover."""
    percent = certainty(label["epsilon"])
    sure = "may become certain" if percent >= 100 else f"becomes at most {percent:g}{NARROW}% sure"
    assumed = "; ".join(_in_short(text) for text in label["guarantee"]["assumptions"])
    clause = f"{subject.who}: a stranger who hesitates 50:50 {subject.between} {sure}, with {subject.same}"
    clause += f" (assumed: {assumed})" if assumed else ""
    if context.decided:
        read = f"how the file was read, {DECIDED} ({quantity(len(context.decided), 'value')}, in the report)"
        context = replace(context, decided=(), not_covered=(*context.not_covered, read))
    return str(mechanism.promised(context, clause))


def _in_short(assumption: str) -> str:
    """An assumption without what is to be seen where it fails, which is not on this page."""
    text = assumption.partition(ELSEWHERE)[0].rstrip(".")
    return f"{text[:1].lower()}{text[1:]}"
