"""Where an experiment may begin: at a release, tried again and attacked at levels around its own."""

from typing import Any

from privacy_engine.experiments import ExperimentSpec

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
