"""``{% number_input %}``: a number input of a template, with the domain of its parameter. Built in for every template.

What is typed is read by static/js/core/number_text.js; the rule beside the field is written here as the same text.
"""

import sys
from collections.abc import Mapping
from typing import Any, get_args

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from privacy_engine.analysis import best_guess
from privacy_engine.core import params
from privacy_engine.core.params import Param

register = template.Library()
POSITIVE = sys.float_info.min * sys.float_info.epsilon
"""The smallest number above 0: as a minimum it stands for "greater than 0"."""

DOMAINS: dict[str, Any] = {
    "epsilon": params.Epsilon,
    "radius_m": params.RadiusM,
    "seed": params.Seed,
    "alpha": (float, Param(label="Target", lowest=POSITIVE)),
    "accepted_m": (float, Param(label="Error", lowest=1.0, highest=1e7)),
    "accepted": (float, Param(label="Error", lowest=0, highest=1e15)),
    "hits": (int, Param(label="Hits", lowest=1, highest=1000)),
    "guess_percent": (float, Param(label="Guess", lowest=100 * best_guess.LEAST, highest=100 * best_guess.MOST)),
    "count": (int, Param(label="Count", lowest=1)),
}
"""What a template may name: the type and the domain of a number."""


def domain(name: str) -> tuple[bool, Param]:
    """Whether the number is whole, and its :class:`~privacy_engine.core.params.Param`."""
    declared = DOMAINS[name]
    kind, *rest = declared if isinstance(declared, tuple) else get_args(declared)
    return kind is int, next(part for part in rest if isinstance(part, Param))


def described_domain(field: Mapping[str, Any]) -> tuple[bool, Param]:
    """The same of a parameter as the API describes it."""
    return field["whole"], Param(label=field["label"], lowest=field["minimum"], highest=field["maximum"])


def plain_number(value: float) -> str:
    """A number with a decimal point and no separators, powers of ten where these are shorter: 20000000, 1e14.

    >>> plain_number(1e-6), plain_number(2e7), plain_number(2**53 - 1), plain_number(1e14)
    ('0.000001', '20000000', '9007199254740991', '1e14')
    """
    if value == int(value):
        text = str(int(value))
        power = f"{value:e}".replace("e+", "e")
        mantissa, _, exponent = power.partition("e")
        short = f"{mantissa.rstrip('0').rstrip('.')}e{int(exponent)}"
        return short if abs(value) >= 1e9 and float(short) == value and len(short) < len(text) else text
    return f"{value:.6f}".rstrip("0") if float(f"{value:.6f}") == value else repr(float(value))


def rule_text(whole: bool, param: Param) -> str:
    """The rule beside a field, as ``ruleSentence`` in static/js/core/number_text.js writes it.

    >>> rule_text(*domain("epsilon")), rule_text(*domain("alpha"))
    ('A number from 0.000001 to 10000.', 'A number greater than 0.')
    """
    start = "A whole number" if whole else "A number"
    if param.lowest == POSITIVE:
        return f"{start} greater than 0."
    ends = [(" of at least ", param.lowest), (" of at most ", param.highest)]
    if param.lowest is not None and param.highest is not None:
        ends = [(" from ", param.lowest), (" to ", param.highest)]
    return start + "".join(bound + plain_number(end) for bound, end in ends if end is not None) + "."


@register.simple_tag
def number_input(
    name: str,
    id: str,
    *,
    value: Any = "",
    help: str = "",
    required: bool = True,
    field: str = "",
    described: Mapping[str, Any] | None = None,
    **more: Any,
) -> SafeString:
    """The input of the number ``name`` of :data:`DOMAINS`, its rule after ``help``, and the place of its error.

    ``field`` is its name in the form, and ``more`` further attributes: ``aria_label`` for ``aria-label``. Where the
    number is a parameter as the API ``described`` it, rule, help and name are its own; without a ``value`` it begins
    with its default, or with its example where it has none.
    """
    whole, param = described_domain(described) if described else domain(name)
    if described:
        field, help = name, described["help"]
        if value == "":
            value = described["example"] if described["default"] is None else described["default"]
    attributes: dict[str, Any] = {"data-minimum": param.lowest, "data-maximum": param.highest}
    attributes |= {key.replace("_", "-"): setting for key, setting in more.items()}
    attributes |= {"name": field or None, "data-whole": whole or None, "data-required": required or None}
    attributes |= {"aria-required": "true" if required else None}
    given = ((key, "" if setting is True else setting) for key, setting in attributes.items() if setting is not None)
    written = format_html_join("", ' {}="{}"', given)
    text = plain_number(value) if isinstance(value, float) else "" if value is None else str(value)
    return format_html(
        '<input class="input" id="{id}" type="text" inputmode="decimal" autocomplete="off" spellcheck="false" '
        'data-number value="{value}" aria-describedby="{id}-help {id}-error"{attributes}>'
        '<p class="field__help" id="{id}-help">{help} <span class="field__rule visually-hidden">{rule}</span></p>'
        '<p class="field__error" id="{id}-error" role="alert" hidden></p>',
        id=id,
        value=text,
        attributes=written,
        help=help,
        rule=rule_text(whole, param),
    )
