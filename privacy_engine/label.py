"""The privacy label every download carries: what is protected, how much, against what, and by which release."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from privacy_engine import __version__
from privacy_engine.cleaning import CleaningStep
from privacy_engine.mechanisms.landmark.base import GRID_DEG
from privacy_engine.spec import ReleaseSpec

NOT_PRIVATE = "NOT PRIVATE: seeded simulation"
CLEAR_FIELDS = ("time", "series", "number of events")


@dataclass(frozen=True)
class Source:
    """The release that another one is made from by post-processing alone: its id and the SHA-256 of its points."""

    release: str
    sha256: str


def privacy_label(
    spec: ReleaseSpec,
    *,
    landmarks: int | None,
    release_id: str = "",
    sha256: str = "",
    derived_from: Source | None = None,
    cairn: str = __version__,
    cleaning: Sequence[CleaningStep] = (),
) -> dict[str, Any]:
    """The label of a release as JSON-ready data; ``text`` is the same in one line.

    ``landmarks`` is how many of the events are landmarks; ``cairn`` is the version that drew it, "" where that was not
    kept. A seeded release has ``guarantee`` None. Of the ``cleaning`` before, the steps that looked at positions are
    named: which events there are was decided by them, and no guarantee covers that.
    """
    mechanism = spec.mechanism
    guarantee = mechanism.guarantee(landmarks).as_dict() if spec.private else None
    caveat = uncovered(cleaning)
    if guarantee and caveat:
        guarantee["caveats"].append(caveat)
    statement = guarantee["statement"] if guarantee else NOT_PRIVATE
    parts = [
        statement,
        f"mechanism {mechanism.name}",
        f"level {mechanism.level}",
        f"epsilon {mechanism.epsilon:g} per {mechanism.radius_m:g} m",
        *(f"then {step.title} over the release" for step in spec.postprocess),
        *([_origin(derived_from)] if derived_from else []),
        *([caveat] if caveat else []),
        f"in clear: {', '.join(CLEAR_FIELDS)}",
        f"noise from {'the operating system' if spec.private else f'seed {spec.seed}'}",
        f"drawn by Cairn {cairn}" if cairn else "drawn by Cairn, which version was not kept",
    ]
    if release_id:
        parts.append(f"release {release_id}")
    if sha256:
        parts.append(f"sha256 {sha256}")
    return {
        "text": "; ".join(part.rstrip(".") for part in parts),
        "private": spec.private,
        "guarantee": guarantee,
        "spec": spec.model_dump(),
        "unit": "one series",
        "level": mechanism.level,
        "epsilon": mechanism.epsilon,
        "radius_m": mechanism.radius_m,
        "grid_degrees": GRID_DEG,
        "clear_fields": list(CLEAR_FIELDS),
        "cleaning": [step.model_dump() for step in cleaning],
        "noise": "operating system" if spec.private else "seeded",
        "cairn": cairn or None,
        "release": release_id,
        "sha256": sha256,
        "derived_from": asdict(derived_from) if derived_from else None,
    }


def uncovered(cleaning: Sequence[CleaningStep]) -> str:
    """What no guarantee covers of ``cleaning``: that of steps which looked at positions; else empty."""
    looked = ", ".join(step.name for step in cleaning if step.reads == "positions")
    said = f"Not covered: which events were left out before by cleaning that looked at positions ({looked})."
    return said if looked else ""


def _origin(source: Source) -> str:
    return f"post-processing of release {source.release} (sha256 {source.sha256}), without another look at the original"
