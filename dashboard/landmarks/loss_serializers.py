"""Parameters of correlations, losses and plans in the API."""

import json
from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from dashboard.core.errors import must_be
from dashboard.core.rest.parsing import Anything, Number, RowField, Whole
from dashboard.landmarks.correlation import named, parse_correlation
from dashboard.landmarks.selectors import visible_landmark_sets
from privacy_engine.analysis.correlation import Correlation
from privacy_engine.analysis.losses import BOUNDS
from privacy_engine.errors import ParameterError

MAX_PARAMETERS = 4000


class CorrelationQuery(serializers.Serializer[Any]):
    """The temporal correlation an adversary knows: smoothed, given, or estimated from the dataset."""

    n = Whole(default=2, help_text="States of the smoothing matrix, both ways.")
    s = Number(default=0.1, help_text="How far it is smoothed: 0 is the strongest correlation.")
    backward = serializers.CharField(
        default="",
        allow_blank=True,
        help_text='Pr(previous | present) as JSON, [[…], …], instead of n and s; or "reversal" of forward.',
    )
    forward = serializers.CharField(
        default="",
        allow_blank=True,
        help_text='Pr(next | present) as JSON, [[…], …], instead of n and s; or "reversal" of backward.',
    )
    cell_m = Number(
        required=False,
        help_text="Estimate both from the original over square cells of so many metres. The answer is then "
        "data-dependent: for the owner, not for publication.",
    )
    smoothing = Number(required=False, help_text="With cell_m: what every move counts beforehand (1).")
    diameter_m = Number(
        required=False,
        help_text="How far apart the positions of two states lie at most, in metres: levels grow with the distance. "
        "Required without cell_m; with it the cells' distances are known.",
    )


CORRELATION = tuple(CorrelationQuery().fields)


def correlation_of(params: dict[str, Any], dataset: Any) -> Correlation:
    """Take the parameters of a :class:`CorrelationQuery` out of ``params``."""
    return parse_correlation(dataset=dataset, **{name: params.pop(name) for name in CORRELATION if name in params})


class BoundField(serializers.ChoiceField):
    """Which of the two landmark losses."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(
            choices=list(BOUNDS),
            allow_blank=True,
            default="",
            help_text="bridge: an upper bound on what the landmarks leak together. published: the formula as printed, "
            "which is none. Left out: bridge where it can be had.",
            **kwargs,
        )

    def to_internal_value(self, data: Any) -> Any:
        if data not in ("", *BOUNDS):
            rule = " or ".join(BOUNDS)
            name = self.field_name or ""
            raise must_be(name, rule, data, got=f"{data!r:.60}")
        return data


# Reports ------------------------------------------------------------------------------------------


class ParametersField(serializers.CharField):
    """Parameters of mechanisms by their names, as JSON text; the rules are the mechanisms'."""

    def __init__(self, **kwargs: Any) -> None:
        description = (
            'What some mechanisms are given of their own, as JSON: {"landmark-adaptive": {"reading": "literal"}}.'
        )
        super().__init__(default="", allow_blank=True, max_length=MAX_PARAMETERS, help_text=description, **kwargs)

    def to_internal_value(self, data: Any) -> Any:
        text, name = super().to_internal_value(data), self.field_name or ""
        try:
            parsed = json.loads(text or "{}")
        except (ValueError, RecursionError):
            parsed = None
        if not isinstance(parsed, dict):
            raise ParameterError(f"{name} must be a JSON object", field=name, rule="a JSON object", value=text)
        return parsed


class LossQuery(CorrelationQuery):
    """A landmark set's report: which series, which level, under which correlation."""

    epsilon = Number(default=1.0, help_text="The level each mechanism is given.")
    radius_m = Number(default=1.0, help_text="The radius each is given; ε grows by diameter_m / radius_m.")
    parameters = ParametersField()
    bound = BoundField()
    series = Whole(default=0)
    points = Whole(default=600, help_text="At most so many events, each curve's extremes kept.")


# Plans --------------------------------------------------------------------------------------------


@extend_schema_field(OpenApiTypes.OBJECT)
class CorrelationField(Anything):
    """An object of what :class:`CorrelationQuery` takes, matrices as lists or as text."""

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        name = self.field_name or ""
        if not isinstance(data, dict):
            raise ParameterError(f"{name} must be an object", field=name, rule="object")
        unknown = sorted(set(data) - set(CORRELATION))
        if unknown:
            field = f"{name}.{unknown[0]:.40}"
            raise ParameterError(f"{field} is not a parameter here", field=field, rule="is not a parameter here")
        matrices = {key: data[key] for key in ("backward", "forward") if key in data}
        checked = CorrelationQuery(data={key: value for key, value in data.items() if key not in matrices})
        with named(name):
            checked.is_valid(raise_exception=True)
        return dict(checked.validated_data) | matrices


class PlanRequest(serializers.Serializer[Any]):
    """Budgets whose temporal loss stays at a target: for so many events, or for a series of a landmark set."""

    alpha = Number(help_text="The loss allowed at every event, between states as far apart as diameter_m.")
    radius_m = Number(help_text="The budgets are levels within this radius.")
    n = Whole(required=False, help_text="How many events; or name a landmark set.")
    landmark_set = RowField(visible_landmark_sets, required=False)
    series = Whole(default=0)
    correlation = CorrelationField(default=dict)
    method = serializers.ChoiceField(
        choices=["quantification", "upper-bound"],
        default="quantification",
        help_text="quantification: more at both ends, the target at every event. upper-bound: the same everywhere, "
        "also where the length is not known.",
    )
    points = Whole(default=600)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("n" in attrs) == ("landmark_set" in attrs):
            raise must_be("n", "named, or a landmark_set, and not both", attrs.get("n"), got=False)
        return attrs
