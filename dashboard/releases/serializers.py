"""Releases in the API."""

from collections.abc import Callable
from typing import Any, get_args
from urllib.parse import urlencode

from django.urls import reverse
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from dashboard.core.errors import must_be
from dashboard.core.rest.components import SEED, DescriptionField
from dashboard.core.rest.parsing import Anything, RowField
from dashboard.core.rest.row_fields import ObjectField
from dashboard.datasets.selectors import visible_datasets
from dashboard.jobs.serializers import JobRowSerializer
from dashboard.landmarks.selectors import visible_landmark_sets
from dashboard.releases import downloads
from dashboard.releases.common.actions import actions
from dashboard.releases.models import Release
from privacy_engine.analysis.utility_verdict import UtilityName
from privacy_engine.analysis.verdict import VerdictName
from privacy_engine.mechanisms import landmark  # noqa: F401  (registers the mechanisms)
from privacy_engine.mechanisms.base.mechanism import mechanisms
from privacy_engine.registry import MAX_STEPS, parse_each
from privacy_engine.releases.spec import ReleaseSpec, parse_steps

VERDICTS, UTILITIES = list(get_args(VerdictName)), list(get_args(UtilityName))
BOX_FROM_DATA = (
    "Of check-ins, and only of these: the box or the number of cells was chosen with knowledge of them. The label then "
    "lists both as not covered."
)
OBJECTS = {"type": "array", "items": {"type": "object"}}
MAX_COMPARED = 20


STEPS = OBJECTS | {"maxItems": MAX_STEPS}
"""Post-processing steps in their order, each ``{name, …parameters}``; GET /api/v1/postprocesses/ lists them."""


@extend_schema_field(OBJECTS | {"minItems": 1, "maxItems": MAX_COMPARED})
class ComparedField(Anything):
    """What is compared, each with its parameters: ``parse`` takes one and its name, ``mechanisms.0`` in errors."""

    def __init__(self, parse: Callable[..., Any] = mechanisms.parse, **options: Any) -> None:
        super().__init__(**options)
        self.parse = parse

    def to_internal_value(self, data: Any) -> list[Any]:
        name = self.field_name or ""
        if not isinstance(data, list) or not 1 <= len(data) <= MAX_COMPARED:
            raise must_be(name, f"a list of 1 to {MAX_COMPARED} {name}", data, got=False)
        return parse_each(data, name, self.parse)


class ReleaseRequest(serializers.Serializer[Any]):
    """What to draw, and from what."""

    dataset = RowField(visible_datasets)
    landmark_set = RowField(
        visible_landmark_sets,
        required=False,
        allow_null=True,
        default=None,
        help_text="Of trajectories, and only of these; required where the mechanism reads landmarks.",
    )
    mechanism = DescriptionField(mechanisms)
    seed = Anything(
        SEED,
        required=False,
        allow_null=True,
        default=None,
        help_text="Makes the run repeatable, and so never private: such a release has no guarantee.",
    )
    postprocess = Anything(STEPS, required=False, default=list, help_text="Steps over the release; they cost nothing.")
    box_from_data = serializers.BooleanField(required=False, default=False, help_text=BOX_FROM_DATA)
    name = serializers.CharField(max_length=200, required=False, allow_blank=True, default="")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        described = ("mechanism", "seed", "postprocess", "box_from_data")
        attrs["spec"] = ReleaseSpec.parse({name: attrs.pop(name) for name in described})
        return attrs


class DeriveRequest(serializers.Serializer[Any]):
    """Steps over a finished release, and what to call the one they make."""

    postprocess = Anything(STEPS)
    name = serializers.CharField(max_length=200, required=False, allow_blank=True, default="")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        attrs["steps"] = parse_steps(attrs.pop("postprocess"))
        return attrs


class SourceSerializer(serializers.Serializer[Any]):
    """The release it was made from; it is named also when it is discarded, and ``derived_from`` is null then."""

    release = serializers.UUIDField()
    sha256 = serializers.CharField()


