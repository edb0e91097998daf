"""A registered description (a mechanism, a way to mark) as API field, listing, form fields, schema."""

from dataclasses import asdict
from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from dashboard.core.palette import palette
from privacy_engine.core.component import Component
from privacy_engine.landmarks import LandmarkMethod
from privacy_engine.mechanisms.base.mechanism import Mechanism
from privacy_engine.mechanisms.base.trajectory import TrajectoryMechanism
from privacy_engine.postprocess import PostProcess
from privacy_engine.registry import Registry


@extend_schema_field(OpenApiTypes.OBJECT)
class DescriptionField(serializers.JSONField):
    """``{name, …parameters}``: parsed by the registry, so that its rules and sentences are the engine's."""

    def __init__(self, registry: Registry[Any], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._registry = registry

    def to_internal_value(self, data: Any) -> Component:
        return self._registry.parse(data, field=self.field_name or "")

    def to_representation(self, value: Any) -> Any:
        return value.model_dump() if isinstance(value, Component) else value


SEED = {"type": "integer", "nullable": True, "minimum": 0, "maximum": 2**53 - 1}
"""A seed in the API's schema; the spec judges it."""


def listing(cls: type[Component]) -> dict[str, Any]:
    """One registered class as the API lists it."""
    entry: dict[str, Any] = {
        "name": cls.registered_name(),
        "title": cls.title,
        "summary": cls.summary,
        "kind": cls.kind,
        "needs": cls.needs(),
        "schema": cls.model_json_schema(),
        "fields": cls.fields(),
        "documentation": cls.documentation(),
        "package": None if cls.origin is None else asdict(cls.origin) | {"reviewed": False},
    }
    if issubclass(cls, Mechanism):
        entry |= {
            "level": cls.level,
            "publishable": cls.publishable,
            "guarantee": {
                "statement": cls.statement(),
                "assumptions": list(cls.assumptions),
                "caveats": list(cls.caveats),
            },
            **palette(cls.kind)[cls.registered_name()],
        }
    if issubclass(cls, TrajectoryMechanism):
        entry |= {"reads_landmarks": cls.reads_landmarks, "most_events": cls.most_events, "exposes": cls.exposes}
    if issubclass(cls, LandmarkMethod):
        entry |= {"reads": cls.reads, "coverage": cls.coverage()}
    if issubclass(cls, PostProcess):
        entry |= {"short": cls.legend(), "causal": cls.causal}
    return entry
