"""API of releases of count streams beside the upload: for its owner."""

from typing import Any, BinaryIO, ClassVar

from django.http import HttpResponseBase
from rest_framework import serializers
from rest_framework.request import Request

from dashboard.core.computing import computed_where
from dashboard.core.rest.binary import binary_response, filed
from dashboard.core.rest.operations import BINARY, row_action
from dashboard.core.rest.parsing import Number, Whole
from dashboard.datasets import heat_maps
from dashboard.datasets.models import Dataset, Kind
from dashboard.datasets.stream import counts
from dashboard.datasets.stream.counts import CountsQuery, CountsSerializer
from dashboard.releases.common.actions import Actions, finished_of
from dashboard.releases.common.least_levels import KindLevels
from dashboard.releases.common.release_data import original_of, read_release
from dashboard.releases.models import Release
from dashboard.releases.quote_api import LeastLevelsRequest, QuoteRequest, submitted
from dashboard.releases.stream import comparisons
from dashboard.releases.stream.expected import (
    CountPreview,
    ExpectedCounts,
    count_preview,
    expected_counts,
    least_count_levels,
)
from dashboard.storage.data_files import cached_release
from privacy_engine.analysis.results import Result
from privacy_engine.analysis.stream_comparison import ColumnGrouping, StreamComparison
from privacy_engine.analysis.stream_detection import Detection

finished = finished_of(Kind.STREAM)


class GroupingQuery(serializers.Serializer[Any]):
    """Which dimension."""

    dimension = Whole(help_text="Its number, from 0.")


class ReleaseGrouping(Result):
    """The grouping of one dimension."""

    grouping: ColumnGrouping | None
    """Null where the mechanism reports none, or did not when it drew this release."""


class ReleasedCountsSerializer(CountsSerializer):
    """Released counts beside those of the upload; the latter and the figures are the owner's alone."""

    released = serializers.ListField(child=serializers.FloatField(allow_null=True))


class DetectionQuery(serializers.Serializer[Any]):
    """What to detect: a change of ``threshold`` within ``length`` timestamps, or ``length`` of them below it."""

    event = serializers.ChoiceField(choices=["jump", "low-signal"])
    length = Whole(min_value=1, max_value=10_000, required=False, default=10)
    threshold = Number(min_value=0)


class StreamActions(Actions):
    """Of count streams."""

    request: Request
    endpoints: ClassVar = {
        "counts": "Of count streams, like the next four.",
        "heat-map": "",
        "comparison": "",
        "grouping": "",
        "detection": "",
    }

    @row_action(QuoteRequest, ExpectedCounts, method="POST", row=None, url_path="expected-counts")
    def expected_counts(self, dataset: Dataset, mechanisms: Any, **_: Any) -> ExpectedCounts:
        """Errors of counts to expect, with a verdict; computed from the original for its owner, nothing is stored or
        charged."""
        return expected_counts(dataset, submitted(dataset, mechanisms, Kind.STREAM))

    @row_action(LeastLevelsRequest, KindLevels, method="POST", row=None, url_path="least-count-levels")
    def least_count_levels(self, dataset: Dataset, mechanisms: Any, accepted: float | None, **_: Any) -> KindLevels:
        """The least ε for an accepted typical error; computed from the original for its owner, nothing is stored or
        charged."""
        return least_count_levels(dataset, submitted(dataset, mechanisms, Kind.STREAM), accepted)

    @row_action(QuoteRequest, CountPreview, method="POST", row=None, url_path="count-preview")
    def count_preview(self, dataset: Dataset, mechanisms: Any, **_: Any) -> CountPreview:
        """Three streams beside a simulation by the first mechanism; for the owner, nothing is stored or charged."""
        return count_preview(dataset, submitted(dataset, mechanisms, Kind.STREAM)[0])

    @row_action(CountsQuery, ReleasedCountsSerializer, row=finished, records="original")
    def counts(self, row: Release, points: int, stream: int | None = None) -> dict[str, Any]:
        """Released counts of one stream beside those of the upload, for the owner's chart."""
        return _counts(row, stream, points)

    @row_action(DetectionQuery, Detection, row=finished, records="original")
    def detection(self, row: Release, **params: Any) -> Detection:
        """How well jumps or low signals of the upload are detected in released counts: a ROC curve, for the owner."""
        return comparisons.detected(row, **params)

    @row_action(returns=BINARY, row=finished, url_path="heat-map")
    def heat_map(self, row: Release) -> HttpResponseBase:
        """All released counts, for a heat map; see dashboard/datasets/heat_maps.py."""
        tag = f"{row.data_sha256[:32]}-{heat_maps.VERSION}"
        return binary_response(self.request, lambda: _heat_map(row), tag=tag)

    @row_action(returns=StreamComparison, row=finished, records="original")
    def comparison(self, row: Release) -> StreamComparison:
        """Errors of each dimension against the upload, and what the windows spent; for the owner."""
        return comparisons.compared(row)

    @row_action(GroupingQuery, ReleaseGrouping, row=finished, records="original")
    def grouping(self, row: Release, dimension: int) -> ReleaseGrouping:
        """Where clusters of timestamps begin in one dimension, and its group's size; for the owner."""
        return ReleaseGrouping(grouping=comparisons.grouping_of(row, dimension))


@computed_where(lambda row, *_: row.dataset.is_large)
def _counts(row: Release, which: int | None, points: int) -> dict[str, Any]:
    return counts.shown(original_of(row), which, points, released=read_release(row))


@computed_where(lambda row: row.dataset.is_large)
def _heat_map(row: Release) -> bytes | BinaryIO:
    return filed(heat_maps.encode(cached_release(row.kind, row.data_path).counts))


ADAPTER = StreamActions
