"""Steps of cleaning and of post-processing written in short, as command lines and notebooks take them."""

import re
from collections.abc import Iterable
from typing import Any

from privacy_engine.core.component import Component
from privacy_engine.errors import ParameterError

_WHOLE = re.compile(r"[+-]?[0-9]{1,400}", re.ASCII)
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,4})?", re.ASCII)


def value_of(text: str) -> Any:
    """A number where it is written as such in ASCII; anything else stays text, for the parameter's own rule to judge.

    >>> value_of("200"), value_of("1e-3"), value_of("seed")
    (200, 0.001, 'seed')
    """
    if _WHOLE.fullmatch(text):
        return int(text)
    return float(text) if _NUMBER.fullmatch(text) else text


def short_forms(steps: Iterable[type[Component]]) -> list[str]:
    """The short form of every step: ou-smoother, causal-filter:STEP_VARIANCE_M2."""
    return [":".join([cls.registered_name(), *(field["name"].upper() for field in cls.fields())]) for cls in steps]


def parse_short_step(text: str, steps: Iterable[type[Component]], *, option: str) -> dict[str, Any]:
    """The description of a step in short: its name and, in their order, its parameters; the last may be left out.

    Others with a default may be empty. If the last is text, it takes the rest: only-hours:UTC:::mon-fri:08:00-18:00.

    Raises
    ------
    ParameterError
        About ``option``: there is no such step, or it has fewer parameters.
    """
    name = text.partition(":")[0]
    cls = next((step for step in steps if step.registered_name() == name), None)
    fields = cls.fields() if cls else []
    values = text.split(":", len(fields) if fields and fields[-1]["text"] else -1)[1:]
    if cls is None or len(values) > len(fields):
        rule = f"one of {', '.join(short_forms(steps))}"
        field = option.removeprefix("--")
        raise ParameterError(f"{option} must be {rule}, got {text!r:.60}", field=field, rule=rule, value=text)
    given = zip(fields, values, strict=False)
    return {"name": name} | {
        field["name"]: value if field["text"] else value_of(value) for field, value in given if value
    }
