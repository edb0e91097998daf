"""The terms a reader may not know: a plain sentence each, and the tags that explain a term where it is used.

``{% term "epsilon" %}ε{% endterm %}`` makes the first ε of a page a button that explains itself on hover, focus and
press; ``{% term_notes %}`` writes the sentences that the page needs, at its end. Built in for every template.
"""

from dataclasses import dataclass, field
from typing import Any

from django import template
from django.template.base import FilterExpression, NodeList, Parser, Token
from django.template.context import Context
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = template.Library()


@dataclass(frozen=True)
class Term:
    """A term, as a heading shows it, and what it means here."""

    title: str
    meaning: str


GLOSSARY: dict[str, Term] = {
    "epsilon": Term(
        "ε, epsilon",
        "Bounds how far a release may change the odds: of two places one radius apart, either makes any output at "
        "most e to the ε times as likely as the other; smaller protects more and adds more error.",
    ),
    "level": Term(
        "Level",
        "The ε guaranteed within the radius, for what is protected together: one event, any w successive events, "
        "all landmarks and any one event, or the whole series.",
    ),
    "radius": Term(
        "Radius",
        "The distance in metres at which two places are protected with ε; for places twice as far apart, "
        "twice the ε may leak.",
    ),
    "landmark": Term(
        "Landmark",
        "A significant event, such as being at home, at work or in a clinic; all landmarks and any one other event "
        "are protected together.",
    ),
    "dummy-landmark": Term(
        "Dummy landmark",
        "A regular event that is protected like a landmark, so that such an event need not be one; every true landmark "
        "stays in the set.",
    ),
    "regular-event": Term(
        "Regular event",
        "An event that is not a landmark; it is protected beside all landmarks, not together with other regular "
        "events.",
    ),
    "event-level": Term("Event level", "Each event alone leaks at most ε; k events together may leak k times as much."),
    "w-event": Term(
        "w-event", "Any w successive events together leak at most ε; events further apart than that may leak more."
    ),
    "user-level": Term(
        "User level", "All events of a series together leak at most ε: the strongest level, and the noisiest."
    ),
    "temporal-loss": Term(
        "Temporal privacy loss",
        "What all releases leak about an event to an adversary who knows how successive positions are correlated, for "
        "states at most D apart, where ε within a radius r counts D / r times: at least what its release spends.",
    ),
    "bridge-bound": Term(
        "Bridge bound",
        "An upper bound on what all landmarks and one event leak together, computed with the landmarks’ positions "
        "taken as known at the ends of each gap; the published formula is not an upper bound.",
    ),
    "mean-error": Term(
        "Mean error",
        "The mean distance in metres from each published position to the true one of its event; it is measured "
        "against the original, so only the owner sees it.",
    ),
    "typical-error": Term(
        "Typical error",
        "Half of the published positions are at most this far from the true ones of their events; it is measured "
        "against the original, so only the owner sees it.",
    ),
    "verdict": Term(
        "Verdict",
        "How errors compare with the extent of your data, for its owner alone: “hides nothing” where half of the noise "
        "is below GPS accuracy, “usable” up to a fifth of the extent, “coarse” up to the extent, “larger” beyond.",
    ),
    "extent": Term(
        "Extent",
        "The greatest distance between the 95 % of a person’s events that are nearest to their middle; of several "
        "people, the median.",
    ),
    "release": Term(
        "Release",
        "A copy with noise, sampled once, that may be published; the original is not published, and what a release has "
        "leaked cannot be undone.",
    ),
    "fresh-noise": Term(
        "Fresh noise",
        "Noise that is newly sampled for an event and spends budget; an event without it repeats a position that "
        "is published anyway.",
    ),
    "event": Term(
        "Event", "One row of your data: a person was at a place at a time; of counts, whatever is counted once."
    ),
    "trajectories": Term(
        "Trajectory",
        "Positions of people with their times, in degrees; the other kinds of data are count streams and check-ins.",
    ),
    "series": Term(
        "Series", "Events of one person in the order of time, such as a trip or a day: one line on the map."
    ),
    "person": Term(
        "Person",
        "Whose events they are; all series of one person share one budget; the reading option “person” states what "
        "identifies one.",
    ),
    "neighbours": Term(
        "Neighbours",
        "Two data sets between which a guarantee bounds the odds: alike but for the events of one person that it "
        "protects together, moved by at most the radius, or added or removed.",
    ),
    "budget": Term(
        "Budget, ledger",
        "The total ε that you allow for what releases leak of an upload; the ledger adds up what each event spent, "
        "over all uploads that hold it.",
    ),
    "mechanism": Term(
        "Mechanism", "A way to draw a release; its guarantee follows from how it draws, and holds for all data."
    ),
    "label": Term(
        "Privacy label",
        "What each exported file carries: the guarantee with its assumptions, what is not covered, and a digest of the "
        "data, by which “verify” finds damage.",
    ),
    "count-streams": Term("Count stream", "How many events there were in each dimension at each timestamp."),
    "check-ins": Term("Check-in", "A visit of a user to a place, with its time; models of them recommend next places."),
    "forecast": Term(
        "Forecast",
        "The errors to expect of a release before it is made and anything is spent; it reads the original, so it is "
        "for its owner alone.",
    ),
    "audit": Term(
        "Audit",
        "A lower bound of a mechanism’s ε by its draws alone; it can refute a claimed ε and prove none.",
    ),
}


@dataclass
class UsedTerms:
    """What a page explains: terms that are buttons already, and sentences to write at its end."""

    buttons: set[str] = field(default_factory=set)
    notes: dict[str, Term] = field(default_factory=dict)


def _used(context: Context) -> UsedTerms:
    """The page's own, kept on its request, which every included template sees."""
    request = context.get("request")
    if request is None:
        return UsedTerms()
    if not hasattr(request, "used_terms"):
        request.used_terms = UsedTerms()
    return request.used_terms


def _known(name: str) -> str:
    if name not in GLOSSARY:
        raise template.TemplateSyntaxError(f"term must be one of {', '.join(GLOSSARY)}, got {name}")
    return name


class TermNode(template.Node):
    """The text between the tags, as a button where the page uses the term for the first time."""

    def __init__(self, name: FilterExpression, content: NodeList) -> None:
        self.name, self.nodelist = name, content

    def render(self, context: Context) -> SafeString:
        name, text, used = _known(self.name.resolve(context)), self.nodelist.render(context), _used(context)
        if name in used.buttons:
            return text
        used.buttons.add(name)
        used.notes[name] = GLOSSARY[name]
        return format_html(
            '<button class="term" type="button" popovertarget="term-{0}" aria-describedby="term-{0}">{1}</button>',
            name,
            text,
        )


@register.tag
def term(parser: Parser, token: Token) -> TermNode:
    """``{% term "epsilon" %}ε{% endterm %}``: never inside a label, a link or a summary, which take presses."""
    _, name = token.split_contents()
    content = parser.parse(("endterm",))
    parser.delete_first_token()
    return TermNode(parser.compile_filter(name), content)


@register.simple_tag(takes_context=True)
def terms(context: Context, *names: str) -> str:
    """Nothing here, but their sentences at the end of the page, for static/js/components/glossary.js."""
    _used(context).notes.update({_known(name): GLOSSARY[name] for name in names})
    return ""


@register.inclusion_tag("includes/term_notes.html", takes_context=True)
def term_notes(context: Context) -> dict[str, Any]:
    """The sentences of the terms that the page has used so far."""
    return {"notes": _used(context).notes.items()}
