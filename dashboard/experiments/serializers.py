"""Experiments in the API."""

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from dashboard.core.rest.components import DescriptionField
from dashboard.core.rest.parsing import Anything
from dashboard.core.rest.row_fields import ObjectField, ObjectOrNullField, UrlsField
from dashboard.experiments.models import Experiment
from dashboard.jobs.serializers import JobRowSerializer
from dashboard.projects.serializers import PROJECT_HELP
from privacy_engine.experiments import ExperimentSpec, presets


@extend_schema_field(OpenApiTypes.OBJECT)
class SpecField(Anything):
    """``{kind, base, grid, repetitions, seed, metrics, common, series}``; docs/decisions/0013 and 0030 describe it."""


class ExperimentRequest(serializers.Serializer[Any]):
    """What to try, and on what."""

    dataset = serializers.UUIDField(allow_null=True, default=None)
    preset = DescriptionField(
        presets,
        allow_null=True,
        default=None,
        help_text="Describes the series where the spec does not: its part of the dataset, or without one what it "
        "generates. Without a spec it is the experiment too. GET /api/v1/experiment-presets/ lists them.",
    )
    spec = SpecField(allow_null=True, default=None)
    name = serializers.CharField(
        max_length=200, allow_blank=True, default="", help_text="If empty, one is made of what differs."
    )
    title = serializers.CharField(
        max_length=100,
        allow_blank=True,
        default="",
        help_text="What such a name begins with, as that of a preset, in place of mechanisms and levels.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs["spec"] is not None:
            attrs["spec"] = ExperimentSpec.parse(attrs["spec"])
        return attrs


class PlanSerializer(serializers.Serializer[Any]):
    """What an experiment would come to."""

    spec = SpecField()
    name = serializers.CharField(help_text="What it is called where no name is given.")
    cells = serializers.IntegerField(help_text="Different combinations; each is repeated.")
    repetitions = serializers.IntegerField()
    events = serializers.IntegerField(help_text="Events, counts or check-ins that cells are run on.")
    size_text = serializers.CharField(help_text="The same with their noun.")
    work_s = serializers.FloatField(help_text="About how long it takes on one core.")
    at_once = serializers.BooleanField(help_text="Whether it is run in the request; otherwise workers share it.")
    parts = serializers.IntegerField(help_text="About how many parts workers take it in; 0 where they need not.")
    summary = serializers.DictField(
        child=serializers.CharField(), help_text="A line for data, mechanisms, sweep and measures each."
    )
    ahead = serializers.IntegerField(help_text="Experiments that wait now; those with more parts to come included.")
    workers = serializers.IntegerField(help_text="How many workers answer.")
    figure = serializers.JSONField(help_text="Axes and measures, as in the results.")


class ExperimentChangeRequest(serializers.Serializer[Any]):
    """What to call it, the tags to group it by, and the project it is in."""

    name = serializers.CharField(max_length=200, allow_blank=True, trim_whitespace=False, required=False)
    tags = serializers.ListField(child=serializers.CharField(), required=False)
    project = serializers.UUIDField(required=False, allow_null=True, help_text=PROJECT_HELP)


class ExperimentSerializer(JobRowSerializer[Experiment]):
    """An experiment as its owner sees it. Seeded simulations against the original: never private, never published."""

    dataset = serializers.UUIDField(source="dataset_id", allow_null=True)
    project = serializers.UUIDField(source="project_id", allow_null=True)
    preset = ObjectOrNullField()
    tags = serializers.ListField(child=serializers.CharField(), read_only=True)
    spec = ObjectField()
    kind = serializers.CharField(help_text="The kind of data.")
    urls = UrlsField("experiment", "results", "table")
    cairn = serializers.CharField(source="engine_version", help_text="The version of the engine that computed it.")

    class Meta:
        model = Experiment
        fields = (
            *("id", "name", "kind", "dataset", "project", "data_title", "preset", "spec", "spec_digest", "data_digest"),
            *("events", "tags"),
            *("state", "stage", "progress", "eta_s", "queue_position", "work_s", "error"),
            *("created_at", "started_at", "finished_at", "table_sha256", "cairn", "urls"),
        )


class ResultsSerializer(serializers.Serializer[Any]):
    """Charts' worth of an experiment; what is not computed yet is null."""

    axes = serializers.ListField(child=serializers.JSONField())
    along = serializers.IntegerField(allow_null=True, help_text="The axis that lies horizontally.")
    marked = serializers.BooleanField(help_text="Whether the measured share of marked events lies horizontally.")
    shares = serializers.BooleanField(help_text="Whether points have a share of marked events: those of trajectories.")
    measures = serializers.ListField(child=serializers.JSONField())
    band = serializers.ListField(child=serializers.FloatField(), help_text="The quantiles low and high are.")
    level = serializers.JSONField(
        allow_null=True,
        help_text="{reference_m, axis, radii}: the radius that charts state levels at; the radii in metres of the "
        "values of an axis, or of all cells where axis is null. Null where no release has a radius.",
    )
    points = serializers.ListField(child=serializers.JSONField(), help_text="{at, cell, share, values} in grid order.")
