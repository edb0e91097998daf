"""Correlations and losses as the API speaks of them."""

from __future__ import annotations

import json
from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from dashboard.core.rest.parsing import Anything, Number, Whole
from dashboard.landmarks.correlation import Correlation, named
from dashboard.landmarks.loss import BOUNDS
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


def correlation_of(asked: dict[str, Any], dataset: Any) -> Correlation:
    """Take what a :class:`CorrelationQuery` checked out of ``asked``."""
    return Correlation.asked(dataset=dataset, **{name: asked.pop(name) for name in CORRELATION if name in asked})


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
            raise ParameterError(f"{name} must be {rule}, got {data!r:.60}", field=name, rule=rule, value=data)
        return data


Numbers = {"type": "array", "nullable": True, "items": {"type": "number"}}


@extend_schema_field(Numbers)
class Curve(serializers.ListField):
    """A value for each event shown; null where there is none to tell."""


class CorrelationShown(serializers.Serializer[Any]):
    """The correlation an answer was worked out under."""

    kind = serializers.CharField(help_text="smoothed, given or estimated.")
    s = serializers.FloatField(allow_null=True)
    n = serializers.IntegerField(allow_null=True)
    cell_m = serializers.FloatField(allow_null=True)
    smoothing = serializers.FloatField(allow_null=True)
    diameter_m = serializers.FloatField(help_text="How far apart the positions of two states lie at most.")
    states = serializers.IntegerField()
    mismatch = serializers.FloatField(help_text="0 where both matrices belong to one stationary chain.")
    data_dependent = serializers.BooleanField(help_text="Read off the original: publish nothing of this answer.")
    note = serializers.CharField()
    backward_matrix = serializers.ListField(child=serializers.ListField(child=serializers.FloatField()), required=False)
    forward_matrix = serializers.ListField(child=serializers.ListField(child=serializers.FloatField()), required=False)


class LandmarkLossShown(serializers.Serializer[Any]):
    """What the landmarks leak together, with one more event and without; null where it is not defined."""

    bound = serializers.ChoiceField(choices=list(BOUNDS), allow_null=True)
    upper_bound = serializers.BooleanField(allow_null=True, help_text="False for the published formula.")
    why = serializers.CharField(help_text="Why it is not the bridged bound; empty where it is or was not asked for.")
    own = Curve(help_text="Each event's own part.")
    joint = Curve(help_text="All landmarks and this event together.")
    landmarks_only = serializers.FloatField(allow_null=True)
    level = serializers.FloatField(
        allow_null=True, help_text="Landmarks and one event without correlation, at the distance of the states."
    )
    undefined = serializers.CharField(help_text="Why there is none; else empty.")


class SupremumShown(serializers.Serializer[Any]):
    """What a series that spends at most ``budget`` at each event never exceeds; null: there is no such limit."""

    budget = serializers.FloatField()
    backward = serializers.FloatField(allow_null=True)
    forward = serializers.FloatField(allow_null=True)
    total = serializers.FloatField(allow_null=True)


# Reports ------------------------------------------------------------------------------------------


class ParametersField(serializers.CharField):
    """Parameters of mechanisms by their names, as JSON text; the rules are the mechanisms'."""

    def __init__(self, **kwargs: Any) -> None:
        said = 'What some mechanisms are given of their own, as JSON: {"landmark-adaptive": {"reading": "literal"}}.'
        super().__init__(default="", allow_blank=True, max_length=MAX_PARAMETERS, help_text=said, **kwargs)

    def to_internal_value(self, data: Any) -> Any:
        text, name = super().to_internal_value(data), self.field_name or ""
        try:
            found = json.loads(text or "{}")
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise ParameterError(f"{name} must be a JSON object", field=name, rule="a JSON object", value=text)
        return found


class LossQuery(CorrelationQuery):
    """A landmark set's report: which series, which level, under which correlation."""

    epsilon = Number(default=1.0, help_text="The level each mechanism is given.")
    radius_m = Number(default=1.0, help_text="The radius each is given; ε grows by diameter_m / radius_m.")
    parameters = ParametersField()
    bound = BoundField()
    series = Whole(default=0)
    points = Whole(default=600, help_text="At most so many events, each curve's extremes kept.")


class PartsShown(serializers.Serializer[Any]):
    """All landmarks and the worst event; the worst event alone."""

    joint = serializers.FloatField()
    own = serializers.FloatField()


