"""Datasets in the API."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from django.urls import reverse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from dashboard.core.rest.parsing import CSRF, Anything, FailureField
from dashboard.core.rest.row_fields import Address, UrlsField
from dashboard.datasets.models import Dataset, Kind
from dashboard.jobs.models import State
from dashboard.jobs.serializers import QueuePositionField
from dashboard.projects.serializers import PROJECT_HELP
from privacy_engine import formats
from privacy_engine.aggregation import AggregationSpec
from privacy_engine.aggregation.stays import StaySpec
from privacy_engine.cleaning import CleaningStep, parse_cleaning
from privacy_engine.core.params import Spec, param_of
from privacy_engine.errors import ParameterError
from privacy_engine.registry import MAX_STEPS

BOX_HELP = "West, south, east and north in degrees. Left out, it is taken from the data, which no promise covers."
KIND_HELP = (
    "What the file holds; detected by its columns where it is empty or left out. Check-ins may be in a ZIP archive "
    "with a list of their venues, which gives places names and positions."
)


class _SpecRequest(serializers.Serializer[Any]):
    """A spec of the engine, and what to call the dataset that is made of it. The engine checks all but the name."""

    spec_class: ClassVar[type[Spec]]
    name = serializers.CharField(max_length=200, allow_blank=True, default="")

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        helps = {name: param_of(info) for name, info in self.spec_class.model_fields.items()}
        engine = {
            name: Anything(OpenApiTypes.ANY, required=False, help_text=BOX_HELP if param is None else param.help)
            for name, param in helps.items()
        }
        return engine | super().get_fields()

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        if not isinstance(data, Mapping):
            raise ParameterError("the body must be an object", field="body", rule="object")
        own = super().to_internal_value({"name": data.get("name", "")})
        rest = {name: data[name] for name in data if name not in ("name", CSRF)}
        return {"spec": self.spec_class.parse(rest), "name": own["name"]}


class AggregationRequest(_SpecRequest):
    """How to count events, and what to call the dataset that is made."""

    spec_class = AggregationSpec


class StaysRequest(_SpecRequest):
    """What a stay is, and what to call the check-ins that are made of the stays."""

    spec_class = StaySpec


class ExpectedCountsSerializer(serializers.Serializer[Any]):
    """How large a count stream would be, and what its sensitivity protects."""

    rows = serializers.IntegerField()
    columns = serializers.IntegerField()
    cells = serializers.IntegerField()
    steps = serializers.IntegerField()
    events = serializers.IntegerField()
    people = serializers.IntegerField(help_text="How many people the events are of.")
    zero = serializers.FloatField(help_text="The share of counts that are 0.")
    outside = serializers.IntegerField(help_text="Events outside the box or the steps.")
    cut = serializers.IntegerField(help_text="Visits of cells beyond the most that are counted.")
    sensitivity = serializers.IntegerField()
    statement = serializers.CharField()
    not_covered = serializers.ListField(child=serializers.CharField())


class GeometrySerializer(serializers.Serializer[Any]):
    """Where the cells of a count stream are."""

    cells = serializers.ListField(
        child=serializers.ListField(child=serializers.FloatField(), min_length=4, max_length=4),
        help_text="West, south, east and north of each dimension in degrees, in their order.",
    )


class SeriesSerializer(serializers.Serializer[Any]):
    """One series: a user, a taxi, a track."""

    index = serializers.IntegerField()
    name = serializers.CharField()
    person = serializers.CharField(
        default="", help_text="Whose it is: series of one person share one budget; empty for the one without a name."
    )
    points = serializers.IntegerField()
    first_event = serializers.IntegerField(help_text="Number of its first event, counted over the whole dataset.")
    start = serializers.CharField(allow_null=True)
    end = serializers.CharField(allow_null=True)


class BudgetSerializer(serializers.Serializer[Any]):
    """What all releases of one content may leak together: a level within a radius."""

    epsilon = serializers.FloatField()
    radius_m = serializers.FloatField(required=False, help_text="Of trajectories, and only of these.")
    unit = serializers.CharField(required=False, help_text="Of check-ins: user or record.")


class SpentSerializer(serializers.Serializer[Any]):
    """What that event has spent which spent most, over the releases of all uploads that hold it: ε per kilometre."""

    per_km = serializers.FloatField()
    releases = serializers.IntegerField(help_text="By how many releases.")
    events = serializers.IntegerField(
        allow_null=True,
        help_text="How many events of the upload have spent so much; 0 where nothing was spent, null of an upload from "
        "before events were counted, whose file is gone.",
    )


class GuessSerializer(serializers.Serializer[Any]):
    """A reading option that was detected, not given."""

    what = serializers.CharField()
    value = serializers.JSONField(allow_null=True)
    message = serializers.CharField()
    option = serializers.CharField(help_text="The reading option that overrides it.")


class DecidedSerializer(serializers.Serializer[Any]):
    """What reading the file decided from its data; later readings of the same file use it."""

    options = serializers.DictField(help_text="Reading options with nothing left to detect, beside those given.")
    guesses = GuessSerializer(many=True)
    joins = serializers.ListField(
        child=serializers.CharField(), help_text="Codes of the report's notes on rows that depend on other rows."
    )


STATES = [State.QUEUED, State.RUNNING, State.READY, State.FAILED, State.CANCELLED]
DATASET_URLS = ("series", "track", "tracks", "steps", "preview", "lineage")
"""Resources of a dataset that its representation links, beside itself and its pages."""
PAGES = {
    "page": Address(lambda row: reverse("datasets:detail", args=[row.pk])),
    "import": Address(lambda row: reverse("datasets:import", args=[row.pk])),
}
URLS = UrlsField("dataset", *DATASET_URLS, others=PAGES, description=None)
dataset_urls = URLS.to_representation


class DatasetSerializer(serializers.ModelSerializer[Dataset]):
    """A dataset and the facts of its points."""

    state = serializers.ChoiceField(choices=STATES)
    project = serializers.UUIDField(source="project_id", allow_null=True, read_only=True)
    series_count = serializers.IntegerField(read_only=True, help_text="How many series it has: users, taxis, tracks.")
    people = serializers.IntegerField(
        source="summary.people", default=None, read_only=True, help_text="How many people the series are of."
    )
    has_time = serializers.BooleanField(read_only=True)
    has_landmark_column = serializers.BooleanField(read_only=True, help_text="The file marks landmarks itself.")
    bounds = serializers.ListField(
        child=serializers.FloatField(),
        source="summary.bounds",
        default=None,
        read_only=True,
        help_text="west, south, east, north in degrees; west > east where it crosses the antimeridian",
    )
    start = serializers.CharField(default=None, read_only=True)
    end = serializers.CharField(default=None, read_only=True)
    length_m = serializers.FloatField(source="summary.length_m", default=None, read_only=True)
    error = FailureField()
    budget = serializers.SerializerMethodField()
    spent = serializers.SerializerMethodField()
    sharing = serializers.SerializerMethodField()
    stability = serializers.IntegerField(
        read_only=True,
        help_text="The most events that one uploaded record decides: how many times a release's level is charged.",
    )
    decided = serializers.SerializerMethodField()
    counted_from = serializers.UUIDField(
        source="counted_from_id", allow_null=True, read_only=True, help_text="The dataset that it was made of."
    )
    counted = serializers.JSONField(
        source="summary.counted",
        default=None,
        read_only=True,
        help_text="How counts were made of events: unit, most cells, and the grid whose cells are the dimensions.",
    )
    tags = serializers.ListField(child=serializers.CharField(), read_only=True)
    queue_position = QueuePositionField()
    urls = URLS

    class Meta:
        model = Dataset
        fields: ClassVar[tuple[str, ...]] = (
            *("id", "name", "project", "kind", "state", "stage", "progress", "queue_position", "report", "error"),
            *("created_at", "points", "series_count", "people", "has_time", "has_landmark_column", "bounds", "start"),
            *("end", "length_m", "content_digest", "size_bytes", "file_name", "options", "decided", "cleaning"),
            *("sample", "tags", "budget", "spent", "sharing", "stability", "counted_from", "aggregation"),
            *("stay_detection", "counted", "urls"),
        )
        read_only_fields = fields

    @extend_schema_field(BudgetSerializer(allow_null=True))
    def get_budget(self, row: Any) -> dict[str, float] | None:
        if row.total_epsilon is None:
            return None
        radius = {} if row.total_radius_m is None else {"radius_m": row.total_radius_m}
        return {"epsilon": row.total_epsilon, **radius}

    @extend_schema_field(DecidedSerializer)
    def get_decided(self, row: Dataset) -> dict[str, Any]:
        return row.decisions.as_dict()

    @extend_schema_field(SpentSerializer)
    def get_spent(self, row: Any) -> dict[str, float | None]:
        events = row.spent_events if row.spent_micro else 0
        return {"per_km": (row.spent_micro or 0) / 1e6, "releases": row.spent_releases or 0, "events": events}

    @extend_schema_field(serializers.IntegerField(help_text="How many other uploads share its limit."))
    def get_sharing(self, row: Any) -> int:
        return row.sharing or 0


class DatasetRowSerializer(DatasetSerializer):
    """A dataset in a list: its report has its totals, and what reading it decided is left out."""

    report = serializers.SerializerMethodField()

    class Meta(DatasetSerializer.Meta):
        fields = tuple(name for name in DatasetSerializer.Meta.fields if name != "decided")

    @extend_schema_field({"type": "object", "nullable": True})
    def get_report(self, row: Dataset) -> dict[str, Any] | None:
        known = row.report and row.report.items()
        return known and {name: value for name, value in known if not isinstance(value, dict | list)}


def option_field(option: formats.Option, *, body: bool = True) -> serializers.Field[Any, Any, Any, Any]:
    """A reading option as a field of a ``body``, where it may be null, or of a query."""
    about: dict[str, Any] = {"required": False, "label": option.label, "help_text": option.help}
    about |= {"allow_null": True} if body else {}
    if option.kind == "integer":
        return serializers.IntegerField(min_value=1, **about)
    if option.kind == "choice" and option.choices:
        return serializers.ChoiceField(choices=option.choices, allow_blank=body, **about)
    return serializers.CharField(allow_blank=True, **about)


@extend_schema_field({"type": "array", "items": {"type": "object"}, "maxItems": MAX_STEPS})
class CleaningField(Anything):
    """Cleaning steps in their order, each ``{name, …parameters}``; GET /api/v1/cleaning-steps/ lists them.

    A form sends them as JSON text.
    """

    def to_internal_value(self, data: Any) -> Sequence[CleaningStep]:
        if isinstance(data, str):
            try:
                data = json.loads(data or "[]")
            except (ValueError, RecursionError):
                raise ParameterError("cleaning must be JSON text", field="cleaning", rule="JSON text") from None
        return parse_cleaning(data)


class ReadingOptionsSerializer(serializers.Serializer[Any]):
    """The reading options in an object; the engine checks them."""

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        return {name: option_field(option) for name, option in formats.options().items()}

    def to_internal_value(self, data: Any) -> Any:
        return data


class _Reading(serializers.Serializer[Any]):
    kind = serializers.ChoiceField(choices=Kind.choices, required=False, allow_blank=True, help_text=KIND_HELP)
    cleaning = CleaningField(required=False, help_text="Steps after reading, in their order.")


class OptionsSerializer(serializers.Serializer[Any]):
    """How to read a file, and how to clean what was read; the engine checks both."""

    declared: ClassVar[type[serializers.Serializer[Any]]] = _Reading
    """The fields that are no reading options."""

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        together = ReadingOptionsSerializer(required=False, help_text="Instead of each: all of them in an object.")
        return {**together.get_fields(), "options": together, **self.declared().get_fields()}

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        if not isinstance(data, Mapping):
            raise ParameterError("options must be an object", field="options", rule="object")
        own = self.declared(context=self.context)
        rest = {name: data[name] for name in data if name not in (*own.fields, CSRF)}
        options = rest["options"] if set(rest) == {"options"} else rest
        if not isinstance(options, Mapping):
            raise ParameterError("options must be an object", field="options", rule="object")
        return {"options": dict(options), **own.to_internal_value(data)}


class _Upload(_Reading):
    file = serializers.FileField(allow_empty_file=True, max_length=None, required=False)
    upload = serializers.UUIDField(required=False, help_text="A whole upload of /api/v1/uploads/, instead of a file.")
    sha256 = serializers.RegexField(
        r"\A[0-9a-fA-F]{64}\Z", required=False, help_text="Of the whole upload: refused if it differs."
    )
    name = serializers.CharField(required=False, allow_blank=True)
    keep = serializers.BooleanField(
        required=False,
        help_text="Keep a small file even if it cannot be read, as large ones are kept: it can be read in another way.",
    )


class UploadSerializer(OptionsSerializer):
    """A file, what to call it, and how to read it. Fields that are neither are reading options, known or refused."""

    declared = _Upload

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        return {name: field for name, field in super().get_fields().items() if name != "options"}

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        params = super().to_internal_value(data)
        if ("file" in params) == ("upload" in params):
            raise ParameterError("Send a file, or name a whole upload.", field="file", rule="file or upload")
        return params


class ChangeSerializer(serializers.Serializer[Any]):
    """What may be changed of a dataset: its name, its tags, its budget (null: none), its project (null: none)."""

    name = serializers.CharField(required=False)
    tags = serializers.ListField(child=serializers.CharField(), required=False)
    budget = Anything(BudgetSerializer, required=False, allow_null=True)  # the ledger checks it
    project = serializers.UUIDField(required=False, allow_null=True, help_text=PROJECT_HELP)
