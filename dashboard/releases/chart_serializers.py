"""What the charts ask of a release, and what they are told."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from dashboard.landmarks.loss_serializers import (
    BoundField,
    CorrelationQuery,
    CorrelationShown,
    Curve,
    LandmarkLossShown,
    SupremumShown,
)
from dashboard.parsing import Whole


class SeriesQuery(CorrelationQuery):
    """Which series, how thin, and how neighbouring positions hang together."""

    series = Whole(default=0)
    points = Whole(default=2000, help_text="At most so many events, each curve's extremes kept.")
    bound = BoundField()


class LossSerializer(serializers.Serializer[Any]):
    """Temporal privacy loss of every event shown; null where it is not defined."""

    backward = Curve()
    forward = Curve()
    total = Curve()
    level = serializers.FloatField(help_text="The mechanism's ε: what may leak without correlation.")
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
    correlation = CorrelationShown()
    landmarks = serializers.ListField(child=serializers.ListField(child=serializers.IntegerField()))
    points = serializers.IntegerField()
    decimated = serializers.BooleanField()
