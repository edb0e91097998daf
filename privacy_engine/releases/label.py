"""The privacy label every download carries: what is protected, how much, against what, and by which release."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Annotated, Any

from pydantic import Field

from privacy_engine import __version__
from privacy_engine.accounting.promise import ONE_PERSON, Context
from privacy_engine.cleaning import CleaningStep
from privacy_engine.core.params import Frozen
from privacy_engine.landmarks import LandmarkMethod, MarkedBeside, landmark_choice
from privacy_engine.releases.spec import ReleaseSpec

NOT_PRIVATE = "NOT PRIVATE: seeded simulation"


Digest = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


@dataclass(frozen=True)
class Source:
    """The release that another is made from by post-processing alone: its id and the SHA-256 of its points."""

    release: str
    sha256: str


class NeighboursLabel(Frozen):
    """The neighbour relation of a promise: which pairs of data sets it is about."""

    words: str
    symbols: str


class GuaranteeLabel(Frozen):
    """A guarantee: one sentence with its conditions and what it does not cover, what it assumes, caveats."""

    level: str
    unit: str
    neighbours: NeighboursLabel
    epsilon: float
    radius_m: float | None
    statement: str
    assumptions: list[str]
    caveats: list[str]
    not_covered: list[str]


class SourceLabel(Frozen):
    """The release that this one is made from by post-processing alone."""

    release: str
    sha256: str


class Label(Frozen):
    """The privacy label of a release: every exported file carries it."""

    text: str = Field(description="The label in one line.")
    private: bool = Field(
        description="False for a seeded simulation, which has no guarantee and must not be published."
    )
    guarantee: GuaranteeLabel | None
    spec: dict[str, Any] = Field(description="Mechanism with its parameters, seed, and the steps after it.")
    kind: str = Field("trajectory", description="The kind of data: trajectory, stream or checkins.")
    unit: str = Field(description='What the promise is about: "one person", "one event", "one user".')
    neighbours: NeighboursLabel
    level: str = Field(description="What is protected: event, w-event, landmark, user or record.")
    epsilon: float = Field(
        description="The level promised about the upload, within radius_m where there is one; "
        "without a guarantee the mechanism's."
    )
    radius_m: float | None = Field(description="The radius in metres within which the level holds; null without one.")
    window: int | None = Field(None, description="Successive timestamps that share the level, of a count stream.")
    sensitivity: int | None = Field(None, description="The most that neighbours differ by, in counts.")
    counted: dict[str, Any] | None = Field(
        None, description="How counts were made of events: the grid, whose cells are the names, and what counts once."
    )
    landmarks: int | None = Field(None, description="The largest number of landmarks of any one person.")
    stability: int = Field(
        1, description="The most events that one uploaded record decides; epsilon contains this factor."
    )
    whole_trace_epsilon: float | None = Field(
        None, description="What all events of a person together leak at most, within radius_m."
    )
    noise_p95_m: float | None = Field(
        None,
        description="Metres that noise moves 95 % of the published positions by at most; positions that repeat earlier "
        "ones also lack the movement since. Null after post-processing, and where budgets depend on the positions.",
    )
    not_covered: list[str] = Field(description="What the promise does not cover; empty where all is covered.")
    grid_degrees: float | None = Field(None, description="Positions are whole multiples of this; null without any.")
    clear_fields: list[str] = Field(description="What leaves without noise.")
    cleaning: list[dict[str, Any]] = Field(description="Steps between the upload and the events of the mechanism.")
    noise: str = Field(description='Where randomness came from: "operating system" or "seeded".')
    cairn: str | None = Field(description="The version that drew the release.")
    ledger_entry: str | None = Field(
        description="The charge in the ledger; null where nothing was charged, and behind public links."
    )
    release: str
    derived_from: SourceLabel | None
    sha256: str = Field(description="SHA-256 of what is published, the same in every format.")
    label_sha256: Digest = Field(description="SHA-256 of this label's canonical JSON without this field.")


def label_digest(label: Mapping[str, Any]) -> str:
    """SHA-256 of a label's JSON with sorted keys and no blanks, without its own ``label_sha256``."""
    rest = {name: value for name, value in label.items() if name != "label_sha256"}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def privacy_label(
    spec: ReleaseSpec,
    context: Context,
    *,
    private: bool,
    release_id: str = "",
    sha256: str = "",
    derived_from: Source | None = None,
    cairn: str = __version__,
    cleaning: Sequence[CleaningStep] = (),
    ledger_entry: str = "",
) -> dict[str, Any]:
    """The label of a release as JSON-ready data; ``text`` is the same in a line.

    ``context`` is what the promise depends on beside the mechanism: :func:`release_context` makes it. ``private`` is
    whether all noise came from the operating system (:class:`~privacy_engine.data.Release` records it); without it,
    or with a seed, nothing is promised: ``guarantee`` is None and ``epsilon`` the mechanism's. ``cairn`` is the version
    that drew the release, "" where that was not kept; ``ledger_entry`` names its charge.
    """
    mechanism, private = spec.mechanism, private and spec.private
    promised = mechanism.guarantee(context)
    guarantee = promised.as_dict() if private else None
    parts = [
        promised.statement if private else NOT_PRIVATE,
        f"mechanism {mechanism.name}",
        f"level {mechanism.protected_level()}",
        mechanism.level_text(),
        *(f"then {step.title} over the release" for step in spec.postprocess),
        *([_origin(derived_from)] if derived_from else []),
        *(mechanism.label_parts(context) if private else ()),
        f"in clear: {', '.join(mechanism.clear_fields)}",
        mechanism.grid_text,
        f"noise from {_source_of_noise(spec, private)}",
        f"drawn by Cairn {cairn}" if cairn else "drawn by Cairn, which version was not kept",
    ]
    named = {"ledger entry": ledger_entry, "release": release_id, "sha256": sha256}
    parts += [f"{what} {value}" for what, value in named.items() if value]
    fields = {
        "text": "; ".join(part.rstrip(".") for part in parts),
        "private": private,
        "guarantee": guarantee,
        "spec": spec.model_dump(),
        "kind": mechanism.kind,
        "unit": promised.unit,
        "neighbours": asdict(promised.neighbours),
        "level": mechanism.protected_level(),
        "epsilon": promised.epsilon if private else mechanism.epsilon,
        "radius_m": None,
        **mechanism.label_fields(context),
        "not_covered": list(promised.not_covered),
        "clear_fields": list(mechanism.clear_fields),
        "cleaning": [step.model_dump() for step in cleaning],
        "noise": "operating system" if private else "seeded",
        "cairn": cairn or None,
        "ledger_entry": ledger_entry or None,
        "release": release_id,
        "sha256": sha256,
        "derived_from": asdict(derived_from) if derived_from else None,
    }
    label = Label(**fields, label_sha256="0" * 64).model_dump()
    return label | {"label_sha256": label_digest(label)}


