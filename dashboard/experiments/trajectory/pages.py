"""The form of an experiment on trajectories."""

from typing import Any, ClassVar

from django.http import Http404
from django.urls import reverse

from dashboard.datasets.ledger import budget_of
from dashboard.datasets.models import Dataset
from dashboard.datasets.selectors import USUAL_RADIUS_M, reference_radius_m
from dashboard.experiments.common.pages import Pages
from dashboard.experiments.trajectory.starting import attacks_on
from privacy_engine.analysis.reference_radius import PAPER, RADII
from privacy_engine.experiments import presets

SYNTHETIC = {
    "error-tdrive": ("A generated taxi", "Sparse: a fix every three minutes, as in T-Drive."),
    "error-geolife": ("A synthetic walk", "Dense: a fix every five seconds, as in Geolife."),
}
"""Presets whose series stand for real ones; of a dataset they take the first events."""


class TrajectoryPages(Pages):
    """Landmarks, dummies and an adversary's model beside the mechanisms."""

    templates: ClassVar[str] = "experiments/trajectory"

    def choices(self, kind: str) -> dict[str, Any]:
        generated = [
            {"preset": name, "like": _like(name), "title": title, "description": text}
            for name, (title, text) in SYNTHETIC.items()
        ]
        radii = {"radius_m": USUAL_RADIUS_M, "radii": [radius.model_dump() for radius in (PAPER, *RADII)]}
        return {"generated": generated} | radii

    def choice(self, dataset: Dataset) -> dict[str, Any]:
        radius = {"radius_m": reference_radius_m(dataset, budget_of(dataset))}
        return radius | {"time": dataset.has_time, "mark": reverse("landmarks:new", args=[dataset.pk])}

    def attacks_on(self, release: Any) -> dict[str, Any]:
        """With dummies there is no method that marks the same again."""
        if release.landmark_set is not None and release.landmark_set.source_id is not None:
            raise Http404
        return attacks_on(release)


def _like(preset: str) -> str:
    parsed: Any = presets.parse({"name": preset})
    generated = parsed.selection().generated
    return "" if generated is None else generated.like


ADAPTER = TrajectoryPages()
