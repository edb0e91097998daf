"""Facts of the steps of trajectories, of one series or of all, for their owner's page."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from dashboard.core.rest.parsing import Whole
from dashboard.datasets.models import Dataset
from dashboard.maps import joined_tracks
from dashboard.maps.prepared import LARGE, facts
from dashboard.maps.series_cache import Line, line, lines
from privacy_engine.analysis.step_facts import Columns, step_facts
from privacy_engine.data.numbered import each

PER_DEGREE = 1e7


class StepsQuery(serializers.Serializer[Any]):
    """Which series."""

    series = Whole(required=False, help_text="Its number, from 0; left out: all series together.")


class StepsSerializer(serializers.Serializer[Any]):
    """Steps between successive events of a series."""

    median_m = serializers.FloatField(allow_null=True, help_text="The median length; null without two events.")
    median_s = serializers.FloatField(allow_null=True, help_text="The median duration; null without times.")
    gap_s = serializers.FloatField(allow_null=True, help_text="A longer step is a gap: ten median steps.")
    gap_share = serializers.FloatField(allow_null=True, help_text="The share of the time that lies in gaps.")


def steps_of(dataset: Dataset, series: int | None) -> dict[str, Any]:
    """Return the facts of one series of a dataset that is ready, or of all.

    Raises
    ------
    ParameterError
        There is no such series.
    """
    path = dataset.points_path
    if series is not None:
        return step_facts([_columns(line(path, series))]).model_dump()
    if dataset.points <= LARGE:
        return step_facts(each(lines(path), _columns)).model_dump()
    return facts(dataset.beside("steps"), lambda: step_facts(each(lines(path), _columns)).model_dump())


def prepare(dataset: Dataset) -> None:
    """Make ahead what requests about many points need."""
    if dataset.points <= LARGE or not dataset.series_count:
        return
    steps_of(dataset, None)
    for _ in joined_tracks.prepare(dataset.drawn, "line"):
        pass


def _columns(one: Line) -> Columns:
    time_s = None if one.time_ms is None else one.time_ms / 1000
    return one.lon / PER_DEGREE, one.lat / PER_DEGREE, time_s