def release_context(
    *,
    landmarks: int,
    method: LandmarkMethod | None = None,
    beside: MarkedBeside | None = None,
    earlier_per_m: float = 0.0,
    cleaning: Sequence[CleaningStep] = (),
    unit: str = ONE_PERSON,
    whole_trace: float | None = None,
    noise_p95_m: float | None = None,
    stability: int = 1,
) -> Context:
    """What a release's promise depends on: the largest number of ``landmarks`` of a person, and how all came about.

    ``method``, ``beside`` and ``earlier_per_m`` are those of :func:`privacy_engine.landmarks.coverage.landmark_choice`.
    ``stability`` is how many events an uploaded record decides after ``cleaning``
    (:func:`privacy_engine.cleaning.stability_of`).
    """
    return Context(
        landmarks=landmarks,
        unit=unit,
        stability=stability,
        choice=landmark_choice(method, beside=beside, stability=stability, earlier_per_m=earlier_per_m),
        provided=tuple(dict.fromkeys(condition for step in cleaning for condition in step.conditions)),
        not_covered=uncovered_cleaning(cleaning),
        whole_trace=whole_trace,
        noise_p95_m=noise_p95_m,
    )


def uncovered_cleaning(cleaning: Sequence[CleaningStep]) -> tuple[str, ...]:
    """What no promise covers of ``cleaning``, as noun phrases: that of steps which read positions."""
    names = ", ".join(step.name for step in cleaning if step.reads == "positions")
    return (f"which events were left out before by cleaning that reads positions ({names})",) if names else ()


def _source_of_noise(spec: ReleaseSpec, private: bool) -> str:
    if private:
        return "the operating system"
    return "a generator that the caller supplied" if spec.seed is None else f"seed {spec.seed}"


def _origin(source: Source) -> str:
    return f"post-processing of release {source.release} (sha256 {source.sha256}), without another look at the original"
