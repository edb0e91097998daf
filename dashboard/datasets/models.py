"""Datasets and the budget ledger of their content. Points live in a file, never in rows."""

import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from dashboard.core.choices import TextChoices
from dashboard.core.owned import OwnedQuerySet
from dashboard.core.tags import LENGTH, tags_of
from dashboard.datasets.kinds import UNITS, Kind, Unit, kind_text, unit_text
from dashboard.jobs.models import Job, State, job_constraints
from dashboard.projects.access import InProject, owner_index, project_index
from dashboard.storage import local_files
from dashboard.storage.stored_path import StoredPath
from privacy_engine.counted import Counted
from privacy_engine.detected_stays import DetectedStays
from privacy_engine.formats.decisions import Decisions
from privacy_engine.instants import instant
from privacy_engine.promise import Context

__all__ = ["UNITS", "Budget", "BudgetEntry", "Dataset", "Kind", "Lineage", "LineageEntry", "SourceFile"]
__all__ += ["SourceSketch", "Unit", "Upload", "kind_text", "unit_text"]

COUNTED = ("name", "kind", "state", "stored_tags", "file_name")
"""Columns by which lists are filtered; in an index, whose entries PostgreSQL limits to 2,704 bytes."""


class Dataset(InProject, Job):
    """What came in. Its series lie end to end in one file; an event's number counts over the whole dataset."""

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
    summary = models.JSONField(null=True, blank=True)  # series, bounds, span, length: facts to show
    points_file = models.CharField(max_length=80, default="", blank=True)
    content_digest = models.CharField(max_length=64, default="", blank=True, db_index=True)
    source_file = models.ForeignKey(
        "SourceFile", on_delete=models.SET_NULL, null=True, blank=True, related_name="datasets"
    )
    stability = models.PositiveBigIntegerField(default=1)  # the most events that one uploaded record decides
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
    def folder(self) -> StoredPath:
        """Where its original, points and private measurements are stored."""
        return StoredPath(f"{self.STORED_IN}/{self.pk}")

    @property
    def original_path(self) -> StoredPath:
        """The upload as it came, kept so that it can be read again in another way."""
        return self.folder / "original"

    @property
    def points_path(self) -> StoredPath:
        """The points as they were understood."""
        return self.folder / self.points_file

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
    def units(self) -> tuple[str, ...]:
        """The units that its releases are charged in, the usual one first."""
        return UNITS[self.kind]

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
        """The hierarchy that the names of its streams show, as parameters of a mechanism; empty without one."""
        return dict((self.summary or {}).get("hierarchy", {}))

    @property
    def series_lengths(self) -> list[int]:
        """Events of each series, in order."""
        return [one["points"] for one in (self.summary or {}).get("series", [])]

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
        if self.kind == Kind.TRAJECTORY:
            return known.get(which)
        seconds = known.get(f"{which}_s")
        return None if seconds is None else instant(seconds)

    @property
    def has_time(self) -> bool:
        """True if its events have times."""
        return bool((self.summary or {}).get("has_time"))

    @property
    def has_landmark_column(self) -> bool:
        """True if its file states for each event whether it is a landmark."""
        return (self.summary or {}).get("marked") is not None


