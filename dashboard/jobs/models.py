"""Job rows: states, columns, constraints. The row is the truth; messages carry ids only."""

from typing import Any, ClassVar, TypeVar

from django.apps import apps
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone

from dashboard.core.choices import TextChoices
from dashboard.core.errors import Conflict
from dashboard.core.failures import explained
from dashboard.core.owned import OwnedQuerySet


class State(TextChoices):
    """Where a job stands. A job's own name for success is its model's ``SUCCEEDED``."""

    QUEUED = "queued", "Waiting"
    RUNNING = "running", "Running"
    READY = "ready", "Ready"
    DONE = "done", "Done"
    FAILED = "failed", "Failed"
    CANCELLED = "cancelled", "Cancelled"


OPEN = [State.QUEUED, State.RUNNING]
"""The states of what waits or runs."""


class Job(models.Model):
    """Columns of a row that a worker works off, as the list of jobs shows it to its owner."""

    TASK: ClassVar[str]  # the name of the Celery task that takes its id
    QUEUE: ClassVar = "interactive"  # whose messages it has: of what a person waits for, or "batch"
    OWNER: ClassVar = "owner"  # the column of its owner's id
    QUEUED_AS: ClassVar = "pk"  # the column whose value the place in the queue is counted by
    SUCCEEDED: ClassVar[str] = State.DONE
    RELATED: ClassVar[tuple[str, ...]] = ()  # what the list of jobs reads beside the row

    state = models.CharField(max_length=10, choices=State.choices, default=State.QUEUED, db_index=True)
    stage = models.CharField(max_length=60, default="", blank=True)
    progress = models.FloatField(default=0.0)
    attempt = models.PositiveSmallIntegerField(default=0)
    error = models.JSONField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    dismissed = models.BooleanField(default=False)  # the owner has seen how it ended
    token = models.UUIDField(null=True, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    cancel_requested = models.BooleanField(default=False)
    enqueued_at = models.DateTimeField(null=True, blank=True)
    progressed_at = models.DateTimeField(null=True, blank=True)  # when it last went on: queued again, begun, in work

    objects = OwnedQuerySet.as_manager()

    class Meta:
        abstract = True

    @property
    def job_title(self) -> str:
        """What the list of jobs calls it."""
        return str(self)

    @property
    def page_url(self) -> str:
        """The page that shows it."""
        return reverse(f"{self._meta.model_name}s:detail", args=[self.pk])

    @property
    def open(self) -> bool:
        """True while the job waits or runs."""
        return self.state in OPEN

    @property
    def claimed(self) -> bool:
        """True once any worker ever had it, in this try or an earlier try: the data may have been read."""
        return self.started_at is not None

    @property
    def failure(self) -> dict[str, Any] | None:
        """Why it failed and what to do; None if it did not."""
        return explained(self.error) if self.state == State.FAILED else None

    @property
    def waits_since(self) -> Any:
        """When it was queued, as far as that is known."""
        return self.enqueued_at or self.created_at

    @property
    def seconds_left(self) -> float | None:
        """A guess from the progress so far; None before there is any."""
        if self.state != State.RUNNING or self.started_at is None or self.progress < 0.02:
            return None
        spent = (now() - self.started_at).total_seconds()
        return max(spent * (1 - self.progress) / self.progress, 0.0)


class JobPart(Job):
    """A part of a job, which any worker may take (dashboard/jobs/parts.py); a subclass has the ``job``.

    ``number`` is that of its piece of the job, ``weight`` how much work it is.
    """

    QUEUE: ClassVar = "batch"
    OWNER: ClassVar = "job__owner"
    QUEUED_AS: ClassVar = "job_id"

    step = models.CharField(max_length=20)  # of the job
    number = models.PositiveIntegerField()
    weight = models.FloatField(default=1.0)
    given = models.JSONField(default=dict, blank=True)  # what else it is about, such as the name of a file
    result = models.JSONField(null=True, blank=True)  # what the job needs of it

    class Meta(Job.Meta):
        abstract = True

    def __str__(self) -> str:
        return f"{self.step} {self.number} of {self.job_id}"


JobRow = TypeVar("JobRow", bound=Job)


def models_of() -> list[type[Job]]:
    """Every model whose rows are jobs, in the order of the apps."""
    return [model for model in apps.get_models() if issubclass(model, Job)]


def listed_models() -> list[type[Job]]:
    """Those that an owner waits for: all but the parts of others."""
    return [model for model in models_of() if not issubclass(model, JobPart)]


def owner_of(job: Job) -> Any:
    """The user whose job it is."""
    for name in job.OWNER.split("__"):
        job = getattr(job, name)
    return job


def job_constraints(name: str) -> list[models.BaseConstraint]:
    """What holds for every job row, whoever writes it."""
    held = Q(token__isnull=False, lease_until__isnull=False)
    return [
        models.CheckConstraint(
            name=f"{name}_held_while_running",
            condition=Q(state=State.RUNNING) & held
            | ~Q(state=State.RUNNING) & Q(token__isnull=True, lease_until__isnull=True),
        ),
        models.CheckConstraint(name=f"{name}_progress_share", condition=Q(progress__gte=0, progress__lte=1)),
        models.CheckConstraint(
            name=f"{name}_finished_when_over",
            condition=Q(state__in=OPEN, finished_at__isnull=True) | ~Q(state__in=OPEN) & Q(finished_at__isnull=False),
        ),
    ]


def part_constraints(name: str) -> list[models.BaseConstraint]:
    """What holds for every row of parts."""
    return [
        *job_constraints(name),
        models.UniqueConstraint(fields=["job", "step", "number"], name=f"{name}_one_per_number"),
    ]


class NotOpen(Conflict):
    """The job is over; there is nothing to cancel."""

    def __init__(self) -> None:
        super().__init__("It is over already.", field="state", rule="queued or running")


class NotRetryable(Conflict):
    """The job waits, runs or succeeded; there is nothing to try again."""

    def __init__(self) -> None:
        message = "Only what failed or was cancelled can be tried again."
        super().__init__(message, field="state", rule="failed or cancelled")


def now() -> Any:
    """The time by the clock the leases use."""
    return timezone.now()
