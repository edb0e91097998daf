"""What the owner waits for, and what came of it: every kind of job, for the drawer in every page's header."""

import uuid
from datetime import timedelta
from typing import Any

from django.db.models import Q
from django.db.models.functions import Now
from django.http import Http404
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from dashboard.core.rest.views import ApiView
from dashboard.jobs import workers
from dashboard.jobs.models import OPEN, State, listed_models, now
from dashboard.jobs.serializers import QueuePositionField

FAILED_FOR = timedelta(days=14)
"""How long a failed job is listed, unless its owner dismisses it."""
OVER_FOR = timedelta(minutes=2)
"""How long any other job is listed after its end."""
MOST_ENDED = 20
MOST_OPEN = 50
"""How many of the jobs that wait or run are listed."""
STILL = Q(state__in=OPEN)


class FailureSerializer(serializers.Serializer[Any]):
    """Why a job failed, and what to do."""

    code = serializers.CharField()
    message = serializers.CharField()
    action = serializers.CharField()
    again = serializers.BooleanField(help_text="Whether the same job may end better when it is tried again.")


class JobSerializer(serializers.Serializer[Any]):
    """One job."""

    kind = serializers.CharField(
        source="_meta.model_name", help_text="dataset, release, experiment, attack, areamap, audit or accountexport"
    )
    id = serializers.UUIDField(source="pk")
    title = serializers.CharField(source="job_title")
    state = serializers.ChoiceField(choices=State.choices)
    stage = serializers.CharField()
    progress = serializers.FloatField()
    eta_s = serializers.FloatField(source="seconds_left", allow_null=True)
    queue_position = QueuePositionField()
    finished_at = serializers.DateTimeField(allow_null=True)
    error = FailureSerializer(source="failure", allow_null=True)
    urls = serializers.SerializerMethodField()

    def get_urls(self, row: Any) -> dict[str, str]:
        kind = row._meta.model_name
        urls = {"self": reverse(f"api:{kind}-detail", args=[row.pk]), "page": row.page_url}
        if row.open:
            return urls | {"cancel": reverse(f"api:{kind}-cancel", args=[row.pk])}
        dismiss = {"dismiss": reverse("api:job-dismiss", args=[row.pk])}
        if row.state == State.CANCELLED or (row.failure and row.failure["again"]):
            return urls | dismiss | {"retry": reverse(f"api:{kind}-retry", args=[row.pk])}
        return urls | dismiss


class JobsSerializer(serializers.Serializer[Any]):
    """Those that wait or run, by kind; those that ended, the newest first; whether workers answer."""

    results = JobSerializer(many=True, help_text=f"Those that run and the oldest that wait, at most {MOST_OPEN}.")
    open = serializers.IntegerField(help_text="How many wait or run.")
    workers = serializers.IntegerField(help_text="How many workers answered within the last ten seconds.")
    no_worker = serializers.BooleanField(help_text="Whether a job waited for ten seconds and no worker answers.")
    ended = JobSerializer(many=True)


def _jobs_of(user: Any) -> list[Any]:
    """Rows of every kind of job that the user may cancel and try again: their own, and those of projects they edit."""
    pairs = [(model, model._default_manager.changeable_by(user)) for model in listed_models()]
    return [rows.select_related(*model.RELATED) if model.RELATED else rows for model, rows in pairs]


def _open_jobs(kinds: list[Any]) -> tuple[list[Any], int]:
    """Return those of :data:`MOST_OPEN` jobs that run or wait longest, by kind, and how many there are together."""
    by_kind = [list(jobs.filter(STILL).order_by("-state", "created_at")[: MOST_OPEN + 1]) for jobs in kinds]
    first = sorted(
        (row for rows in by_kind for row in rows), key=lambda row: (row.state != State.RUNNING, row.created_at)
    )
    listed = {row.pk for row in first[:MOST_OPEN]}
    many = any(len(rows) > MOST_OPEN for rows in by_kind)
    count = sum(jobs.filter(STILL).count() for jobs in kinds) if many else len(first)
    return [row for rows in by_kind for row in sorted(rows, key=lambda row: row.created_at) if row.pk in listed], count


class JobsView(ApiView):
    """What the owner waits for, and what came of it."""

    @extend_schema(responses={200: JobsSerializer})
    def get(self, request: Request) -> Response:
        over = Q(state=State.FAILED, finished_at__gte=Now() - FAILED_FOR)
        # what was read at once, without a worker, was no job: it never waited in the queue
        over |= Q(finished_at__gte=Now() - OVER_FOR) & (Q(attempt__gt=0) | Q(state=State.CANCELLED))
        kinds = _jobs_of(request.user)
        waiting, count = _open_jobs(kinds)
        latest = [jobs.filter(over, dismissed=False).order_by("-finished_at")[:MOST_ENDED] for jobs in kinds]
        ended = sorted((row for jobs in latest for row in jobs), key=lambda row: row.finished_at, reverse=True)
        over_by_now = {row.pk for row in ended}  # a job may end between the two queries: then it is listed as it is now
        still = [row for row in waiting if row.pk not in over_by_now]
        answering = workers.answering()
        late = now() - timedelta(seconds=workers.SILENT_S)
        count -= len(waiting) - len(still)
        report = {"results": still, "open": count, "ended": ended[:MOST_ENDED], "workers": answering}
        waits = any(row.state == State.QUEUED and row.waits_since <= late for row in still)
        return Response(JobsSerializer(report | {"no_worker": waits and not answering}).data)


class DismissView(ApiView):
    """One job that ended."""

    @extend_schema(request=None, responses={204: None})
    def post(self, request: Request, pk: uuid.UUID) -> Response:
        """Dismiss a job that ended from the list. Its row stays; an open one stays listed."""
        seen = [model._default_manager.visible_to(request.user).filter(pk=pk).first() for model in listed_models()]
        row = next((job for job in seen if job is not None), None)
        if row is None:
            raise Http404
        self.check_object_permissions(request, row)
        type(row)._default_manager.filter(~STILL, pk=pk).update(dismissed=True)
        return Response(status=204)
