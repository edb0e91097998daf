"""What every result of an analysis has in common."""

from pydantic import BaseModel, ConfigDict

from privacy_engine.core.arrays import Floats

Curve = list[float | None]
"""One value for each event shown; null where there is none."""


class Result(BaseModel):
    """A result as plain numbers, lists and text: what the API returns, without NaN."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        defer_build=True,
        use_attribute_docstrings=True,
        json_schema_serialization_defaults_required=True,
    )


def listed(values: Floats) -> Curve:
    """Return an array as a list, with None for NaN."""
    return [None if value != value else value for value in values.tolist()]
