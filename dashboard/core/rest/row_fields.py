"""Fields of what a row shows of itself: its addresses, and objects of its JSON columns."""

from functools import cache
from typing import Any

from django.urls import reverse
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers


class UrlsField(serializers.Field[Any, Any, Any, Any]):
    """Addresses of a row by their names: its own, those in the API below it, and that of its page.

    ``resource`` is what the names of its API views begin with; those of views below it are ``{resource}-{name}``.
    """

    def __init__(self, resource: str, *names: str, description: str = "Where to go from here.") -> None:
        super().__init__(source="*", read_only=True)
        self.views = {"self": f"api:{resource}-detail"} | {name: f"api:{resource}-{name}" for name in names}
        extend_schema_field(_urls_serializer(resource, (*self.views, "page"), description))(self)

    def to_representation(self, value: Any) -> dict[str, str]:
        return {name: reverse(view, args=[value.pk]) for name, view in self.views.items()} | {"page": value.page_url}


@cache
def _urls_serializer(resource: str, names: tuple[str, ...], description: str) -> type[serializers.Serializer[Any]]:
    component = f"{resource.title().replace('-', '')}Urls"
    fields = {name: serializers.CharField() for name in names}
    return type(component, (serializers.Serializer,), {"__doc__": description, **fields})


class ObjectField(serializers.DictField):
    """An object of a row with anything in it, for reading."""

    def __init__(self, **options: Any) -> None:
        super().__init__(read_only=True, **options)


@extend_schema_field({"type": "object", "nullable": True})
class ObjectOrNullField(serializers.ReadOnlyField):
    """An object of a row as it is stored, or null."""
