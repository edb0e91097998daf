"""How a release is made again: request, command, configuration. What is the owner's is a blank."""

import json
import shlex
from collections.abc import Sequence
from typing import Any

from dashboard.releases.models import Release

BLANKS = {"dataset": "DATASET", "landmark_set": "LANDMARK-SET"}


def configuration(rows: Sequence[Release]) -> str:
    """The descriptions as a file that the form loads, and whose parts the API takes."""
    return json.dumps({"releases": [row.parsed_spec.model_dump() for row in rows]}, indent=2, ensure_ascii=False) + "\n"


def brief(rows: Sequence[Release]) -> str:
    """The same with a line for each release, for paper."""
    lines = [f"  {json.dumps(row.parsed_spec.model_dump(), ensure_ascii=False)}" for row in rows]
    return "\n".join(['{"releases": [', ",\n".join(lines), "]}"])


def request(row: Release, ids: dict[str, str] | None = None) -> str:
    """The request to the API; without ``ids`` of dataset and landmark set it has blanks for them."""
    blanks = BLANKS if row.set_read else {"dataset": BLANKS["dataset"]}
    body = json.dumps((ids or blanks) | row.parsed_spec.model_dump(), ensure_ascii=False)
    return (
        'curl https://HOST/api/v1/releases/ -H "Authorization: Token TOKEN" \\\n'
        f'  -H "Content-Type: application/json" -d {shlex.quote(body)}'
    )


def command(row: Release) -> str:
    """The same over a file, without a server: ``manage.py release``, file and any landmarks left blank."""
    spec = row.parsed_spec
    options = [("--mechanism", spec.mechanism.name)]
    options += [("--set", f"{name}={_text(value)}") for name, value in _own(spec.mechanism.model_dump())]
    options += [("--then", ":".join([step.name, *_values(step.model_dump())])) for step in spec.postprocess]
    options += [("--seed", str(spec.seed))] if spec.seed is not None else []
    beside = " --box-from-data" if spec.box_from_data else ""
    beside += " --landmarks LANDMARKS" if row.set_read else ""
    parts = [f"manage.py release FILE{beside}", *(f"{option} {shlex.quote(to)}" for option, to in options)]
    return " \\\n  ".join([*parts, "--out release.csv"])


def _own(description: dict[str, Any]) -> list[tuple[str, Any]]:
    return [(name, value) for name, value in description.items() if name != "name" and value is not None]


def _values(description: dict[str, Any]) -> list[str]:
    """A step's parameters in their order, up to the last that is given."""
    return [_text(value) for _, value in _own(description)]


def _text(value: Any) -> str:
    return repr(value) if isinstance(value, float) else str(value)
