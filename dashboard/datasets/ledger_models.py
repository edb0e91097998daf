"""What the ledger holds: source files, the events that they have, what connects them, and what their releases spent."""

import uuid
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from dashboard.core.choices import TextChoices
from dashboard.datasets.kinds import Kind, Unit
from dashboard.storage.stored_path import StoredPath, StoredRow


class Lineage(models.Model):
    """Source files of an owner that share events, and with them the limit; see dashboard/datasets/lineage.py.

    ``owner`` is null once the account is deleted: whoever uploads any of the files again takes it over.
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
    """What the releases of a lineage may leak of any event in a unit, and have leaked of the worst event so far.

    ``spent`` is the largest :class:`EventLoss` of its files; it is more than the limit where lineages were joined that
    had spent more. ``version`` changes with every charge: a second at once is computed again. Amounts are integers
    in micro-ε. In the unit ``event_per_m`` they are per kilometre: a release with level ε within r metres leaks
    ε·1000/r per km; in the others ``total_radius_m`` is null.
    """

    lineage = models.ForeignKey(Lineage, on_delete=models.CASCADE, related_name="budgets")
    unit = models.CharField(max_length=20, choices=Unit.choices, default=Unit.EVENT_PER_M)
    spent = models.BigIntegerField(default=0)
    version = models.PositiveBigIntegerField(default=0)
    total = models.BigIntegerField(null=True, blank=True)
    total_epsilon = models.FloatField(null=True, blank=True)  # the total as the owner wrote it
    total_radius_m = models.FloatField(null=True, blank=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["lineage", "unit"], name="budget_one_per_lineage_and_unit"),
            models.CheckConstraint(name="budget_known_unit", condition=Q(unit__in=Unit.values)),
            models.CheckConstraint(name="budget_spent_not_negative", condition=Q(spent__gte=0)),
        ]

    def __str__(self) -> str:
        return f"budget {self.pk} ({self.unit})"

    @property
    def entries(self) -> "models.QuerySet[BudgetEntry]":
        """The charges and refunds of all source files of its lineage, in its unit."""
        return BudgetEntry.objects.filter(source_file__lineage=self.lineage_id, unit=self.unit)


class SourceFile(models.Model):
    """An uploaded file of an owner, as the ledger remembers it; it outlives its datasets and the account.

    ``file_digest`` is a keyed digest of its bytes; empty for what was uploaded before the ledger knew files, which is
    found by ``content_digest``, the keyed digest of the points that were stored. What releases of the files ``whole``
    spent counts for every event of this file (an upper bound, where it is not known which events they share).
    """

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="source_files"
    )
    lineage = models.ForeignKey(Lineage, on_delete=models.CASCADE, related_name="source_files")
    file_digest = models.CharField(max_length=64, default="", blank=True)
    content_digest = models.CharField(max_length=64, default="", blank=True)
    whole = models.JSONField(default=list)
    inherited = models.BooleanField(default=False)  # of a deleted account, and its bytes were not uploaded since
    hashing_at = models.DateTimeField(null=True, blank=True)  # when hashes of its earlier readings were last begun
    hashing_attempts = models.PositiveSmallIntegerField(default=0)
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


class Reading(StoredRow, models.Model):
    """The distinct events of a source file as it was read once, by their hashes (privacy_engine/event_hashes).

    ``classes`` has the sets of other source files that hold some of its events, each with how many; of the i-th event
    by hash ``labels_file`` has the number of its class, and is empty where there is a single class.
    """

    STORED_IN: ClassVar = "events"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    source_file = models.ForeignKey(SourceFile, on_delete=models.CASCADE, related_name="readings")
    digest = models.CharField(max_length=64)  # SHA-256 of the sort of events and their hashes
    kind = models.CharField(max_length=20, choices=Kind.choices)
    sort = models.CharField(max_length=20)  # what an event is
    events = models.PositiveBigIntegerField()
    sampled = models.BooleanField(default=False)
    classes = models.JSONField(default=list)
    labels_file = models.CharField(max_length=80, default="", blank=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["source_file", "digest"], name="reading_one_per_events")
        ]

    def __str__(self) -> str:
        return f"reading {self.pk} of source file {self.source_file_id}"

    @property
    def hashes_path(self) -> StoredPath:
        """The hashes of its events."""
        return self.folder / "hashes"

    @property
    def labels_path(self) -> StoredPath:
        """The classes of its events."""
        return self.folder / self.labels_file


class EventLoss(models.Model):
    """What that event of a source file has spent in a unit which spent most, over all releases of all uploads.

    ``events`` is how many events spent so much (null: its events are not known), ``releases`` by how many releases.
    ``carried`` is part of ``spent``: what the sum of its charges, each rounded up, once exceeded the exact sum by.
    """

    source_file = models.ForeignKey(SourceFile, on_delete=models.CASCADE, related_name="losses")
    unit = models.CharField(max_length=20, choices=Unit.choices)
    spent = models.BigIntegerField()
    carried = models.BigIntegerField(default=0)
    events = models.PositiveBigIntegerField(null=True, blank=True)
    releases = models.PositiveBigIntegerField(default=0)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["source_file", "unit"], name="event_loss_one_per_file_and_unit"),
            models.CheckConstraint(name="event_loss_known_unit", condition=Q(unit__in=Unit.values)),
        ]

    def __str__(self) -> str:
        return f"{self.spent} of source file {self.source_file_id} ({self.unit})"


class SourceSketch(models.Model):
    """Sketches of the events of a source file as it was read once; another reading adds another row.

    See privacy_engine/data/event_sketch.py. ``timed`` is empty where the events have no times; sketches of different
    kinds of data are not comparable. Two uploads are compared by them where either has no hashes (``reading`` is null)
    or no times, and with those of deleted accounts.
    """

    source_file = models.ForeignKey(SourceFile, on_delete=models.CASCADE, related_name="sketches")
    digest = models.CharField(max_length=64)  # SHA-256 of both sketches
    kind = models.CharField(max_length=20, choices=Kind.choices, default=Kind.TRAJECTORY)
    timed = models.BinaryField(default=bytes)
    places = models.BinaryField()
    reading = models.ForeignKey(Reading, on_delete=models.SET_NULL, null=True, blank=True, related_name="sketches")

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["source_file", "digest"], name="source_sketch_one_per_reading")
        ]

    def __str__(self) -> str:
        return f"sketch {self.pk} of source file {self.source_file_id}"


class LineageEntry(models.Model):
    """One recorded fact about two source files of an owner. Never changed, never deleted.

    ``amounts`` has, by unit, what the budgets of ``source_file`` and of ``other`` held when it was recorded (micro-ε):
    before they were joined, or after they were divided.
    """

    class Fact(TextChoices):
        """What was recorded."""

        SHARED = "shared-events", "shares events"
        OTHER_PEOPLE = "other-people", "is of other people, its owner says"

    class How(TextChoices):
        """How shared events were detected; whole: which they are is not known, or not shown."""

        SAME = "same", "the same events"
        ZONE = "zone", "the same events in another time zone"
        MOVED = "moved", "moved copies of events (within about 50 m and a minute)"
        WHOLE = "whole", "most events, as a sample shows: all of them count as shared"

    fact = models.CharField(max_length=20, choices=Fact.choices)
    source_file = models.ForeignKey(SourceFile, on_delete=models.CASCADE, related_name="lineage_entries")
    other = models.ForeignKey(SourceFile, on_delete=models.CASCADE, related_name="+")
    share = models.FloatField(null=True, blank=True)  # of the smaller file's events that the larger contains
    how = models.CharField(max_length=10, choices=How.choices, default=How.WHOLE)
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
