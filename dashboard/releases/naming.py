"""What a release is called: its mechanism, the steps after it and its level, "Skip · ε 1 / 200 m"."""

from __future__ import annotations

from typing import Any

from dashboard.core.filenames import parameter_parts
from dashboard.core.templatetags.display import metres, number
from privacy_engine.core import plurals
from privacy_engine.releases.spec import ReleaseSpec


def level_text(mechanism: Any) -> str:
    """The level and what it is about: ε 1 / 200 m, ε 1 / 52 timestamps, ε 1 / user."""
    if mechanism.kind == "trajectory":
        unit = metres(mechanism.radius_m)
    elif mechanism.kind == "stream":
        unit = "timestamp" if mechanism.window == 1 else plurals.counted(mechanism.window, "timestamp")
    else:
        unit = "user" if mechanism.privacy_unit == "user" else "check-in"
    return f"ε {number(mechanism.epsilon, 6)} / {unit}"


def title(spec: ReleaseSpec) -> str:
    """What legends, lists and notifications call a release of ``spec``."""
    return f"{spec.title} · {level_text(spec.mechanism)}"


def file_parts(spec: ReleaseSpec) -> list[str]:
    """The parts of its files' names after that of the dataset: landmark-skip, eps1, D200m, ou-smoother, seed7."""
    seeded = [] if spec.seed is None else [f"seed{spec.seed}"]
    return [
        spec.mechanism.name,
        *parameter_parts(spec.mechanism),
        *(step.name for step in spec.postprocess),
        *seeded,
    ]