class Upload(models.Model):
    """A resumable upload, piece by piece; a dataset is made of it once it is whole.

    ``received`` bytes of ``length`` lie in a file of its own; where hosts share their files, each piece in one of its
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
    crc32 = models.PositiveBigIntegerField(null=True, blank=True)  # of the file of its own; null: begun without one
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

    @property
    def folder(self) -> StoredPath:
        """Below which all of its bytes are stored, also those that no row counts."""
        return StoredPath(f"{self.STORED_IN}/{self.pk}")


class Lineage(models.Model):
    """Source files of one owner that share most of their events; see dashboard/datasets/lineage.py.

    ``owner`` is null once the account is deleted: whoever uploads one of the files again takes it over.
    """

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="lineages"
    )

    def __str__(self) -> str:
        return f"lineage {self.pk}"

    def budget(self, unit: str) -> "Budget | None":
        """Return the budget of ``unit``; None where nothing was spent or limited in it."""
        return self.budgets.filter(unit=unit).first()


class Budget(models.Model):
    """What the releases of one lineage have leaked so far in one unit, and may leak.

    Amounts are integers in micro-ε. In the unit ``event_per_m`` they are per kilometre: a release with level ε within
    r metres leaks ε·1000/r per km; in the others ``total_radius_m`` is null.
    """

    lineage = models.ForeignKey(Lineage, on_delete=models.CASCADE, related_name="budgets")
    unit = models.CharField(max_length=20, choices=Unit.choices, default=Unit.EVENT_PER_M)
    spent = models.BigIntegerField(default=0)
    total = models.BigIntegerField(null=True, blank=True)
    total_epsilon = models.FloatField(null=True, blank=True)  # the total as the owner wrote it
    total_radius_m = models.FloatField(null=True, blank=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["lineage", "unit"], name="budget_one_per_lineage_and_unit"),
            models.CheckConstraint(name="budget_known_unit", condition=Q(unit__in=Unit.values)),
            models.CheckConstraint(name="budget_spent_not_negative", condition=Q(spent__gte=0)),
            models.CheckConstraint(
                name="budget_spent_within_total", condition=Q(total__isnull=True) | Q(spent__lte=F("total"))
            ),
        ]

    def __str__(self) -> str:
        return f"budget {self.pk} ({self.unit})"

    @property
    def entries(self) -> "models.QuerySet[BudgetEntry]":
        """The charges and refunds of all source files of its lineage, in its unit."""
        return BudgetEntry.objects.filter(source_file__lineage=self.lineage_id, unit=self.unit)


class SourceFile(models.Model):
    """One uploaded file of one owner, as the ledger remembers it; it outlives its datasets and the account.

    ``file_digest`` is a keyed digest of its bytes; empty for what was uploaded before the ledger knew files, which is
    found by ``content_digest``, the keyed digest of the points that were stored.
    """

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="source_files"
    )
    lineage = models.ForeignKey(Lineage, on_delete=models.CASCADE, related_name="source_files")
    file_digest = models.CharField(max_length=64, default="", blank=True)
    content_digest = models.CharField(max_length=64, default="", blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["created_at", "pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["owner", "file_digest"], condition=~Q(file_digest=""), name="source_file_one_per_bytes"
            ),
            models.UniqueConstraint(
                fields=["owner", "content_digest"], condition=Q(file_digest=""), name="source_file_one_per_content"
            ),
        ]

    def __str__(self) -> str:
        return f"source file {self.pk}"


class SourceSketch(models.Model):
    """Sketches of the events of a source file as it was read once; another reading adds another row.

    See privacy_engine/event_sketch.py. ``timed`` is empty where the events have no times; sketches of different kinds
    of data are not comparable.
    """

    source_file = models.ForeignKey(SourceFile, on_delete=models.CASCADE, related_name="sketches")
    digest = models.CharField(max_length=64)  # SHA-256 of both sketches
    kind = models.CharField(max_length=20, choices=Kind.choices, default=Kind.TRAJECTORY)
    timed = models.BinaryField(default=bytes)
    places = models.BinaryField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["source_file", "digest"], name="source_sketch_one_per_reading")
        ]

    def __str__(self) -> str:
        return f"sketch {self.pk} of source file {self.source_file_id}"


class LineageEntry(models.Model):
    """One recorded fact about two source files of an owner. Never changed, never deleted.

    ``amounts`` has, by unit, what the budgets of ``source_file`` and of ``other`` held when it was recorded (micro-ε):
    before they became one, or after they were divided.
    """

    class Fact(TextChoices):
        """What was recorded."""

        SHARED = "shared-events", "shares most of its events"
        OTHER_PEOPLE = "other-people", "is of other people, its owner says"

    fact = models.CharField(max_length=20, choices=Fact.choices)
    source_file = models.ForeignKey(SourceFile, on_delete=models.CASCADE, related_name="lineage_entries")
    other = models.ForeignKey(SourceFile, on_delete=models.CASCADE, related_name="+")
    share = models.FloatField(null=True, blank=True)  # of the smaller file's events that the larger one contains
    amounts = models.JSONField(default=dict)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["created_at", "pk"]
        constraints: ClassVar = [
            models.CheckConstraint(name="lineage_entry_of_two", condition=~Q(source_file=F("other"))),
            models.CheckConstraint(
                name="lineage_entry_known_fact", condition=Q(fact__in=["shared-events", "other-people"])
            ),
        ]

    def __str__(self) -> str:
        return f"{self.source_file_id} {self.fact} {self.other_id}"


class BudgetEntry(models.Model):
    """One charge or refund. Never changed, never deleted; it outlives the release it stands for."""

    source_file = models.ForeignKey(SourceFile, on_delete=models.CASCADE, related_name="entries")
    release_id = models.UUIDField(db_index=True)
    mechanism = models.CharField(max_length=60)
    level = models.CharField(max_length=20)
    unit = models.CharField(max_length=20, choices=Unit.choices, default=Unit.EVENT_PER_M)
    amount = models.BigIntegerField()
    epsilon = models.FloatField()
    radius_m = models.FloatField(null=True, blank=True)
    stability = models.PositiveBigIntegerField(default=1)  # how many times the level was charged
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["created_at"]
        constraints: ClassVar = [
            models.CheckConstraint(name="budget_entry_not_zero", condition=~Q(amount=0)),
            models.CheckConstraint(
                name="budget_entry_radius_where_by_distance",
                condition=Q(unit=Unit.EVENT_PER_M, radius_m__isnull=False)
                | ~Q(unit=Unit.EVENT_PER_M) & Q(radius_m__isnull=True),
            ),
            models.UniqueConstraint(
                fields=["release_id"], condition=Q(amount__gt=0), name="budget_entry_one_charge_per_release"
            ),
            models.UniqueConstraint(
                fields=["release_id"], condition=Q(amount__lt=0), name="budget_entry_one_refund_per_release"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.amount:+d} for {self.release_id}"

    @property
    def budget(self) -> Budget:
        """The budget it counts in."""
        return Budget.objects.get(lineage=self.source_file.lineage_id, unit=self.unit)
