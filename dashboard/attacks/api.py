"""REST API of the attacks app. All of it reads originals: for their owner, and in no file of a release."""

from typing import Any

from django.http import HttpResponseBase
from django.shortcuts import get_object_or_404
from django_filters import rest_framework as filters
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from dashboard.attacks import files, selectors, services
from dashboard.attacks.models import Attack
from dashboard.attacks.serializers import AttackRequest, AttackSerializer, ShownSerializer
from dashboard.core.errors import Conflict
from dashboard.core.rest.binary import CONTENT_TYPE
from dashboard.core.rest.components import listing
from dashboard.core.rest.parsing import UNKEPT, AnyAccept, valid
from dashboard.core.rest.views import PublicFacts
from dashboard.jobs.viewsets import Download, JobFilter, JobViewSet, download_action
from dashboard.maps import track_encoding as binary
from dashboard.releases.selectors import visible_releases
from privacy_engine.attacks import attacks


class AttackFilter(JobFilter):
    """By release and state."""

    release = filters.UUIDFilter(field_name="release_id")


class AttackViewSet(JobViewSet[Attack]):
    """Attacks on releases: what an adversary makes of them, measured against the original."""

    serializer_class = AttackSerializer
    filterset_class = AttackFilter
    queryset = Attack.objects.none()
    visible_to = staticmethod(selectors.visible_attacks)

    @extend_schema(request=AttackRequest, responses={200: AttackSerializer, 201: AttackSerializer})
    def create(self, request: Request) -> Response:
        """Attack a finished release: a small attack now, a larger one by a worker; 200 and the one there is, if any."""
        params = valid(AttackRequest, request.data)
        params["release"] = get_object_or_404(visible_releases(request.user), pk=params["release"])
        row, new = services.submit_attack(owner=request.user, **params)
        return Response(self.get_serializer(row).data, status=201 if new else 200)

    def retry_job(self, row: Attack) -> Attack:
        return services.retry_attack(attack=row)

    @extend_schema(responses={200: ShownSerializer}, filters=False)
    @action(detail=True)
    def result(self, request: Request, pk: Any = None) -> Response:
        """What a map shows of it: places that were looked for, and whether there is a path."""
        return Response(files.shown(self.finished_object()), headers=UNKEPT)

    @download_action({name: media_type for name, (media_type, _) in files.FORMATS.items()}, default="json")
    def data(self, fmt: str) -> Download:
        """The result as JSON; as CSV of every event's guess and error where events are guessed. Do not publish it."""
        return files.export(self.finished_object(), fmt)

    @extend_schema(parameters=[binary.TrackQuery], responses={(200, CONTENT_TYPE): OpenApiTypes.BINARY}, filters=False)
    @action(detail=True, content_negotiation_class=AnyAccept)
    def track(self, request: Request, pk: Any = None) -> HttpResponseBase:
        """The guessed path, in full or simplified (dashboard/maps/track_encoding.py), series numbered by the attack."""
        row = self.finished_object()
        if not files.shown(row)["path"]:
            rule = "an attack that guesses every event"
            raise Conflict("There is no path: this attack does not guess events.", field="attack", rule=rule)
        return binary.answer_line(request, lambda view: files.encoded(row, view), tag=row.data_sha256[:32])


class AttackMethodsView(PublicFacts):
    """Attacks: parameters, what each adversary knows, what each comes to."""

    @extend_schema(responses={200: OpenApiTypes.OBJECT})
    def get(self, request: Request) -> Response:
        return Response({"results": [listing(cls) | _facts(cls) for cls in attacks]})


def _facts(cls: Any) -> dict[str, Any]:
    facts = {"assumes": list(cls.assumes), "source": cls.source()}
    return facts | {"population": cls.population, "reads_draws": cls.reads_draws}
