"""Attacks in the API."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from dashboard.attacks import files
from dashboard.attacks.models import Attack
from dashboard.core.rest.components import DescriptionField
from dashboard.core.rest.parsing import Whole
from dashboard.core.rest.row_fields import ObjectField, UrlsField
from dashboard.jobs.serializers import JobRowSerializer
from privacy_engine.attacks import attacks


class AttackRequest(serializers.Serializer[Any]):
    """What to try, and on which release."""

    release = serializers.UUIDField()
    attack = DescriptionField(attacks, help_text="GET /api/v1/attack-methods/ lists them.")
    series = Whole(
        allow_null=True,
        default=None,
        help_text="Of which series, counted from 0; the first if none is named. Left out where all are read.",
    )


class HeadlineSerializer(serializers.Serializer[Any]):
    """One number of a result; null for none."""

    name = serializers.CharField()
    title = serializers.CharField()
    unit = serializers.CharField()
    summary = serializers.CharField()
    share = serializers.BooleanField(help_text="Whether it lies between 0 and 1.")
    value = serializers.FloatField(allow_null=True)


class ParameterSerializer(serializers.Serializer[Any]):
    """One parameter of an attack as text."""

    label = serializers.CharField()
    unit = serializers.CharField()
    value = serializers.FloatField()


class AttackSerializer(JobRowSerializer[Attack]):
    """An attack as the release's owner sees it: measured against the original, and not for publication."""

    release = serializers.UUIDField(source="release_id")
    dataset = serializers.UUIDField(source="release.dataset_id")
    attack = ObjectField()
    method = serializers.CharField(source="parsed.title", help_text="What the attack is called.")
    title = serializers.CharField(help_text="The attack and the release it is on.")
    parameters = serializers.SerializerMethodField()
    sentence = serializers.CharField(source="summary.sentence", default=None, allow_null=True, read_only=True)
    headlines = serializers.SerializerMethodField()
    assumes = serializers.ListField(child=serializers.CharField(), source="parsed.assumes", read_only=True)
    source = serializers.CharField(source="parsed.source", read_only=True)
    warning = serializers.SerializerMethodField()
    note = serializers.SerializerMethodField()
    urls = UrlsField("attack", "result", "data", "track")
    cairn = serializers.CharField(source="engine_version", help_text="The version of the engine that computed it.")

    class Meta:
        model = Attack
        fields = (
            *("id", "release", "dataset", "attack", "method", "title", "series", "parameters"),
            *("sentence", "headlines", "assumes", "source"),
            *("warning", "note", "state", "stage", "progress", "eta_s", "queue_position", "work_s"),
            *("attempt", "cancel_requested", "error", "created_at", "started_at", "finished_at", "cairn", "urls"),
        )

    @extend_schema_field(ParameterSerializer(many=True))
    def get_parameters(self, row: Attack) -> list[dict[str, Any]]:
        attack = row.parsed
        return [
            {name: field[name] for name in ("label", "unit")} | {"value": getattr(attack, field["name"])}
            for field in attack.fields()
        ]

    @extend_schema_field(HeadlineSerializer(many=True))
    def get_headlines(self, row: Attack) -> list[dict[str, Any]]:
        values = (row.summary or {}).get("headlines", {})
        measured = [figure for figure in row.parsed.headlines if figure.name in values]
        names = ("name", "title", "unit", "summary", "share")
        return [{name: getattr(figure, name) for name in names} | {"value": values[figure.name]} for figure in measured]

    def get_warning(self, row: Attack) -> str:
        return files.WARNING

    def get_note(self, row: Attack) -> str:
        return files.ILLUSTRATION


class PlaceSerializer(serializers.Serializer[Any]):
    """A place that was looked for; null where there is none, on the original or on the release."""

    title = serializers.CharField()
    lon = serializers.FloatField(allow_null=True)
    lat = serializers.FloatField(allow_null=True)
    found_lon = serializers.FloatField(allow_null=True)
    found_lat = serializers.FloatField(allow_null=True)
    distance_m = serializers.FloatField(allow_null=True)
    within = serializers.BooleanField()


class ShownSerializer(serializers.Serializer[Any]):
    """What a map shows of a result."""

    places = PlaceSerializer(many=True)
    path = serializers.BooleanField(help_text="Whether every event is guessed: then there is a track, and a CSV.")
