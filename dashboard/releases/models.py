"""Releases: what may go out, drawn once."""

import uuid
from pathlib import Path
from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse

from dashboard.core.filenames import file_name, file_stem
from dashboard.core.idempotency import one_per_key
from dashboard.datasets.models import Dataset, Kind
from dashboard.datasets.scale import stored_scale
from dashboard.jobs.models import Job, JobPart, State, job_constraints, part_constraints
from dashboard.landmarks.models import LandmarkSet
from dashboard.maps.prepared import Drawn
from dashboard.projects.access import ProjectQuerySet
from dashboard.releases import naming
from dashboard.storage.stored_path import StoredPath, StoredRow
from privacy_engine.analysis.verdict import Verdict, exposes, verdict
from privacy_engine.datatypes import datatypes
from privacy_engine.postprocess import PostProcess
from privacy_engine.registry import stored
from privacy_engine.releases.spec import ReleaseSpec


class Release(StoredRow, Job):
    """A draw of a mechanism over a dataset, with a landmark set where it was chosen for trajectories."""

    TASK: ClassVar = "releases.run"
    STORED_IN: ClassVar = "releases"
    FILE_COLUMN: ClassVar = "data_file"
    RELATED: ClassVar = ("dataset",)
    OWNER: ClassVar = "dataset__owner"
    PROJECT: ClassVar = "dataset__project"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="releases")
    dataset = models.ForeignKey(  # the index below begins with it
        Dataset, on_delete=models.CASCADE, related_name="releases", db_index=False
    )
    kind = models.CharField(max_length=20, choices=Kind.choices, default=Kind.TRAJECTORY)
    landmark_set = models.ForeignKey(
        LandmarkSet, on_delete=models.RESTRICT, null=True, blank=True, related_name="releases"
    )  # of trajectories alone; where the mechanism reads no landmarks it serves the comparison alone
    name = models.CharField(max_length=200, default="", blank=True)
    spec = models.JSONField()
    spec_digest = models.CharField(max_length=64)
    mechanism = models.CharField(max_length=60, db_index=True)  # spec.mechanism.name, to filter by
    seeded = models.BooleanField(default=False)
    idempotency_key = models.CharField(max_length=100, default="", blank=True)
    data_file = models.CharField(max_length=80, default="", blank=True)
    data_sha256 = models.CharField(max_length=64, default="", blank=True)
    engine_version = models.CharField(max_length=40, default="", blank=True)  # the version that drew it, if it was kept
    summary = models.JSONField(null=True, blank=True)  # what every recipient of the release may know
    owner_view = models.JSONField(null=True, blank=True)  # measured against the original: the owner's alone
    derived_from = models.ForeignKey("self", on_delete=models.SET_NULL, null=True, blank=True, related_name="derived")
    source = models.JSONField(null=True, blank=True)  # {release, sha256} of that release, which outlives it

    objects = ProjectQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["-created_at"]
        indexes: ClassVar = [models.Index(fields=["dataset", "-created_at", "id"], name="release_newest_of_dataset")]
        constraints: ClassVar = [
            *job_constraints("release"),
            models.CheckConstraint(
                name="release_landmark_set_of_trajectories_alone",
                condition=Q(kind=Kind.TRAJECTORY) | Q(landmark_set__isnull=True),
            ),
            models.CheckConstraint(
                name="release_done_has_data", condition=~Q(state=State.DONE) | ~Q(data_file="") & ~Q(data_sha256="")
            ),
            one_per_key("release"),
        ]

    def __str__(self) -> str:
        return self.name or f"{self.mechanism} {self.pk}"

    @property
    def title(self) -> str:
        """What legends and lists call it: its mechanism, the steps after it and its level."""
        return naming.title(self.parsed_spec)

    @property
    def public_stem(self) -> str:
        """What its files in a bundle are called: by its parameters and its id, without any text of the owner."""
        return file_stem(*naming.file_parts(self.parsed_spec), self.pk.hex[:8])

    def file_name(self, extension: str, what: str = "") -> str:
        """What a download of it is called: dataset, parameters and ``what`` it has, if that is not the release."""
        return file_name(self.dataset.name, *naming.file_parts(self.parsed_spec), what, extension=extension)

    @property
    def job_title(self) -> str:
        """What the list of jobs calls it."""
        return self.name or f"{self.title}, {self.dataset.name}"

    @property
    def page_url(self) -> str:
        """The comparison with it."""
        return f"{reverse('releases:compare', args=[self.dataset_id])}?release={self.pk}"

    @property
    def protects_template(self) -> str:
        """The template of its level."""
        return f"releases/{self.kind}/_protects.html"

    @property
    def figures(self) -> list[dict[str, Any]]:
        """What was measured of it against the original: title, value and unit of each metric; the owner's alone."""
        values = self.owner_view or {}
        known = [(cls, values.get(cls.registered_name())) for cls in datatypes[self.kind].metrics]
        return [{"title": cls.title, "value": value, "unit": cls.unit} for cls, value in known if value is not None]

    @property
    def values(self) -> dict[str, Any]:
        """What columns of tables show of it, by their keys; errors are the owner's alone."""
        errors, verdict = self.owner_view or {}, self.verdict
        judged = (errors["median_error_m"], verdict) if "median_error_m" in errors else None
        return {**self.spec["mechanism"], **errors, "verdict": verdict, "judged": judged, "measured": self.figures}

    @property
    def verdict(self) -> Verdict | None:
        """The verdict on the errors measured of a release of trajectories; the owner's alone."""
        view, scale = self.owner_view or {}, stored_scale(self.dataset)
        if scale is None or "median_error_m" not in view:
            return None
        exposed = exposes(self.parsed_spec.mechanism.level, self.landmark_set.count if self.landmark_set else 0)
        errors_m = view["median_error_m"], view["p95_error_m"]
        return verdict(*errors_m, scale, noise_m=view.get("noise_m"), exposed=exposed)

    @property
    def formats(self) -> list[dict[str, Any]]:
        """Name, title, group and use of each format it can be exported in."""
        return export_formats(self.kind)

    @property
    def charged(self) -> bool:
        """True if it spends budget: drawn from the original and publishable."""
        return not self.seeded and self.source is None

    @property
    def parsed_spec(self) -> ReleaseSpec:
        """The description this row stores."""
        with stored(**(self.summary or {}).get("component", {"kind": self.kind})):
            return ReleaseSpec.parse(self.spec)

    @property
    def by_series(self) -> bool:
        """True if each series was drawn alone: it is from before people were known."""
        return bool(datatypes[self.kind].has_landmarks and self.summary and "landmarks_per_person" not in self.summary)

    @property
    def set_read(self) -> LandmarkSet | None:
        """The landmark set that its mechanism reads, on which its promise and what it publishes depend."""
        return self.landmark_set if self.landmark_set_id and self.parsed_spec.mechanism.reads_landmarks else None

    def steps_after(self, source: "Release") -> tuple[PostProcess, ...]:
        """The steps it adds to those of the release it is made from."""
        return tuple(self.parsed_spec.postprocess[len(source.parsed_spec.postprocess) :])

    def removed_with(self) -> list[str]:
        """Names of the files that are removed with the row."""
        return [str(self.folder), f"{Dataset.STORED_IN}/{self.dataset_id}/errors-{self.pk}-"]

    @property
    def budgets_path(self) -> StoredPath:
        """What every event's own draw consumed (public: it follows from the mechanism and the landmarks)."""
        return self.folder / f"budgets-{self.data_file}"

    @property
    def errors_path(self) -> StoredPath:
        """Errors against the original, grouping of a stream: with the dataset, where only its owner's views look."""
        return self.dataset.folder / f"errors-{self.pk}-{self.data_file}"

    @property
    def file_token(self) -> str:
        """What the names of its attempt's files have."""
        return Path(self.data_file).stem

    def beside(self, what: str) -> StoredPath:
        """What is made ahead of its owner's requests; removed with its errors."""
        return self.dataset.folder / f"errors-{self.pk}-{what}-{self.file_token}.zst"

    @property
    def drawn(self) -> Drawn:
        """What the map draws of it."""
        return Drawn(self.data_path, self.dataset.series_lengths, self.beside)


class ReleasePart(JobPart):
    """A part of a release: some of its people are drawn, or something is prepared of what was drawn."""

    TASK: ClassVar = "releases.part"

    job = models.ForeignKey(Release, on_delete=models.CASCADE, related_name="parts")

    class Meta:
        constraints: ClassVar = part_constraints("release_part")


def export_formats(kind: str) -> list[dict[str, Any]]:
    """Name, title, group and use of each format that releases of ``kind`` are exported in."""
    exports = datatypes[kind].exports.values()
    groups = list(dict.fromkeys(export.group for export in exports))
    ranked = sorted(exports, key=lambda export: groups.index(export.group))
    return [{name: getattr(export, name) for name in ("name", "title", "group", "use", "bundled")} for export in ranked]
