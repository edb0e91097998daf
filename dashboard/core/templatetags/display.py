"""Numbers, times and icons in templates, as static/js/core/format.js formats them. In every template."""

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from dashboard.core.palette import LineStyle, palette
from privacy_engine.analysis.reference_radius import within
from privacy_engine.core import plurals
from privacy_engine.mechanisms.base.mechanism import mechanisms

register = template.Library()
NARROW = "\u202f"  # between a number and its unit

ICONS = {
    "upload": "M8 11V3M4.5 6 8 2.5 11.5 6M2.5 10.5v3h11v-3",
    "person": "M8 8.5a3 3 0 1 0 0-6 3 3 0 0 0 0 6M2.5 14c.8-3 3-4 5.5-4s4.7 1 5.5 4",
    "more": "M3.5 8a.5.5 0 1 1-1 0 .5.5 0 0 1 1 0z"
    "M8.5 8a.5.5 0 1 1-1 0 .5.5 0 0 1 1 0zM13.5 8a.5.5 0 1 1-1 0 .5.5 0 0 1 1 0z",
    "down": "M4 6.5 8 10.5l4-4",
    "undo": "M5.5 2.5l-3 3 3 3M2.5 5.5h7a4 4 0 0 1 0 8H6",
    "redo": "M10.5 2.5l3 3-3 3M13.5 5.5h-7a4 4 0 0 0 0 8H10",
    "tick": "M3 8.5l3.5 3.5L13 4.5",
    "copy": "M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z",
}


@register.filter
def whole(value: float | None) -> str:
    """12,345"""
    return "–" if value is None else f"{round(value):,}"


@register.filter
def tenths(value: float) -> str:
    """All digits of a whole number, tenths of another: 4,423,432, 17.5"""
    return f"{value:,.1f}".removesuffix(".0")


@register.filter
def quantity(value: int, noun: str) -> str:
    """12,345 events, 1 entry"""
    return plurals.quantity(value, noun)


ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


@register.filter
def at(mapping: Mapping[Any, Any], key: Any) -> Any:
    """The value under a key, or None."""
    return mapping.get(key)


@register.filter
def queued(position: int | None) -> str:
    """waiting for a worker, third in the queue"""
    if position is None:
        return "waiting for a worker"
    place = ORDINALS[position - 1] if position <= len(ORDINALS) else f"number {position:,}"
    return f"waiting for a worker, {place} in the queue"


@register.filter
def number(value: float | None, digits: int = 3) -> str:
    """At most so many significant digits, no exponent: 0.00123, 12.3, 1,230."""
    if value is None:
        return "–"
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else str(value)
    places = digits - 1 - math.floor(math.log10(abs(value)))
    text = f"{round(value, places):,.{max(places, 0)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


@register.simple_tag
def level_within(epsilon: float, radius_m: float, reference_m: float) -> str:
    """A level within a radius as the level within another: 100 for ε = 1 within 2 m, within 200 m."""
    return number(within(epsilon, radius_m, reference_m))


@register.filter
def metres(value: float | None) -> str:
    """141 m, 2.79 km, 1,234 km"""
    if value is None:
        return "–"
    size = abs(value)
    if size < 1000:
        return f"{number(value, 2) if size < 10 else whole(value)}{NARROW}m"
    return f"{number(value / 1000) if size < 100_000 else whole(value / 1000)}{NARROW}km"


def place(lon: float, lat: float) -> str:
    """40.7421° N, 73.9872° W"""
    return f"{abs(lat):.4f}° {'S' if lat < 0 else 'N'}, {abs(lon):.4f}° {'W' if lon < 0 else 'E'}"


@register.filter
def percent(share: float | None, digits: int = 3) -> str:
    """40.7 %"""
    return "–" if share is None else f"{number(share * 100, digits)}{NARROW}%"


@register.filter
def done(share: float) -> str:
    """How much of a job is done: 64 %; 100 % only when it is over."""
    return f"{min(int(share * 100), 99 if share < 1 else 100)}{NARROW}%"


