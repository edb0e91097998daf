"""The outlook of releases that are not yet made, as the API speaks of it."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from dashboard.core.rest.parsing import Anything
from dashboard.landmarks.loss import BOUNDS
from dashboard.landmarks.loss_serializers import CorrelationField, CorrelationShown
from dashboard.releases.serializers import OBJECTS, StepsField
from privacy_engine.errors import ParameterError, ParameterErrors
from privacy_engine.mechanism import mechanisms
from privacy_engine.mechanisms.base.trajectory import TrajectoryMechanism
from privacy_engine.spec import parse_steps

MAX_COMPARED = 20


@extend_schema_field(OBJECTS | {"minItems": 1, "maxItems": MAX_COMPARED})
class MechanismsField(Anything):
    """Mechanisms with their parameters; errors are named ``mechanisms.0.field``."""

    def to_internal_value(self, data: Any) -> list[TrajectoryMechanism]:
        if not isinstance(data, list) or not 1 <= len(data) <= MAX_COMPARED:
            rule = f"a list of 1 to {MAX_COMPARED} mechanisms"
            raise ParameterError(f"mechanisms must be {rule}", field="mechanisms", rule=rule, value=data)
        found, errors = [], []
        for i, one in enumerate(data):
            try:
                found.append(mechanisms.of("trajectory").parse(one, field=f"mechanisms.{i}"))
            except ParameterErrors as wrong:
                errors += wrong.errors
        if errors:
            raise ParameterErrors(errors)
        return found


class OutlookRequest(serializers.Serializer[Any]):
    """Mechanisms over a landmark set, and the steps that would follow each of them."""

    landmark_set = serializers.UUIDField()
    mechanisms = MechanismsField()
    postprocess = StepsField(required=False, default=list)
    correlation = CorrelationField(
        required=False, allow_null=True, default=None, help_text="Under which losses are told; without one none are."
    )

    def validate_postprocess(self, value: Any) -> Any:
        return parse_steps(value)


class ExpectedSerializer(serializers.Serializer[Any]):
    """Noise of a group of events; how far one moved since a draw that is repeated comes on top."""

    events = serializers.IntegerField()
    published = serializers.IntegerField()
    drawn = serializers.IntegerField(help_text="Events with noise of their own; the others repeat a draw.")
    share = serializers.ListField(
        child=serializers.FloatField(),
        allow_null=True,
        help_text="Least and greatest share of ε that a draw gets; null where nothing is drawn.",
    )
    mean_m = serializers.FloatField(allow_null=True)
    median_m = serializers.FloatField(allow_null=True)
    p95_m = serializers.FloatField(allow_null=True)


class NoiseSerializer(serializers.Serializer[Any]):
    """Landmarks, other events, all; ``exact`` is false where a generated walk was released to find out."""

    exact = serializers.BooleanField()
    landmark = ExpectedSerializer()
    regular = ExpectedSerializer()
    overall = ExpectedSerializer()


@extend_schema_field(NoiseSerializer(allow_null=True))
class NoiseField(Anything):
    """None where only a simulation could tell and the series are too long for one."""


class ExpectedLossSerializer(serializers.Serializer[Any]):
    """The largest losses over all series, under the correlation and without it; null where they are not known."""

    event = serializers.FloatField(allow_null=True, help_text="Of one event, by all releases, earlier and later ones.")
    event_level = serializers.FloatField(allow_null=True, help_text="The same without correlation.")
    joint = serializers.FloatField(allow_null=True, help_text="Of all landmarks and one more event together.")
    joint_level = serializers.FloatField(allow_null=True, help_text="The same without correlation.")
    bound = serializers.ChoiceField(choices=list(BOUNDS), allow_null=True, help_text="How joint is worked out.")
    upper_bound = serializers.BooleanField(allow_null=True, help_text="False for the published formula.")
    why = serializers.CharField(help_text="Why joint is not the bridged bound; else empty.")
    why_not = serializers.CharField(help_text="Why a value is null; else empty.")
    simulated = serializers.IntegerField(help_text="Medians of so many runs on generated walks; 0: budgets are known.")


@extend_schema_field(ExpectedLossSerializer(allow_null=True))
class ExpectedLossField(Anything):
    """None where no correlation is given."""


@extend_schema_field(CorrelationShown(allow_null=True))
class CorrelationShownField(Anything):
    """None where none is given."""


class MechanismOutlookSerializer(serializers.Serializer[Any]):
    """One mechanism's."""

    name = serializers.CharField()
    title = serializers.CharField()
    expected = NoiseField()
    guarantee = serializers.DictField()
    loss = ExpectedLossField()


class StepOutlookSerializer(serializers.Serializer[Any]):
    """One step; it is free."""

    name = serializers.CharField()
    title = serializers.CharField()
    causal = serializers.BooleanField(help_text="True if it is fit for live use.")


class QuoteSerializer(serializers.Serializer[Any]):
    """What one release of each mechanism would be charged together, in ε per km."""

    price_per_km = serializers.FloatField()
    spent_per_km = serializers.FloatField()
    after_per_km = serializers.FloatField()
    total_per_km = serializers.FloatField(allow_null=True)
    fits = serializers.BooleanField()
    stability = serializers.IntegerField(help_text="How often the level is charged.")


class OutlookSerializer(serializers.Serializer[Any]):
    """What to expect of releases that are not yet made."""

    mechanisms = MechanismOutlookSerializer(many=True)
    correlation = CorrelationShownField()
    postprocess = StepOutlookSerializer(many=True)
    budget = QuoteSerializer()
