"""Columns of releases in templates: ``{% release_columns "picker" dataset.kind as columns %}``."""

from collections.abc import Mapping
from typing import Any

from django import template
from django.utils.html import format_html, format_html_join

from dashboard.core.templatetags import display
from dashboard.datasets.release_columns import Column, columns_of

register = template.Library()
register.simple_tag(columns_of, name="release_columns")


@register.simple_tag
def figure(column: Column, values: Mapping[str, Any]) -> str:
    """The value of a column as text or as elements; a dash for none."""
    value = values.get(column.key)
    return "–" if value is None or value == [] else SHOWN[column.show](value)


def _measured(figures: list[dict[str, Any]]) -> str:
    lines = ((one["title"], display.number(one["value"]), one["unit"]) for one in figures)
    return format_html_join("", '<p class="small">{}: {} {}</p>', lines)


def _judged(error: tuple[float, Any]) -> str:
    text = display.metres(error[0])
    return _titled('{}<p class="small muted" title="{}">{}</p>', error[1], text) if error[1] else text


def _titled(markup: str, verdict: Any, *before: str) -> str:
    return format_html(markup, *before, verdict.rule, verdict.title)


SHOWN: Mapping[str, Any] = {
    "metres": display.metres,
    "whole": display.whole,
    "number": display.number,
    "exact": lambda value: display.number(value, 6),
    "at_least": lambda noise: f"{'≥ ' * noise[1]}{display.number(noise[0])}",
    "verdict": lambda verdict: _titled('<span title="{}">{}</span>', verdict),
    "judged": _judged,
    "figures": _measured,
}