@register.filter
def size(value: float) -> str:
    """1.2 MB"""
    power = min(int(math.log10(max(value, 1)) // 3), 3)
    return f"{number(value / 1000**power)}{NARROW}{('B', 'kB', 'MB', 'GB')[power]}"


@register.filter
def duration(seconds: float | None) -> str:
    """8 s, 12 min, 3 h 20 min, 2 d 4 h"""
    if seconds is None:
        return "–"
    if seconds < 10:
        return f"{number(seconds, 2)}{NARROW}s"
    left = round(seconds / 60) * 60 if seconds >= 7200 else round(seconds)
    parts: list[str] = []
    units = (("d", 86400), ("h", 3600), ("min", 60), ("s", 1))
    first = next(i for i, (_, length) in enumerate(units) if left >= length)
    for unit, length in units[first : first + 2]:
        amount, left = divmod(left, length)
        if amount:
            parts.append(f"{amount}{NARROW}{unit}")
    return " ".join(parts)


def _time(value: Any) -> datetime | None:
    """A datetime, ISO text or seconds since 1970, in UTC; None outside the years 1 to 9999, which a file may claim."""
    try:
        if isinstance(value, (datetime, str)):
            return (datetime.fromisoformat(value) if isinstance(value, str) else value).astimezone(UTC)
        return datetime.fromtimestamp(value, UTC)
    except (ValueError, OverflowError, OSError):
        return None


def _day(time: datetime | None) -> str:
    return f"{time.day} {time:%b} {time.year}" if time else "a year beyond the calendar"


def _minute(time: datetime | None) -> str:
    return f"{_day(time)}, {time:%H:%M}" if time else _day(time)


@register.filter
def moment(value: Any) -> str:
    """3 Feb 2008, 08:42 UTC, of seconds since 1970, ISO text or a datetime"""
    return "" if value is None else f"{_minute(_time(value))} UTC"


@register.filter
def day(value: Any) -> str:
    """3 Feb 2008"""
    return "" if value is None else _day(_time(value))


@register.simple_tag
def span(start: Any, end: Any) -> str:
    """2 Feb 2008, 13:33 to 4 Feb 2008, 11:20 UTC"""
    if start is None or end is None:
        return "no times"
    first, last = _time(start), _time(end)
    if first and last and first.date() == last.date():
        return f"{_minute(first)} to {last:%H:%M} UTC"
    return f"{_minute(first)} to {_minute(last)} UTC"


@register.simple_tag
def days(start: Any, end: Any) -> str:
    """2 to 4 Feb 2008; 3 Feb 2008; 30 Jan to 2 Feb 2008"""
    if start is None or end is None:
        return "no times"
    first, last = _time(start), _time(end)
    if first and last and first.date() == last.date():
        return _day(first)
    if not first or not last or first.year != last.year:
        return f"{_day(first)} to {_day(last)}"
    return f"{first.day}{'' if first.month == last.month else f' {first:%b}'} to {_day(last)}"


@register.simple_tag
def swatch(name: str, style: LineStyle | None = None) -> SafeString:
    """A mechanism's line as the map and the charts draw it, or that of ``style``; the original's without either."""
    drawn = '<svg class="swatch" viewBox="0 0 30 14" aria-hidden="true"><path d="M0 7h30"{}/></svg>'
    return format_html(drawn, stroke(name, style))


def stroke(name: str, style: LineStyle | None = None) -> SafeString:
    """Colour and dash of a mechanism's line, or of ``style``, as attributes of a path; none without either."""
    own = style or next((palette(cls.kind)[name] for cls in mechanisms if cls.registered_name() == name), None)
    if own is None:
        return SafeString("")
    return format_html(' {} stroke-dasharray="{}"', fill(own, "stroke"), own["dash"] or "none")


@register.simple_tag
def fill(style: LineStyle, attribute: str = "fill") -> SafeString:
    """The colour of ``style`` as an attribute of a path."""
    colour = style["colour"]
    text = colour if isinstance(colour, str) else f"light-dark({colour['light']}, {colour['dark']})"
    return format_html('{}="{}"', attribute, f"var({text})" if text.startswith("--") else text)


@register.simple_tag
def icon(name: str) -> SafeString:
    """One of a few drawings, 16 by 16, in the colour of the text; decoration beside text."""
    return format_html('<svg class="icon" viewBox="0 0 16 16" aria-hidden="true"><path d="{}"/></svg>', ICONS[name])


@register.filter
def value(mapping: Any, key: str) -> Any:
    """The value under a key, or nothing."""
    return mapping.get(key) or ""


@register.simple_tag
def takes(landmark_sets: int, releases: int, experiments: int) -> str:
    """What goes with a dataset: its events, 1 landmark set and 3 releases."""
    parts_of = ((landmark_sets, "landmark set"), (releases, "release"), (experiments, "experiment"))
    parts = ["its events", *(plurals.quantity(n, noun) for n, noun in parts_of if n)]
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)
