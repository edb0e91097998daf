"""Which datasets a list shows, and in which order: of the API and of the page."""

from typing import Any

from django.core.exceptions import ValidationError
from django.db.models import Q, QuerySet
from django_filters import rest_framework as filters
from django_filters.fields import BaseCSVField

from dashboard.datasets.models import Dataset


class _Columns(BaseCSVField):
    """Columns between commas. Without any, as in ",", a list would be sorted by nothing."""

    def clean(self, value: Any) -> Any:
        if value and "" in value:
            raise ValidationError("must have a column before and after each comma", code="invalid")
        return super().clean(value)


class _Order(filters.OrderingFilter):
    base_field_class = _Columns


class DatasetFilter(filters.FilterSet):
    """By state, kind, tag, project and part of the name; ``search`` also looks at names of files and at tags."""

    name = filters.CharFilter(lookup_expr="icontains")
    search = filters.CharFilter(method="searched", help_text="Part of the name, of the file's name or of a tag.")
    tag = filters.CharFilter(method="tagged", help_text="One whole tag.")
    project = filters.UUIDFilter(field_name="project_id", help_text="In this project.")
    ordering = _Order(fields=("created_at", "name", "points", "state"))

    class Meta:
        model = Dataset
        fields = ("state", "kind", "name")

    def searched(self, rows: QuerySet[Dataset], _: str, value: str) -> QuerySet[Dataset]:
        """Every part of the search text must be found somewhere."""
        for part in value.split():
            rows = rows.filter(Q(name__icontains=part) | Q(file_name__icontains=part) | Q(stored_tags__icontains=part))
        return rows

    def tagged(self, rows: QuerySet[Dataset], _: str, value: str) -> QuerySet[Dataset]:
        """The tag itself, not part of one."""
        return rows.filter(stored_tags__contains=f",{value},")