class ReleaseUrls(serializers.Serializer[Any]):
    """Where to go from here."""

    self = serializers.CharField()
    data = serializers.CharField()
    bundle = serializers.CharField()
    notebook = serializers.CharField(help_text="A Jupyter notebook that opens the CSV export beside it.")
    publications = serializers.CharField(help_text="Its public links; POST makes one.")
    page = serializers.CharField()
    publish = serializers.CharField(
        allow_null=True, help_text="The page that makes a public link; null for a seeded simulation."
    )
    report = serializers.CharField()
    explain = serializers.CharField(help_text="The page that explains it to readers without mathematics.")

    def get_fields(self) -> dict[str, Any]:
        """With the addresses of every kind."""
        named = {name: text for action in actions.values() for name, text in action.endpoints.items()}
        return super().get_fields() | {
            _key(name): serializers.CharField(required=False, help_text=text or None) for name, text in named.items()
        }


def _key(endpoint: str) -> str:
    return endpoint.replace("-", "_")


class ReleaseSerializer(JobRowSerializer[Release]):
    """A release as its owner sees it.

    ``owner_view`` was measured against the original, and ``verdict`` compares it with the original's own scale: neither
    is for publication.
    """

    dataset = serializers.UUIDField(source="dataset_id")
    landmark_set = serializers.UUIDField(source="landmark_set_id", allow_null=True)
    mechanism = ObjectField(source="spec.mechanism")
    postprocess = serializers.SerializerMethodField()
    seed = serializers.IntegerField(source="spec.seed", allow_null=True, read_only=True)
    box_from_data = serializers.BooleanField(source="parsed_spec.box_from_data", help_text=BOX_FROM_DATA)
    derived_from = serializers.UUIDField(source="derived_from_id", allow_null=True)
    source = SourceSerializer(allow_null=True, read_only=True)
    points = serializers.IntegerField(source="dataset.points")
    verdict = serializers.SerializerMethodField()
    guarantee = serializers.SerializerMethodField()
    label = serializers.SerializerMethodField()
    urls = serializers.SerializerMethodField()

    _labelled: tuple[Release, dict[str, Any]] | None = None

    class Meta:
        model = Release
        fields = (
            *("id", "dataset", "kind", "landmark_set", "name", "title", "mechanism", "postprocess", "seed"),
            "box_from_data",
            *("derived_from", "source", "state", "stage", "progress", "eta_s", "queue_position"),
            *("attempt", "cancel_requested", "error", "created_at", "started_at", "finished_at", "points"),
            *("summary", "owner_view", "verdict", "guarantee", "label", "urls"),
        )

    @extend_schema_field(OBJECTS)
    def get_postprocess(self, row: Release) -> list[dict[str, Any]]:
        return list(row.spec.get("postprocess", ()))

    @extend_schema_field({"type": "object", "nullable": True})
    def get_verdict(self, row: Release) -> dict[str, Any] | None:
        verdict = row.verdict
        return None if verdict is None else verdict.model_dump()

    @extend_schema_field({"type": "object", "nullable": True})
    def get_guarantee(self, row: Release) -> dict[str, Any] | None:
        return self._label(row)["guarantee"]

    def get_label(self, row: Release) -> str:
        return str(self._label(row)["text"])

    def _label(self, row: Release) -> dict[str, Any]:
        """The label of ``row``, made once for all fields that show a part of it."""
        if self._labelled is None or self._labelled[0] is not row:
            self._labelled = (row, downloads.label(row))
        return self._labelled[1]

    @extend_schema_field(ReleaseUrls)
    def get_urls(self, row: Release) -> dict[str, str | None]:
        page = reverse("releases:compare", args=[row.dataset_id])
        of_set = {"landmark_set": row.landmark_set_id} if row.landmark_set_id else {}
        query = urlencode({**of_set, "release": row.pk})
        names = ("data", *actions[row.kind].endpoints, "bundle", "notebook", "publications")
        return {
            "self": reverse("api:release-detail", args=[row.pk]),
            **{_key(name): reverse(f"api:release-{name}", args=[row.pk]) for name in names},
            "page": f"{page}?{query}",
            "report": reverse("releases:report", args=[row.pk]),
            "explain": reverse("releases:explain", args=[row.pk]),
            "publish": None if row.seeded else reverse("publications:new", args=[row.pk]),
        }
