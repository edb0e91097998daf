"""Experiments, and the parts that workers take of them. Results lie in files, by what they follow from."""

import uuid
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q

from dashboard.core.tags import LENGTH, tags_of
from dashboard.datasets.models import Dataset
from dashboard.jobs.models import Job, JobPart, State, job_constraints, now, part_constraints
from dashboard.projects.access import InProject, owner_index, project_index
from dashboard.storage.stored_path import StoredPath, StoredRow
from privacy_engine.core.plurals import quantity
from privacy_engine.experiments import ExperimentSpec, Preset, cells, kind_of, presets
from privacy_engine.registry import stored


class Experiment(StoredRow, InProject, Job):
    """A spec, and the dataset it is tried on if any; the spec states which series of it, or what is generated.

    ``preset`` states it for rows from before specs did.
    """

    TASK: ClassVar = "experiments.experiment"
    STORED_IN: ClassVar = "experiments"
    QUEUE: ClassVar = "batch"

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
            *job_constraints("experiment"),
            models.CheckConstraint(
                name="experiment_done_has_table", condition=~Q(state=State.DONE) | ~Q(table_sha256="")
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def parsed_spec(self) -> ExperimentSpec:
        """The description this row stores."""
        with stored(kind=self.kind):
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
        return quantity(self.events, cells[self.kind].item)

    def removed_with(self) -> list[str]:
        """Names of the files that are removed with the row; of blocks what no other experiment needs."""
        blocks = [f"blocks/{self.owner_id}/{self.data_digest}"] if self.data_digest else []
        return [str(self.folder), *blocks]

    def table_path(self, sha256: str) -> StoredPath:
        """The table with this digest: a table that is made again has another name, or is the same."""
        return self.folder / f"table-{sha256}.parquet"


class ExperimentPart(JobPart):
    """Blocks of an experiment, from ``start`` to ``stop`` (left out), which a worker computes at a time."""

    TASK: ClassVar = "experiments.run"  # that of parts before experiments were jobs: their messages may wait

    job = models.ForeignKey(Experiment, on_delete=models.CASCADE, related_name="parts")

    class Meta:
        constraints: ClassVar = part_constraints("experiment_part")
