"""Datasets and the budget ledger of their content. Points live in a file, never in rows."""

import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from dashboard.core.owned import OwnedQuerySet
from dashboard.core.tags import LENGTH, tags_of
from dashboard.datasets.kinds import Kind, Unit, kind_text, unit_text
from dashboard.datasets.ledger_models import (
    Budget,
    BudgetEntry,
    EventLoss,
    Lineage,
    LineageEntry,
    Reading,
    SourceFile,
    SourceSketch,
)
from dashboard.jobs.models import Job, JobPart, State, job_constraints, part_constraints
from dashboard.maps.prepared import LARGE, Drawn
from dashboard.projects.access import InProject, owner_index, project_index
from dashboard.storage import local_files
from dashboard.storage.data_files import series_index
from dashboard.storage.stored_path import StoredPath, StoredRow
from privacy_engine.accounting.promise import Context
from privacy_engine.core.instants import instant
from privacy_engine.data.counted import Counted
from privacy_engine.data.detected_stays import DetectedStays
from privacy_engine.datatypes import DataType, datatypes
from privacy_engine.formats.decisions import Decisions

__all__ = ["Budget", "BudgetEntry", "Dataset", "EventLoss", "Kind", "Lineage", "LineageEntry", "Reading"]
__all__ += ["SourceFile", "SourceSketch", "Unit", "Upload", "kind_text", "unit_text"]

COUNTED = ("name", "kind", "state", "stored_tags", "file_name")
"""Columns by which lists are filtered; in an index, whose entries PostgreSQL limits to 2,704 bytes."""


