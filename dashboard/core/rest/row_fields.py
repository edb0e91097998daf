"""Fields of what a row shows of itself: its addresses, and objects of its JSON columns."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.urls import reverse
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers


@dataclass(frozen=True)
class Address:
    """An address of a row; with ``help_text`` it is null where ``of`` returns None."""

    of: Callable[[Any], str | None]
    help_text: str | None = None


PAGE = {"page": Address(lambda row: row.page_url)}


class UrlsField(serializers.Field[Any, Any, Any, Any]):
    """Addresses of a row by their names: its own, those in the API below it, and ``others``, such as that of its page.

    ``resource`` is what the names of its API views begin with; those of views below it are ``{resource}-{name}``.
    ``component`` is what the schema calls them.
    """

    def __init__(
        self,
        resource: str,
        *names: str,
        others: Mapping[str, Address] = PAGE,
        description: str | None = "Where to go from here.",
        component: str = "",
    ) -> None:
        super().__init__(source="*", read_only=True)
        self.views = {"self": f"api:{resource}-detail"} | {name: f"api:{resource}-{name}" for name in names}
        self.others = others
        helps = [(name, None) for name in self.views] + [(name, address.help_text) for name, address in others.items()]
        component = component or f"{resource.title().replace('-', '')}Urls"
        extend_schema_field(_urls_serializer(component, tuple(helps), description))(self)

    def to_representation(self, value: Any) -> dict[str, str | None]:
        own = {name: reverse(view, args=[value.pk]) for name, view in self.views.items()}
        return own | {name: address.of(value) for name, address in self.others.items()}


@cache
def _urls_serializer(
    component: str, helps: tuple[tuple[str, str | None], ...], description: str | None
) -> type[serializers.Serializer[Any]]:
    fields = {name: serializers.CharField(allow_null=text is not None, help_text=text) for name, text in helps}
    return type(component, (serializers.Serializer,), {"__doc__": description, **fields})


class ObjectField(serializers.DictField):
    """An object of a row with anything in it, for reading."""

    def __init__(self, **options: Any) -> None:
        super().__init__(read_only=True, **options)


@extend_schema_field({"type": "object", "nullable": True})
class ObjectOrNullField(serializers.ReadOnlyField):
    """An object of a row as it is stored, or null."""
