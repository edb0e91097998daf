"""Lists of what is registered, of one kind of data or of every kind."""

from typing import Any

from drf_spectacular.types import OpenApiTypes
from rest_framework import serializers

from dashboard.core.rest.operations import CatalogView, operation
from dashboard.datasets.models import Kind


class KindQuery(serializers.Serializer[Any]):
    """The kind of data that what is listed is for."""

    kind = serializers.ChoiceField(choices=Kind.choices, required=False, help_text="Left out: of every kind.")


class CatalogByKindView(CatalogView):
    """As :class:`CatalogView`, of a registry that is divided by kinds."""

    @operation(KindQuery, OpenApiTypes.OBJECT, method="GET")
    def get(self, kind: str | None = None) -> dict[str, Any]:
        return {"results": self.listed(self.registry.of(kind) if kind else self.registry)}
