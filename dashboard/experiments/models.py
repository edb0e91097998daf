"""Experiments, and the parts that workers take of them. Results lie in files, by what they follow from."""

import uuid
from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q

from dashboard.core.tags import LENGTH, tags_of
from dashboard.datasets.models import Dataset
from dashboard.jobs.models import Job, JobStatus, State, job_constraints, now, status_constraints
from dashboard.projects.access import InProject, owner_index, project_index
from dashboard.storage.stored_path import StoredPath
from privacy_engine.core.plurals import counted
from privacy_engine.experiments import ExperimentSpec, Preset, cells, kind_of, presets


class Experiment(InProject, JobStatus):
    """A spec, and the dataset it is tried on if any; the spec states which series of it, or what is generated.

    ``preset`` states it for rows from before specs did.
    """

    STORED_IN: ClassVar = "experiments"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="experiments")
    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="experiments", null=True, blank=True)
    preset = models.JSONField(null=True, blank=True)  # as it was requested
    name = models.CharField(max_length=200, default="", blank=True)
    spec = models.JSONField()
    spec_digest = models.CharField(max_length=64)
    lengths = models.JSONField()  # sizes of what it is run on: events of each series, or those of its kind of data
    work_s = models.FloatField(default=0.0)  # predicted, on a single core
    kept_s = models.FloatField(default=0.0)  # of that, what was there already when it was cut into parts
    data_digest = models.CharField(max_length=64, default="", blank=True, db_index=True)
    table_sha256 = models.CharField(max_length=64, default="", blank=True)
    measured = models.JSONField(default=list, blank=True)  # of a finished run: dashboard/experiments/run_results.py
    stored_tags = models.CharField(max_length=LENGTH, default="", blank=True)
    engine_version = models.CharField(max_length=40, default="", blank=True)  # the version that made the table

    class Meta:
        ordering: ClassVar = ["-created_at"]
        indexes: ClassVar = [
            project_index("experiment_in_project"),
            owner_index("experiment_newest_of_owner"),
        ]
        constraints: ClassVar = [
            *status_constraints("experiment"),
            models.CheckConstraint(
                name="experiment_done_has_table", condition=~Q(state=State.DONE) | ~Q(table_sha256="")
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def parsed_spec(self) -> ExperimentSpec:
        """The description this row stores."""
        return ExperimentSpec.parse(self.spec)

    @property
    def parsed_preset(self) -> Preset | None:
        """What chooses or generates its series."""
        preset: Preset | None = None if self.preset is None else presets.parse(self.preset)
        return preset

    @property
    def data_title(self) -> str:
        """What it is tried on, as text."""
        return self.dataset.name if self.dataset else cells[self.kind].generated

    @property
    def tags(self) -> list[str]:
        """What it is grouped by."""
        return tags_of(self.stored_tags)

    @property
    def duration_s(self) -> float | None:
        """How long it was computed; None before it is over."""
        over = self.finished_at is not None and self.started_at is not None
        return (self.finished_at - self.started_at).total_seconds() if over else None

    @property
    def kind(self) -> str:
        """The kind of data, as its spec has it."""
        return kind_of(self.spec)

    @property
    def seconds_left(self) -> float | None:
        """A guess from the progress of this run; None before there is any."""
        kept = self.kept_s / self.work_s if self.work_s else 0.0
        done = self.progress - kept
        if self.state != State.RUNNING or self.started_at is None or done < 0.02:
            return None
        return float((now() - self.started_at).total_seconds() * max(1 - self.progress, 0.0) / done)

    @property
    def events(self) -> int:
        """How many events, counts or check-ins it is run on."""
        return cells[self.kind].items_of(self.lengths)

    @property
    def size_text(self) -> str:
        """:attr:`events` with their noun."""
        return counted(self.events, cells[self.kind].item)

    @property
    def folder(self) -> StoredPath:
        """Where its table is stored."""
        return StoredPath(f"{self.STORED_IN}/{self.pk}")

    def removed_with(self) -> list[str]:
        """Names of the files that are removed with the row; of blocks what no other experiment needs."""
        blocks = [f"blocks/{self.owner_id}/{self.data_digest}"] if self.data_digest else []
        return [str(self.folder), *blocks]

    def table_path(self, sha256: str) -> StoredPath:
        """The table with this digest: a table that is made again has another name, or is the same."""
        return self.folder / f"table-{sha256}.parquet"


class Part(Job):
    """What a worker does at a time: cut the experiment into parts, or compute the blocks ``start`` to ``stop``."""

    TASK: ClassVar = "experiments.run"
    QUEUE: ClassVar = "batch"
    OWNER: ClassVar = "experiment__owner"
    QUEUED_AS: ClassVar = "experiment_id"

    experiment = models.ForeignKey(Experiment, on_delete=models.CASCADE, related_name="parts")
    start = models.PositiveIntegerField(null=True, blank=True)  # none of the part that cuts
    stop = models.PositiveIntegerField(default=0)  # left out
    weight = models.FloatField(default=0.0)  # predicted seconds

    class Meta:
        constraints: ClassVar = [
            *job_constraints("part"),
            models.UniqueConstraint(fields=["experiment", "start"], name="part_one_per_start"),
        ]

    def __str__(self) -> str:
        blocks: Any = "all" if self.start is None else f"{self.start} to {self.stop}"
        return f"blocks {blocks} of {self.experiment_id}"
