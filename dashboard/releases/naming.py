"""What a release is called: its mechanism, the steps after it and its level, "Skip · ε 1 / 200 m"."""

from collections.abc import Callable
from typing import Any

from dashboard.core.by_kind import ByKind
from dashboard.core.filenames import parameter_parts
from dashboard.core.templatetags.display import number
from privacy_engine.mechanisms.base.mechanism import Mechanism
from privacy_engine.releases.spec import ReleaseSpec

units: ByKind[Callable[[Any], str]] = ByKind("dashboard.releases", "naming")
"""What a level is about, by kind of data."""


def level_text(mechanism: Mechanism) -> str:
    """The level and what it is about: ε 1 / 200 m, ε 1 / 52 timestamps, ε 1 / user."""
    return f"ε {number(mechanism.epsilon, 6)} / {units[mechanism.kind](mechanism)}"


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
