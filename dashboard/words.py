"""What commands are told on their line: NAME=VALUE, and numbers where they are numbers."""

from __future__ import annotations

import re
from typing import Any

from privacy_engine.errors import ParameterError

_WHOLE = re.compile(r"[+-]?[0-9]{1,400}", re.ASCII)
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,4})?", re.ASCII)


def pairs(items: list[str], option: str) -> dict[str, str]:
    """The NAME=VALUE words of ``option`` by their names; ParameterError where one is none or a name comes twice."""
    found: dict[str, str] = {}
    for item in items:
        name, equals, value = item.partition("=")
        if not equals or not name.isidentifier() or name in found:
            rule = "NAME=VALUE, each name once"
            raise ParameterError(f"{option} must be {rule}, got {item!r:.60}", field=option, rule=rule, value=item)
        found[name] = value
    return found


def value_of(text: str) -> Any:
    """A number where it is one in ASCII; anything else stays text, for the parameter's own rule to judge."""
    if _WHOLE.fullmatch(text):
        return int(text)
    return float(text) if _NUMBER.fullmatch(text) else text