class Dataset(StoredRow, InProject, Job):
    """What came in. Its series lie end to end in a file; an event's number counts over the whole dataset."""

    TASK: ClassVar = "datasets.import"
    STORED_IN: ClassVar = "datasets"
    FILE_COLUMN: ClassVar = "points_file"
    SUCCEEDED: ClassVar = State.READY

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="datasets")
    name = models.CharField(max_length=200)
    kind = models.CharField(max_length=20, choices=Kind.choices, default=Kind.TRAJECTORY)
    requested_kind = models.CharField(max_length=20, choices=Kind.choices, default="", blank=True)  # empty: detected
    file_name = models.CharField(max_length=255, default="", blank=True)
    size_bytes = models.BigIntegerField(default=0)
    original_removed_at = models.DateTimeField(null=True, blank=True)  # by the rule of retention
    options = models.JSONField(default=dict, blank=True)
    cleaning = models.JSONField(default=list, blank=True)  # steps between the file as it was read and the points
    report = models.JSONField(null=True, blank=True)
    decided = models.JSONField(default=dict, blank=True)  # Decisions beside the options; empty: not kept
    points = models.PositiveBigIntegerField(default=0)
    summary = models.JSONField(null=True, blank=True)  # counts, bounds, span, length: facts to show
    points_file = models.CharField(max_length=80, default="", blank=True)
    content_digest = models.CharField(max_length=64, default="", blank=True, db_index=True)
    source_file = models.ForeignKey(
        "SourceFile", on_delete=models.SET_NULL, null=True, blank=True, related_name="datasets"
    )
    stability = models.PositiveBigIntegerField(default=1)  # the most events that an uploaded record decides
    sample = models.BooleanField(default=False)
    stored_tags = models.CharField(max_length=LENGTH, default="", blank=True)
    thumbnail = models.TextField(default="", blank=True)  # an SVG path; empty: not made yet
    counted_from = models.ForeignKey(
        "self", on_delete=models.SET_NULL, null=True, blank=True, related_name="counted_datasets"
    )
    aggregation = models.JSONField(null=True, blank=True)  # how events of that dataset are counted; null: they are not
    stay_detection = models.JSONField(null=True, blank=True)  # how its stays are detected; null: they are not

    class Meta:
        ordering: ClassVar = ["-created_at"]
        indexes: ClassVar = [
            project_index("dataset_in_project", *COUNTED),
            owner_index("dataset_newest_of_owner", *COUNTED),
        ]
        constraints: ClassVar = [
            *job_constraints("dataset"),
            models.CheckConstraint(
                name="dataset_ready_has_points_file",
                condition=~Q(state=State.READY) | ~Q(points_file="") & ~Q(content_digest="") & Q(points__gt=0),
            ),
            models.CheckConstraint(name="dataset_known_kind", condition=Q(kind__in=Kind.values)),
        ]

    def __str__(self) -> str:
        return self.name

    def followers(self) -> "Iterator[models.QuerySet[Any]]":
        """Its experiments, whose figures were measured against it."""
        yield self.experiments.all()

    @property
    def original_path(self) -> StoredPath:
        """The upload as it came, kept so that it can be read again in another way."""
        return self.folder / "original"

    @property
    def points_path(self) -> StoredPath:
        """The points as they were understood."""
        return self.folder / self.points_file

    @property
    def file_token(self) -> str:
        """What the names of its points and of what is made of them have."""
        return Path(self.points_file).stem

    def beside(self, what: str) -> StoredPath:
        """What is made ahead of requests about its points; removed with them."""
        return self.folder / f"{what}-{self.file_token}.zst"

    @property
    def is_large(self) -> bool:
        """Whether a web server leaves its points to its computing process."""
        columns = len((self.summary or {}).get("dimensions", ())) or 1
        return self.points * columns > LARGE

    @property
    def drawn(self) -> Drawn:
        """What the map draws of it."""
        return Drawn(self.points_path, self.series_lengths, self.beside)

    @property
    def tags(self) -> list[str]:
        """What its owner groups it by."""
        return tags_of(self.stored_tags)

    @property
    def format_title(self) -> str:
        """The format that its file was read in; empty for what was made of another dataset."""
        return str((self.report or {}).get("format_title", ""))

    @property
    def decisions(self) -> Decisions:
        """What was decided from its file, or from that of the dataset that it was made of."""
        return Decisions(**self.decided)

    @property
    def data_type(self) -> DataType:
        """What the engine has for its kind of data."""
        return datatypes[self.kind]

    @property
    def units(self) -> tuple[str, ...]:
        """The units that its releases are charged in, the usual first."""
        return self.data_type.units

    @property
    def counted(self) -> Counted | None:
        """How its counts were made of events; None of uploads."""
        known = (self.summary or {}).get("counted")
        return None if known is None else Counted.from_dict(known)

    @property
    def derived(self) -> bool:
        """True if it was made of another dataset, and has no file."""
        return self.aggregation is not None or self.stay_detection is not None

    @property
    def context(self) -> Context:
        """What a promise about its counts or check-ins depends on."""
        known, decisions = (self.report or {}).get("stays"), self.decisions
        made = Context.of_stays(DetectedStays.from_dict(known)) if known else Context.of_counts(self.counted)
        return made.with_reading(decisions.listed, decisions.joined)

    @property
    def tree(self) -> dict[str, str]:
        """The hierarchy that the names of its streams show, as parameters of a mechanism; empty without any."""
        return dict((self.summary or {}).get("hierarchy", {}))

    @property
    def series_lengths(self) -> list[int]:
        """Events of each series, in order; of trajectories that are ready."""
        return series_index(self.points_path).sizes.tolist() if self.series_count else []

    @property
    def series_count(self) -> int:
        """How many series it has; 0 of other kinds of data."""
        return int((self.summary or {}).get("series_count", 0))

    @property
    def start(self) -> str | None:
        """The first time of its data, ISO 8601 in UTC."""
        return self._time("start")

    @property
    def end(self) -> str | None:
        """The last time of its data, ISO 8601 in UTC."""
        return self._time("end")

    def _time(self, which: str) -> str | None:
        known = self.summary or {}
        if f"{which}_s" not in known:  # of counts ``start`` is the label of the first timestamp
            return known.get(which)
        seconds = known[f"{which}_s"]
        return None if seconds is None else instant(seconds)

    @property
    def has_time(self) -> bool:
        """True if its events have times."""
        return bool((self.summary or {}).get("has_time"))

    @property
    def has_landmark_column(self) -> bool:
        """True if its file states for each event whether it is a landmark."""
        return (self.summary or {}).get("marked") is not None


class DatasetPart(JobPart):
    """A part of what an import computes."""

    TASK: ClassVar = "datasets.part"

    job = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="parts")

    class Meta:
        constraints: ClassVar = part_constraints("dataset_part")


class Upload(StoredRow, models.Model):
    """A resumable upload, piece by piece; a dataset is made of it once it is whole.

    ``received`` bytes of ``length`` lie in a file of its own; where hosts share their files, a piece in a file of its
    own, named by ``pieces``. Who loses the connection goes on from there.
    """

    STORED_IN: ClassVar = "uploads"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="uploads")
    file_name = models.CharField(max_length=255, default="", blank=True)
    length = models.PositiveBigIntegerField()
    received = models.PositiveBigIntegerField(default=0)
    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    touched_at = models.DateTimeField(auto_now_add=True, db_index=True)
    pieces = models.JSONField(default=list, blank=True)  # names of the pieces, in their order
    crc32 = models.PositiveBigIntegerField(null=True, blank=True)  # of the file of its own; null: begun without any
    finishing_until = models.DateTimeField(null=True, blank=True)  # a host makes it a dataset

    objects = OwnedQuerySet.as_manager()

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(name="upload_received_within_length", condition=Q(received__lte=F("length"))),
        ]

    def __str__(self) -> str:
        return f"upload {self.pk}"

    @property
    def path(self) -> Path:
        """Where its bytes lie, unless they lie in pieces."""
        return local_files.home("uploads") / str(self.pk)
