"""The properties of features that name their series and their person: detected as the columns of a table are."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from privacy_engine.core.progress import ROWS, reported
from privacy_engine.errors import FormatError
from privacy_engine.formats.column import canonical
from privacy_engine.formats.columns import ID, PERSON, kind_of
from privacy_engine.formats.moving_points import is_moving
from privacy_engine.formats.options import ReadOptions
from privacy_engine.formats.people import COLUMN, EITHER, SERIES, UNNAMED, Whose
from privacy_engine.formats.report import Report

_EACH_ITS_OWN = ("id", "name")
_VERBATIM = ("series", "person")  # of our own exports
_LONGEST = 200


@dataclass(frozen=True)
class Named:
    """The properties that name the series and the person, None where there are none, and whose the series are."""

    series: str | None = None
    person: str | None = None
    whose: Whose = UNNAMED

    def of(self, properties: dict[str, Any]) -> tuple[str, str]:
        """The name of a feature's series, and of its person where that has a property of its own."""
        return _value(properties, self.series), _value(properties, self.person)


def named(features: Sequence[Any], options: ReadOptions, report: Report) -> Named:
    """What names the series and the people of features.

    Raises
    ------
    FormatError
        No feature has the property that an option names.
    """
    keys = {key: None for properties in all_properties(features) for key in properties}
    by_plain: dict[str, str] = {}
    for key in keys:
        by_plain.setdefault(canonical(key), key)
    series = None if options.id == "#0" else _named("id", options.id, keys, by_plain, options)
    if options.id is None and not options.applied:
        series = next((by_plain[tag] for tag in ID if tag in by_plain and _names(by_plain[tag], tag, features)), None)
        if series is not None and canonical(series) != "series":
            report.guess("id column", series, f"Property {series[:40]!r} was read as the series.", "id")
    report.decide("id", "#0" if series is None else series)
    person = _named("person", options.person_column, keys, by_plain, options)
    if options.person is None and options.id != "#0" and (series is None or kind_of(series) != SERIES):
        person = next((by_plain[tag] for tag in PERSON if tag in by_plain and _usual(by_plain[tag], features)), None)
    if person is not None and person == series:
        return Named(series, None, Whose(SERIES, series))
    if person is not None:
        return Named(series, person, Whose(COLUMN, person))
    if series is None:
        return Named()
    points = map(_is_point, reported(features, ROWS))
    lines = canonical(series) == "name" and not any(points)  # a point's name may be a place's
    return Named(series, None, Whose(EITHER if lines else kind_of(series), series))


def all_properties(features: Sequence[Any]) -> Iterator[dict[str, Any]]:
    """The properties of the features that have any."""
    for feature in reported(features, ROWS):
        properties = feature.get("properties") if isinstance(feature, dict) else None
        if isinstance(properties, dict):
            yield properties


def _named(
    option: str, wanted: str | None, keys: dict[str, None], by_plain: dict[str, str], options: ReadOptions
) -> str | None:
    if wanted is None or options.applied:
        return wanted
    key = wanted if wanted in keys else by_plain.get(canonical(wanted))
    if key is None:
        raise FormatError(
            f"No feature has a property {wanted[:40]!r}.",
            code="unknown_column",
            field=option,
            rule="a property of the features",
            value=wanted,
        )
    return key


def _values(key: str, features: Sequence[Any]) -> list[str]:
    """The values of a property that are texts or whole numbers, in the order of the features."""
    return [value for properties in all_properties(features) if (value := _value(properties, key))]


def _usual(key: str, features: Sequence[Any]) -> bool:
    """Whether most features have the property: a property that few have does not describe the others.

    An empty name is a name where we wrote it ourselves.
    """
    having = sum(key in own for own in all_properties(features)) if key in _VERBATIM else len(_values(key, features))
    return 2 * having > len(features)


def _names(key: str, plain: str, features: Sequence[Any]) -> bool:
    """Whether a property can name series: a property called id or name does not if every point has another."""
    values = _values(key, features)
    if plain not in _EACH_ITS_OWN or len(values) < 2 or len(set(values)) < len(values):
        return _usual(key, features)
    return not all(_is_point(feature) for feature in reported(features, ROWS))


def _is_point(feature: Any) -> bool:
    if is_moving(feature):
        return False
    geometry = feature.get("geometry") if isinstance(feature, dict) else None
    return not isinstance(geometry, dict) or geometry.get("type") == "Point"


def _value(properties: dict[str, Any], key: str | None) -> str:
    """A property as a name: a text, or a whole number, or empty."""
    value = None if key is None else properties.get(key)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        return ""
    return str(value)[:_LONGEST] if key in _VERBATIM else str(value).strip()[:_LONGEST]
