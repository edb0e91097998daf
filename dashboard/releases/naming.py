"""What a release is called: its mechanism, the steps after it and its level, "Skip · ε 1 / 200 m"."""

from __future__ import annotations

import re
from typing import Any

from dashboard.core.templatetags.display import metres, number
from privacy_engine import plurals
from privacy_engine.spec import ReleaseSpec


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


def file_stem(spec: ReleaseSpec, id: str) -> str:
    """What its files are called: landmark-skip-eps-1-per-200-m-1a2b3c4d."""
    level = level_text(spec.mechanism).replace("ε", "eps").replace("/", "per")
    return "-".join([spec.mechanism.name, re.sub(r"[^a-z0-9.]+", "-", level.replace(",", "")), id[:8]])
