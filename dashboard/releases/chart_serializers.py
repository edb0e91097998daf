"""What the charts ask of a release, and what they are told."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from dashboard.core.rest.parsing import Whole
from dashboard.landmarks.loss_serializers import (
    BoundField,
    CorrelationQuery,
    CorrelationShown,
    Curve,
    LandmarkLossShown,
    SupremumShown,
)
from dashboard.releases.forecast_serializers import MechanismsField


class Values(serializers.ListField):
    """Numbers."""

    child = serializers.FloatField()


class EventRange(serializers.Serializer[Any]):
    """A range of events."""

    first = Whole(default=0, help_text="Only events from this one on; the numbers are those of the whole series.")
    after = Whole(required=False, help_text="Only events before this one.")


class SeriesQuery(EventRange, CorrelationQuery):
    """Which series, how thin, and the correlation whose losses are computed; without one there are none."""

    series = Whole(default=0)
    points = Whole(default=2000, help_text="At most so many events, each curve's extremes kept.")
    bound = BoundField()


class ErrorsQuery(EventRange):
    """Which series, and how thin its running means and sums."""

    series = Whole(default=0)
    points = Whole(default=2000, help_text="At most so many events of the running means and sums, their extremes kept.")


class ErrorGroup(serializers.Serializer[Any]):
    """Errors of all published events, of the landmarks among them, or of the others."""

    n = serializers.IntegerField(help_text="So many errors.")
    mean_m = serializers.FloatField(allow_null=True)
    share = Values(help_text="This share of them is at most …")
    error_m = Values(help_text="… so large: exact quantiles, of which there are at most 400.")
    running_mean_m = serializers.ListField(
        child=serializers.FloatField(allow_null=True), help_text="null until something is published."
    )
    cumulative_m = serializers.ListField(
        child=serializers.FloatField(allow_null=True), help_text="The errors so far, added up."
    )


class ErrorCurvesSerializer(serializers.Serializer[Any]):
    """Errors of one series as distributions, running means and sums; ``event`` is what the latter are told at."""

    series = serializers.IntegerField()
    points = serializers.IntegerField()
    event = serializers.ListField(child=serializers.IntegerField())
    decimated = serializers.BooleanField()
    all = ErrorGroup()
    landmarks = ErrorGroup()
    others = ErrorGroup()


class TradeoffRequest(serializers.Serializer[Any]):
    """Mechanisms over one series of a landmark set."""

    landmark_set = serializers.UUIDField()
    mechanisms = MechanismsField()
    series = Whole(default=0)
    seed = Whole(default=0, help_text="Of the simulation; the same seed gives the same numbers.")


class TradeoffCurve(serializers.Serializer[Any]):
    """One mechanism's mean error against ε; null where nothing was published."""

    mechanism = serializers.DictField()
    title = serializers.CharField()
    epsilon = Values(help_text="From a tenth of the mechanism's own level to ten times it.")
    mean_m = Curve()
    low_m = Curve()
    high_m = Curve()
    why_not = serializers.CharField(help_text="Why there is no curve; else empty.")


class TradeoffSerializer(serializers.Serializer[Any]):
    """Simulated over the original's first ``events`` of ``points``, ``landmarks`` of them landmarks."""

    series = serializers.IntegerField()
    points = serializers.IntegerField()
    events = serializers.IntegerField()
    landmarks = serializers.IntegerField()
    repetitions = serializers.IntegerField()
    seed = serializers.IntegerField()
    band = Values(help_text="low_m and high_m are these quantiles over the repetitions.")
    note = serializers.CharField()
    mechanisms = TradeoffCurve(many=True)


class LossSerializer(serializers.Serializer[Any]):
    """Temporal privacy loss of every event shown; null where it is not defined."""

    backward = Curve()
    forward = Curve()
    total = Curve()
    level = serializers.FloatField(
        allow_null=True, help_text="The mechanism's ε at the distance of the states: what may leak without correlation."
    )
    pairwise = serializers.BooleanField(
        help_text="Every two cells at their own distance; else all states at diameter_m."
    )
    supremum = SupremumShown(allow_null=True)
    undefined = serializers.CharField(help_text="Why there is none; else empty.")
    s = serializers.FloatField(allow_null=True)
    n = serializers.IntegerField(allow_null=True)
    backward_matrix = serializers.ListField(child=serializers.ListField(child=serializers.FloatField()), required=False)
    forward_matrix = serializers.ListField(child=serializers.ListField(child=serializers.FloatField()), required=False)


class ChartSerializer(serializers.Serializer[Any]):
    """Chart data of one series; null where nothing was published."""

    series = serializers.IntegerField()
    event = serializers.ListField(child=serializers.IntegerField())
    time_s = serializers.ListField(child=serializers.FloatField(allow_null=True), allow_null=True)
    error_m = serializers.ListField(child=serializers.FloatField(allow_null=True), allow_null=True)
    budget = serializers.ListField(child=serializers.FloatField())
    loss = LossSerializer()
    landmark = LandmarkLossShown()
    correlation = CorrelationShown(allow_null=True)
    landmarks = serializers.ListField(child=serializers.ListField(child=serializers.IntegerField()))
    points = serializers.IntegerField()
    decimated = serializers.BooleanField()
