"""Queries of a release's charts."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from dashboard.core.rest.parsing import Whole
from dashboard.landmarks.loss_serializers import BoundField, CorrelationQuery
from dashboard.releases.trajectory.forecast_serializers import SubjectRequest


class EventRange(serializers.Serializer[Any]):
    """A range of the events, and the landmarks that a release without a landmark set is compared on."""

    landmarks_of = serializers.UUIDField(
        required=False,
        help_text="A landmark set of the dataset, where the release has none: its landmarks are shown.",
    )
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


class TradeoffRequest(SubjectRequest):
    """Mechanisms over one series."""

    series = Whole(default=0)
    seed = Whole(default=0, help_text="Of the simulation; the same seed gives the same numbers.")
