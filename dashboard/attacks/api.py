"""REST API of the attacks app. All of it reads originals: for their owner, and in no file of a release."""

from typing import Any

from django.http import HttpResponseBase
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from dashboard.attacks import files, services
from dashboard.attacks.models import Attack
from dashboard.core.errors import Conflict
from dashboard.core.rest.binary import binary_response
from dashboard.core.rest.components import DescriptionField
from dashboard.core.rest.operations import BINARY, CatalogView, operation, row_action
from dashboard.core.rest.parsing import RowField, Whole
from dashboard.core.rest.row_fields import ObjectField, UrlsField
from dashboard.jobs.serializers import JobRowSerializer
from dashboard.jobs.viewsets import Download, JobFilter, JobViewSet, download_action, finished
from dashboard.maps.line_simplification import MapView
from dashboard.maps.track_encoding import TrackQuery
from dashboard.releases.selectors import visible_releases
from privacy_engine.attacks import attacks


class AttackRequest(serializers.Serializer[Any]):
    """What to try, and on which release."""

    release = RowField(visible_releases)
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


class AttackFilter(JobFilter):
    """By release and state."""

    release = filters.UUIDFilter(field_name="release_id")


class AttackViewSet(JobViewSet[Attack]):
    """Attacks on releases: what an adversary makes of them, measured against the original."""

    serializer_class = AttackSerializer
    filterset_class = AttackFilter
    visible_to = staticmethod(services.visible_attacks)

    @operation(AttackRequest, AttackSerializer, status=(200, 201))
    def create(self, **params: Any) -> tuple[Attack, bool]:
        """Attack a finished release: a small attack now, a larger one by a worker; 200 and the one there is, if any."""
        return services.submit_attack(owner=self.request.user, **params)

    def retry_job(self, row: Attack) -> Attack:
        return services.retry_attack(attack=row)

    @row_action(returns=ShownSerializer, row=finished)
    def result(self, row: Attack) -> dict[str, Any]:
        """What a map shows of it: places that were looked for, and whether there is a path."""
        return files.shown(row)

    @download_action({name: media_type for name, (media_type, _) in files.FORMATS.items()}, default="json")
    def data(self, fmt: str) -> Download:
        """The result as JSON; as CSV of every event's guess and error where events are guessed. Do not publish it."""
        return files.export(self.finished_object(), fmt)

    @row_action(TrackQuery, BINARY, row=finished)
    def track(self, row: Attack, series: int, view: MapView | None) -> HttpResponseBase:
        """The guessed path, in full or simplified (dashboard/maps/track_encoding.py), series numbered by the attack."""
        if not files.shown(row)["path"]:
            rule = "an attack that guesses every event"
            raise Conflict("There is no path: this attack does not guess events.", field="attack", rule=rule)
        return binary_response(self.request, lambda: files.encoded(row, view), tag=row.data_sha256[:32])


class AttackMethodsView(CatalogView):
    """Attacks: parameters, what each adversary knows, what each comes to."""

    registry = attacks

    def facts(self, cls: Any) -> dict[str, Any]:
        facts = {"assumes": list(cls.assumes), "source": cls.source()}
        return facts | {"population": cls.population, "reads_draws": cls.reads_draws}