class OverallShown(serializers.Serializer[Any]):
    """The largest values of one mechanism by one bound."""

    joint = serializers.FloatField(help_text="All landmarks and the worst event.")
    own = serializers.FloatField(help_text="The worst event alone.")
    landmarks_only = serializers.FloatField()
    least = PartsShown(allow_null=True, help_text="Of simulated runs, where runs differ; the values above are medians.")
    greatest = PartsShown(allow_null=True, help_text="The same: the greatest of the runs.")
    most = PartsShown(allow_null=True, help_text="What no run exceeds, whatever it draws, by this formula.")


class SimulatedShown(serializers.Serializer[Any]):
    """Runs on generated walks, where budgets depend on the run."""

    runs = serializers.IntegerField(help_text="0: too long to try out; the values are what no run exceeds.")
    note = serializers.CharField()


class MechanismLossShown(serializers.Serializer[Any]):
    """One mechanism's row; medians of simulated runs where its budgets depend on the run."""

    name = serializers.CharField()
    title = serializers.CharField()
    parameters = serializers.DictField(help_text="All but ε; examples where it needs some.")
    why_not = serializers.CharField(help_text="Why it has no losses here; else empty.")
    simulated = SimulatedShown(allow_null=True, help_text="null where its budgets are known beforehand.")
    level = serializers.FloatField(
        allow_null=True, help_text="Landmarks and one event without correlation, at the distance of the states."
    )
    highest_budget = serializers.FloatField(allow_null=True, help_text="The same of the worst event alone.")
    bridge = OverallShown(allow_null=True)
    published = OverallShown(allow_null=True)
    own = Curve()
    own_low = Curve(help_text="The least of the simulated runs.")
    own_high = Curve(help_text="The greatest.")
    joint = Curve()
    joint_low = Curve()
    joint_high = Curve()


class LossReport(serializers.Serializer[Any]):
    """What mechanisms leak over a landmark set. Reads which events are landmarks only."""

    landmark_set = serializers.UUIDField()
    series = serializers.IntegerField()
    points = serializers.IntegerField()
    count = serializers.IntegerField()
    share = serializers.FloatField()
    runs = serializers.IntegerField(help_text="Stretches of successive landmarks.")
    average_temporal_distance = serializers.FloatField()
    epsilon = serializers.FloatField()
    radius_m = serializers.FloatField()
    epsilon_at_distance = serializers.FloatField(help_text="epsilon × correlation.diameter_m / radius_m.")
    correlation = CorrelationShown()
    bound = serializers.ChoiceField(choices=list(BOUNDS), help_text="That of the curves.")
    why = serializers.CharField(help_text="Why it is not the bridged bound; empty where it is or was not asked for.")
    event = serializers.ListField(child=serializers.IntegerField())
    landmarks = serializers.ListField(child=serializers.ListField(child=serializers.IntegerField()))
    decimated = serializers.BooleanField()
    mechanisms = MechanismLossShown(many=True)


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
    landmark_set = serializers.UUIDField(required=False)
    series = Whole(default=0)
    correlation = CorrelationField(required=False, default=dict)
    method = serializers.ChoiceField(
        choices=["quantification", "upper-bound"],
        default="quantification",
        help_text="quantification: more at both ends, the target at every event. upper-bound: the same everywhere, "
        "also where the length is not known.",
    )
    points = Whole(default=600)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("n" in attrs) == ("landmark_set" in attrs):
            rule = "named, or a landmark_set, and not both"
            raise ParameterError(f"n must be {rule}", field="n", rule=rule, value=attrs.get("n"))
        return attrs


class PlanShown(serializers.Serializer[Any]):
    """The budgets, and that the loss stays at the target."""

    alpha = serializers.FloatField()
    n = serializers.IntegerField()
    radius_m = serializers.FloatField(help_text="Budgets are levels within this radius.")
    method = serializers.CharField()
    first = serializers.FloatField()
    middle = serializers.FloatField(allow_null=True, help_text="Of every event between; null where there is none.")
    last = serializers.FloatField()
    highest = serializers.FloatField(help_text="The largest loss of any event under this plan.")
    user_level = serializers.FloatField(help_text="What each event could spend if nothing were known: alpha / n.")
    correlation = CorrelationShown()
    event = serializers.ListField(child=serializers.IntegerField())
    budget = Curve()
    backward = Curve()
    forward = Curve()
    total = Curve()
