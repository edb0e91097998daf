"""The form of an experiment on trajectories."""

from typing import Any, ClassVar

from django.http import Http404
from django.urls import reverse

from dashboard.datasets.ledger import budget_of
from dashboard.datasets.models import Dataset
from dashboard.datasets.selectors import USUAL_RADIUS_M, reference_radius_m
from dashboard.experiments.common.pages import Pages
from privacy_engine.analysis.reference_radius import PAPER, RADII
from privacy_engine.experiments import ExperimentSpec, presets

AROUND = (0.1, 0.3, 1.0, 3.0, 10.0)
"""Levels beside that of the release, as multiples of it."""
REPETITIONS = 20
STAY = {"distance_m": 200.0, "duration_s": 1800.0}
NEAR_M = 500.0
NONE = {"name": "manual", "events": []}
"""Landmarks of a release that has no landmark set."""


def attacks_on(release: Any) -> dict[str, Any]:
    """What would be learned from such a release: its description over its landmarks, at several levels.

    The landmarks are those its set's method marks, none without a set; errors, stays found again, and where there are
    times home and workplace are measured. The release itself is not read.
    """
    described = release.parsed_spec.model_dump(exclude={"seed"})
    level = described["mechanism"]["epsilon"]
    metrics: list[Any] = ["error", "hausdorff"]
    if release.dataset.has_time:
        metrics += [{"name": "poi-recall", **STAY}]
        metrics += [
            {"name": name, **STAY, "within_m": NEAR_M} for name in ("home-found", "home-distance", "work-found")
        ]
    spec = ExperimentSpec.parse(
        {
            "base": {"release": described, "landmarks": release.landmark_set.method if release.landmark_set else NONE},
            "grid": {"release.mechanism.epsilon": [float(f"{level * times:.3g}") for times in AROUND]},
            "repetitions": REPETITIONS,
            "seed": 1,
            "metrics": metrics,
        }
    )
    return {"name": f"Attacks on {release.title}", "dataset": str(release.dataset_id), "spec": spec.model_dump()}


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
