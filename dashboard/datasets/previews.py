"""Previews of uploads in the API."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from dashboard.core.failures import explained
from dashboard.core.text import storable
from dashboard.datasets.kinds import Kind
from dashboard.datasets.serializers import KIND_HELP, option_field
from privacy_engine import formats
from privacy_engine.datatypes import datatypes

ELSEWHERE = {"series", "decided", "columns", "first"}
"""Parts of a report that a preview has in its own columns and rows, or not at all."""
NO_COLUMNS = "{} has no columns to choose from: the format fixes their roles."


class PreviewQuery(serializers.Serializer[Any]):
    """The reading options to try; the engine checks them."""

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        kind = serializers.ChoiceField(choices=Kind.choices, required=False, allow_blank=True, help_text=KIND_HELP)
        return {name: option_field(option, body=False) for name, option in formats.options().items()} | {"kind": kind}

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        return {"options": {name: data[name] for name in data if name != "kind"}, "kind": data.get("kind")}


class ColumnSerializer(serializers.Serializer[Any]):
    """A column of the table."""

    place = serializers.CharField(help_text="As the reading options name it: #1, #2 …")
    name = serializers.CharField(help_text="As the file names it, shortened.")
    role = serializers.CharField(
        help_text="What it is read as: time, lat, lon, id (the series), person (where that is another column) or "
        "landmark; clock and the other parts of a time, lat_sign and lon_sign go with another; end_time, end_lat and "
        "so on are of the end of a trip; geometry holds positions; empty: it is not read."
    )

    sentence = serializers.CharField(
        allow_blank=True, help_text="What it was read as, or what it resembles though it is not used."
    )
    resembles = serializers.CharField(
        allow_blank=True, help_text="What a column that is not used looks like: coordinate, time, person or empty."
    )


class RowSerializer(serializers.Serializer[Any]):
    """A row, raw and as read."""

    number = serializers.IntegerField(help_text="Its number as the report counts; 0 where it is not known.")
    cells = serializers.ListField(child=serializers.CharField(allow_blank=True), help_text="As text, shortened.")
    read = serializers.DictField(child=serializers.CharField(), help_text="What was read, by role.")
    left_out = serializers.CharField(allow_blank=True, help_text="Why nothing of it was read.")
    doubt = serializers.CharField(allow_blank=True, help_text="The warning of the report that it is an example of.")


class RoleSerializer(serializers.Serializer[Any]):
    """What a column may be read as."""

    name = serializers.CharField(help_text="The reading option that names the column.")
    label = serializers.CharField()
    needed = serializers.BooleanField(help_text="A table has no fewer columns of this role.")


class PreviewSerializer(serializers.Serializer[Any]):
    """The first rows of a file, and how they would be read."""

    format = serializers.CharField()
    kind = serializers.ChoiceField(choices=Kind.choices, help_text="The kind of data that it would be read as.")
    item = serializers.SerializerMethodField(help_text="What there is most of in that kind of data.")
    title = serializers.CharField(help_text="The name of the format as users write it.")
    member = serializers.CharField(help_text="Of an archive: the file in it that is shown.")
    says = serializers.SerializerMethodField(help_text="Why there are no columns, where there are none.")
    columns = ColumnSerializer(many=True)
    roles = RoleSerializer(many=True)
    more_columns = serializers.IntegerField(help_text="How many columns are not shown.")
    rows = RowSerializer(
        many=True, help_text="The first rows, and after them the first left out for each reason and a doubtful one."
    )
    whole = serializers.BooleanField(help_text="The report is of the whole file.")
    editable = serializers.BooleanField(help_text="Columns may be named by reading options in this format.")
    header = serializers.BooleanField(help_text="The names stand in the file.")
    delimiter = serializers.CharField()
    decimal = serializers.CharField()
    encoding = serializers.CharField()
    mapping = serializers.DictField(
        child=serializers.CharField(), help_text="The reading options that assign the columns, as it is now."
    )
    report = serializers.SerializerMethodField(
        help_text="As of a dataset: of the whole file where it was read with these options, else of its beginning."
    )
    problem = serializers.SerializerMethodField(help_text="The error that reading these rows ends with.")

    def get_item(self, preview: formats.Preview) -> str:
        return datatypes[preview.kind].item

    def get_says(self, preview: formats.Preview) -> str:
        return "" if preview.columns else NO_COLUMNS.format(preview.title)

    @extend_schema_field({"type": "object"})
    def get_report(self, preview: formats.Preview) -> dict[str, Any]:
        return {name: value for name, value in preview.report.items() if name not in ELSEWHERE}

    @extend_schema_field({"type": "object", "nullable": True})
    def get_problem(self, preview: formats.Preview) -> dict[str, Any] | None:
        return None if preview.problem is None else explained(storable(preview.problem.as_dict()))
