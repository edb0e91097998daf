"""Columns and constraints of job rows as the first migrations of their apps made them; later ones changed them."""

from django.db import migrations, models
from django.db.models import Field, Q

STATES = [
    ("queued", "Waiting"),
    ("running", "Running"),
    ("ready", "Ready"),
    ("done", "Done"),
    ("failed", "Failed"),
    ("cancelled", "Cancelled"),
]
COLUMNS = {
    "state": models.CharField(choices=STATES, db_index=True, default="queued", max_length=10),
    "stage": models.CharField(blank=True, default="", max_length=60),
    "progress": models.FloatField(default=0.0),
    "attempt": models.PositiveSmallIntegerField(default=0),
    "error": models.JSONField(blank=True, null=True),
    "created_at": models.DateTimeField(auto_now_add=True),
    "dismissed": models.BooleanField(default=False),
    "token": models.UUIDField(blank=True, null=True),
    "cancel_requested": models.BooleanField(default=False),
}
OTHER = models.DateTimeField(blank=True, null=True)
STATUS = ("state", "stage", "progress", "attempt", "error", "created_at", "started_at", "finished_at", "dismissed")
LEASE = ("token", "lease_until", "cancel_requested")


def columns(*names: str) -> list[tuple[str, Field]]:
    """Return the named columns as a ``CreateModel`` takes them; those not listed are times that may be unknown."""
    return [(name, COLUMNS.get(name, OTHER).clone()) for name in names]


def status_constraints(name: str) -> list[models.CheckConstraint]:
    """Return what holds for every row that is waited for."""
    is_open = ("state__in", ["queued", "running"])
    over = Q(Q(("finished_at__isnull", True), is_open), Q(~Q(is_open), ("finished_at__isnull", False)), _connector="OR")
    return [
        models.CheckConstraint(condition=Q(progress__gte=0, progress__lte=1), name=f"{name}_progress_share"),
        models.CheckConstraint(condition=over, name=f"{name}_finished_when_over"),
    ]


def job_constraints(name: str) -> list[models.CheckConstraint]:
    """Return what holds for every row that a worker works off."""
    held = Q(("state", "running"), ("lease_until__isnull", False), ("token__isnull", False))
    free = Q(~Q(state="running"), ("lease_until__isnull", True), ("token__isnull", True))
    condition = Q(held, free, _connector="OR")
    return [
        models.CheckConstraint(condition=condition, name=f"{name}_held_while_running"),
        *status_constraints(name),
    ]


def parts_of(job: str, name: str) -> migrations.CreateModel:
    """Return what creates the model ``name`` of parts of a ``job``, as "releases.release"."""
    prefix = f"{job.split('.')[1]}_part"
    return migrations.CreateModel(
        name=name,
        fields=[
            ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
            *columns(*STATUS, *LEASE, "enqueued_at", "progressed_at"),
            ("step", models.CharField(max_length=20)),
            ("number", models.PositiveIntegerField()),
            ("weight", models.FloatField(default=1.0)),
            ("given", models.JSONField(blank=True, default=dict)),
            ("result", models.JSONField(blank=True, null=True)),
            ("job", models.ForeignKey(on_delete=models.CASCADE, related_name="parts", to=job)),
        ],
        options={
            "constraints": [
                *job_constraints(prefix),
                models.UniqueConstraint(fields=("job", "step", "number"), name=f"{prefix}_one_per_number"),
            ]
        },
    )
