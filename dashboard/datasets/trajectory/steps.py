"""Facts of the steps of trajectories, of a series or of all, for their owner's page."""

from collections.abc import Iterable, Iterator
from typing import Any

from rest_framework import serializers

from dashboard.core.computing import computed_where
from dashboard.core.rest.parsing import Whole
from dashboard.datasets.models import Dataset
from dashboard.maps import joined_tracks
from dashboard.maps.prepared import LARGE, facts
from dashboard.maps.series_cache import Line, line, lines
from privacy_engine.analysis.step_facts import Columns, step_facts
from privacy_engine.core.progress import blocks
from privacy_engine.data.mapped_series import leaving

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


def _is_read(dataset: Dataset, series: int | None) -> bool:
    return dataset.is_large and (series is not None or not dataset.beside("steps").is_sound())


@computed_where(_is_read)
def steps_of(dataset: Dataset, series: int | None) -> dict[str, Any]:
    """Return the facts of a series of a dataset that is ready, or of all.

    Raises
    ------
    ParameterError
        There is no such series.
    """
    path = dataset.points_path
    if series is not None:
        return _facts_of([line(path, series)])
    if dataset.points <= LARGE:
        return _facts_of(lines(path))
    return facts(dataset.beside("steps"), lambda: _facts_of(lines(path)))


def prepare(dataset: Dataset) -> None:
    """Make ahead what requests about many points need."""
    if dataset.points <= LARGE or not dataset.series_count:
        return
    steps_of(dataset, None)
    for _ in joined_tracks.prepare(dataset.drawn, "line"):
        pass


def _facts_of(some: Iterable[Line]) -> dict[str, Any]:
    return step_facts(piece for track in some for piece in _pieces(track)).model_dump()


def _pieces(track: Line) -> Iterator[Columns]:
    """The columns of a series in pieces, each of which begins with the last event of the piece before."""
    for some in leaving(track, blocks(len(track) - 1)):
        part = slice(some.start, some.stop + 1)
        time_s = None if track.time_ms is None else track.time_ms[part] / 1000
        yield track.lon[part] / PER_DEGREE, track.lat[part] / PER_DEGREE, time_s
