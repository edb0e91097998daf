"""Requests about releases that are not yet made."""

from __future__ import annotations

from typing import Any, get_args

from rest_framework import serializers

from dashboard.core.rest.parsing import Anything, Number, RowField
from dashboard.datasets.selectors import visible_datasets
from dashboard.landmarks.loss_serializers import CorrelationField
from dashboard.landmarks.selectors import visible_landmark_sets
from dashboard.releases.serializers import STEPS, ComparedField
from dashboard.releases.services import require_landmarks
from privacy_engine.analysis import best_guess
from privacy_engine.analysis.accepted_error import LEAST, MOST, Figure
from privacy_engine.errors import ParameterError
from privacy_engine.mechanisms.base.mechanism import Mechanism, mechanisms
from privacy_engine.postprocess import postprocesses
from privacy_engine.releases.spec import ReleaseSpec, SimulatedSpec, parse_steps

LEAST_M, MOST_M = 1.0, 1e7
"""Errors that may be accepted, in metres."""


def _mechanism(data: Any, field: str) -> Mechanism:
    """A mechanism that releases trajectories."""
    return mechanisms.of("trajectory").parse(data, field=field)


def _release(data: Any, field: str) -> ReleaseSpec:
    """A release of trajectories, ``{mechanism, postprocess}``."""
    given = data if isinstance(data, dict) else {}
    mechanism = _mechanism(given.get("mechanism"), f"{field}.mechanism")
    steps = postprocesses.parse_list(given.get("postprocess", []), field=f"{field}.postprocess")
    return SimulatedSpec.parse({"mechanism": mechanism, "postprocess": steps})


class SubjectRequest(serializers.Serializer[Any]):
    """Mechanisms over a landmark set; those that read no landmarks also over a dataset without one."""

    dataset = RowField(
        visible_datasets,
        required=False,
        allow_null=True,
        default=None,
        help_text="Of trajectories; required without a landmark set.",
    )
    landmark_set = RowField(
        visible_landmark_sets,
        required=False,
        allow_null=True,
        default=None,
        help_text="Required where a mechanism reads landmarks.",
    )
    mechanisms = ComparedField(_mechanism)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs["landmark_set"] is None:
            require_landmarks(attrs["mechanisms"])
            if attrs["dataset"] is None:
                rule = "given where there is no landmark_set"
                raise ParameterError(f"dataset must be {rule}", field="dataset", rule=rule, value=None)
        return attrs


class MechanismsRequest(SubjectRequest):
    """Mechanisms, and the steps that would follow each of them."""

    postprocess = Anything(STEPS, required=False, default=list)

    def validate_postprocess(self, value: Any) -> Any:
        return parse_steps(value)


class ReleasesRequest(MechanismsRequest):
    """Releases, each with steps of its own; or mechanisms, all with the same steps."""

    mechanisms = ComparedField(_mechanism, required=False)
    releases = ComparedField(_release, required=False, help_text="Instead of mechanisms and postprocess.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        given, steps = attrs.pop("releases", None), attrs.pop("postprocess")
        rule = "exactly one of mechanisms and releases"
        if (given is None) == ("mechanisms" not in attrs):
            raise ParameterError(f"{rule} must be given", field="mechanisms", rule=rule, value=None)
        releases = given or [SimulatedSpec(mechanism=mechanism, postprocess=steps) for mechanism in attrs["mechanisms"]]
        super().validate(attrs | {"mechanisms": [release.mechanism for release in releases]})
        attrs.pop("mechanisms", None)
        return attrs | {"releases": releases}


class ErrorsRequest(ReleasesRequest):
    """Releases whose errors are forecast."""

    smoothing = serializers.BooleanField(
        default=False,
        help_text="Also the best of them that has no steps, followed by a smoother: the last in the answer.",
    )


class LevelsRequest(ReleasesRequest):
    """An error that is accepted; the level of each mechanism is where the search starts.

    Without an error: a named radius at which it is usable at its ε, the largest; else the least ε at the smallest one.
    """

    accepted_m = Number(
        required=False,
        default=None,
        help_text=f"Metres, from {LEAST_M:g} to {MOST_M:,.0f}; without it a usable release is sought.",
    )
    figure = serializers.ChoiceField(
        choices=get_args(Figure), default="typical_m", help_text="What is at most the accepted error."
    )

    def validate_accepted_m(self, value: float | None) -> float | None:
        if value is not None and not LEAST_M <= value <= MOST_M:
            rule = f"from {LEAST_M:g} to {MOST_M:,.0f} m"
            message = f"accepted_m must be {rule}, got {value:g}"
            raise ParameterError(message, field="accepted_m", rule=rule, value=value)
        return value


class CostsRequest(MechanismsRequest):
    """A protection, as a level or as a guess; the levels of the mechanisms are replaced by it."""

    epsilon = Number(
        required=False, help_text=f"The level within the reference radius of the dataset, from {LEAST:g} to {MOST:g}."
    )
    guess = Number(
        required=False,
        help_text=f"Instead of epsilon, from {best_guess.LEAST:g} to {best_guess.MOST:g}: how likely a guess "
        "between two equally likely places, that radius apart, may be right at most.",
    )

    def validate_epsilon(self, value: float) -> float:
        if not LEAST <= value <= MOST:
            rule = f"from {LEAST:g} to {MOST:g}"
            raise ParameterError(f"epsilon must be {rule}, got {value:g}", field="epsilon", rule=rule, value=value)
        return value

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        given, rule = [attrs.pop(name, None) for name in ("epsilon", "guess")], "exactly one of epsilon and guess"
        if given.count(None) != 1:
            raise ParameterError(f"{rule} must be given", field="epsilon", rule=rule, value=given[0])
        epsilon, guess = given
        return super().validate(attrs) | {"epsilon": best_guess.level_of_guess(guess) if epsilon is None else epsilon}


class ForecastRequest(MechanismsRequest):
    """Mechanisms, and the correlation under which losses are computed."""

    correlation = CorrelationField(
        required=False,
        allow_null=True,
        default=None,
        help_text="Of the losses; without one there are none.",
    )
    errors = serializers.BooleanField(
        default=True, help_text="Also the errors to expect, which are computed from the original; they take longest."
    )
