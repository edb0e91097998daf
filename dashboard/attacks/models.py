"""Attacks on releases. They read the original: the owner's alone, and in no download of a release."""

import uuid
from typing import ClassVar
from urllib.parse import urlencode

from django.conf import settings
from django.db import models
from django.db.models import Q

from dashboard.jobs.models import Job, JobPart, State, job_constraints, part_constraints
from dashboard.projects.access import ProjectQuerySet
from dashboard.releases.models import Release
from dashboard.storage.stored_path import StoredRow
from privacy_engine import attacks
from privacy_engine.registry import stored


class Attack(StoredRow, Job):
    """One attack on a finished release: a description, and the series it is about if not all of them."""

    TASK: ClassVar = "attacks.run"
    STORED_IN: ClassVar = "attacks"
    FILE_COLUMN: ClassVar = "data_file"
    QUEUE: ClassVar = "batch"
    RELATED: ClassVar = ("release__dataset",)
    OWNER: ClassVar = "release__dataset__owner"
    PROJECT: ClassVar = "release__dataset__project"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="attacks")
    release = models.ForeignKey(Release, on_delete=models.CASCADE, related_name="attacks")
    attack = models.JSONField()
    series = models.PositiveIntegerField(null=True, blank=True)  # none of those that read all
    digest = models.CharField(max_length=64)  # of the attack and the series
    work_s = models.FloatField(default=0.0)  # predicted, on a single core
    summary = models.JSONField(null=True, blank=True)  # the sentence and the headlines: measured against the original
    data_file = models.CharField(max_length=80, default="", blank=True)
    data_sha256 = models.CharField(max_length=64, default="", blank=True)
    engine_version = models.CharField(max_length=40, default="", blank=True)  # the version that ran it

    objects = ProjectQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["-created_at"]
        constraints: ClassVar = [
            *job_constraints("attack"),
            models.CheckConstraint(
                name="attack_done_has_data", condition=~Q(state=State.DONE) | ~Q(data_file="") & ~Q(data_sha256="")
            ),
            models.UniqueConstraint(fields=["release", "digest"], name="attack_one_of_a_kind_per_release"),
        ]

    def __str__(self) -> str:
        return f"{self.attack.get('name')} on {self.release_id}"

    @property
    def parsed(self) -> attacks.Attack:
        """The description this row stores."""
        with stored():
            attack: attacks.Attack = attacks.attacks.parse(self.attack)
        return attack

    @property
    def title(self) -> str:
        """What lists call it."""
        return f"{self.parsed.title} on {self.release.name or self.release.title}"

    @property
    def job_title(self) -> str:
        """What the list of jobs calls it."""
        return f"{self.title}, {self.release.dataset.name}"

    @property
    def page_url(self) -> str:
        """The comparison with its release."""
        return f"{self.release.page_url}&{urlencode({'attack': self.pk})}"


class AttackPart(JobPart):
    """Some of the releases that an attack on all people tries, from the number ``start`` to ``stop`` (left out)."""

    TASK: ClassVar = "attacks.part"

    job = models.ForeignKey(Attack, on_delete=models.CASCADE, related_name="parts")

    class Meta:
        constraints: ClassVar = part_constraints("attack_part")
