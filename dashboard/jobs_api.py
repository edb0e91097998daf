"""What the owner waits for: queued and running datasets and releases, for the drawer in every page's header."""

from __future__ import annotations

from itertools import chain
from typing import Any

from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from dashboard.datasets.queries import waiting_datasets
from dashboard.jobs import State
from dashboard.releases.models import Release
from dashboard.releases.queries import visible_releases


class JobSerializer(serializers.Serializer[Any]):
    """One job."""

    kind = serializers.CharField(source="_meta.model_name", help_text="dataset or release")
    id = serializers.UUIDField(source="pk")
    title = serializers.SerializerMethodField()
    state = serializers.ChoiceField(choices=[State.QUEUED, State.RUNNING])
    stage = serializers.CharField()
    progress = serializers.FloatField()
    eta_s = serializers.FloatField(source="seconds_left", allow_null=True)
    urls = serializers.SerializerMethodField()

    def get_title(self, row: Any) -> str:
        if isinstance(row, Release):
            return row.name or f"{row.title}, {row.dataset.name}"
        return str(row.name)

    def get_urls(self, row: Any) -> dict[str, str]:
        if isinstance(row, Release):
            return {
                "self": reverse("api:release-detail", args=[row.pk]),
                "page": f"{reverse('releases:compare', args=[row.dataset_id])}?release={row.pk}",
                "cancel": reverse("api:release-cancel", args=[row.pk]),
            }
        return {
            "self": reverse("api:dataset-detail", args=[row.pk]),
            "page": reverse("datasets:detail", args=[row.pk]),
        }


class JobsSerializer(serializers.Serializer[Any]):
    """All of them, oldest first, datasets before releases."""

    results = JobSerializer(many=True)


class JobsView(APIView):
    """What the owner waits for."""

    @extend_schema(responses={200: JobsSerializer})
    def get(self, request: Request) -> Response:
        releases = visible_releases(request.user).filter(state__in=[State.QUEUED, State.RUNNING])
        waiting = chain(waiting_datasets(request.user), releases.order_by("created_at"))
        return Response(JobsSerializer({"results": waiting}).data)
