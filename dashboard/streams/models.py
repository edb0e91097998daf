"""Live streams and the timestamps they published."""

import uuid
from typing import Any, ClassVar

import numpy as np
from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse

from dashboard.core.choices import TextChoices
from dashboard.core.idempotency import one_per_key
from dashboard.projects.access import InProject, owner_index, project_index
from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.mechanisms.base.stream import StreamMechanism
from privacy_engine.registry import stored
from privacy_engine.releases.spec import ReleaseSpec


class StreamState(TextChoices):
    """Whether a live stream takes counts: now, after a pause, or never again."""

    OPEN = "open", "Publishing"
    PAUSED = "paused", "Paused"
    CLOSED = "closed", "Closed"


class Clock(TextChoices):
    """What the times of a stream are; its first timestamp decides."""

    UNSET = "", "Not known yet"
    NUMBER = "number", "Numbers"
    INSTANT = "instant", "Instants"


class LiveStream(InProject):
    """One run of a stream mechanism over dimensions that are fixed when it is opened.

    ``publisher`` is the state of the mechanism after ``published`` timestamps, with the ledger of the last window. It
    changes in the transaction that stores what was published, so that no timestamp is ever published twice. It is raw
    data: mechanisms that group timestamps hold the counts of open groups in it. A closed stream has none.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="streams")
    name = models.CharField(max_length=200)
    dimensions = models.JSONField()  # names
    spec = models.JSONField()
    spec_digest = models.CharField(max_length=64)
    mechanism = models.CharField(max_length=60, db_index=True)
    step = models.FloatField(null=True, blank=True)  # between two timestamps, in seconds for instants; None: any
    idempotency_key = models.CharField(max_length=100, default="", blank=True)
    state = models.CharField(max_length=10, choices=StreamState.choices, default=StreamState.OPEN)
    clock = models.CharField(max_length=10, choices=Clock.choices, default=Clock.UNSET, blank=True)
    published = models.PositiveBigIntegerField(default=0)
    last_time = models.FloatField(null=True, blank=True)
    last_label = models.CharField(max_length=64, default="", blank=True)
    window_spent = models.FloatField(default=0.0)  # ε of the last w timestamps together
    publisher = models.BinaryField(null=True, blank=True)
    engine_version = models.CharField(max_length=40, default="", blank=True)  # the version that published last
    created_at = models.DateTimeField(auto_now_add=True)
    changed_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering: ClassVar = ["-created_at"]
        indexes: ClassVar = [
            project_index("stream_in_project"),
            owner_index("stream_newest_of_owner"),
        ]
        constraints: ClassVar = [
            models.CheckConstraint(name="stream_state_known", condition=Q(state__in=StreamState.values)),
            models.CheckConstraint(name="stream_clock_known", condition=Q(clock__in=Clock.values)),
            models.CheckConstraint(
                name="stream_published_has_state",
                condition=Q(published=0)
                | (Q(publisher__isnull=False) | Q(state=StreamState.CLOSED))
                & Q(last_time__isnull=False)
                & ~Q(clock=Clock.UNSET),
            ),
            one_per_key("stream"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def parsed_spec(self) -> ReleaseSpec:
        """The description this row stores."""
        with stored(kind="stream"):
            return ReleaseSpec.parse(self.spec)

    @property
    def parsed_mechanism(self) -> StreamMechanism:
        """Its mechanism with its parameters."""
        mechanism: StreamMechanism = self.parsed_spec.mechanism
        return mechanism

    @property
    def title(self) -> str:
        """The title of its mechanism."""
        return self.parsed_mechanism.title

    @property
    def window(self) -> int:
        """How many successive timestamps share its level."""
        return int(self.spec["mechanism"]["window"])

    @property
    def epsilon(self) -> float:
        """Its level."""
        return float(self.spec["mechanism"]["epsilon"])

    @property
    def page_url(self) -> str:
        """Its page."""
        return reverse("streams:detail", args=[self.pk])


class PublishedTimestamp(models.Model):
    """What was published of a timestamp. Nothing is stored of the counts that came in."""

    stream = models.ForeignKey(LiveStream, on_delete=models.CASCADE, related_name="timestamps")
    position = models.PositiveBigIntegerField()  # from 0
    time = models.FloatField()  # a number, or seconds since 1970-01-01 UTC
    label = models.CharField(max_length=64)  # as it was sent
    values = models.BinaryField()  # little-endian, whole numbers or floats, see ``whole``
    whole = models.BooleanField()
    budget = models.FloatField()
    published_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["position"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["stream", "position"], name="timestamp_one_per_position"),
            models.UniqueConstraint(fields=["stream", "time"], name="timestamp_one_per_time"),
        ]

    def __str__(self) -> str:
        return self.label

    @property
    def counts(self) -> Ints | Floats:
        """What was published, (d,)."""
        return np.frombuffer(bytes(self.values), dtype="<i8" if self.whole else "<f8")

    @property
    def numbers(self) -> list[Any]:
        """:attr:`counts` for JSON."""
        return list(self.counts.tolist())


LINE = "line "
"""The keys of lines of ``manage.py publish`` begin so. No header can have a key with a space."""


class PublishedRequest(models.Model):
    """The timestamps that one request published, by the key of its sender: the request is known again by that alone."""

    stream = models.ForeignKey(LiveStream, on_delete=models.CASCADE, related_name="requests")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    key = models.CharField(max_length=100)
    first = models.PositiveBigIntegerField()  # positions
    last = models.PositiveBigIntegerField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["stream", "user", "key"], name="request_one_per_key"),
            models.UniqueConstraint(fields=["stream", "first"], name="request_one_per_position"),
        ]

    def __str__(self) -> str:
        return f"{self.first} to {self.last}"
