"""What the API has of trajectories alone."""

from typing import Any

from django.http.response import HttpResponseBase
from drf_spectacular.utils import OpenApiParameter
from rest_framework.response import Response

from dashboard.core.rest.operations import BINARY, row_action
from dashboard.core.rest.pagination import SequencePages
from dashboard.datasets.common.api import ready_of
from dashboard.datasets.models import Dataset
from dashboard.datasets.people import series_rows
from dashboard.datasets.serializers import SeriesSerializer
from dashboard.datasets.trajectory.home import HomeQuery, HomeSerializer, home_of
from dashboard.datasets.trajectory.stay_counts import stay_counts_of
from dashboard.datasets.trajectory.steps import StepsQuery, StepsSerializer, steps_of
from dashboard.jobs.viewsets import JobViewSet
from dashboard.maps import joined_tracks, track_encoding
from dashboard.maps.line_simplification import MapView
from privacy_engine.data import Trajectory
from privacy_engine.landmarks.stay_survey import StaySurvey

ready = ready_of(Trajectory.kind)
MATCH = OpenApiParameter("If-None-Match", location=OpenApiParameter.HEADER)


class TrajectoryActions(JobViewSet[Dataset]):
    """Their positions, steps and stays."""

    @row_action(returns=SeriesSerializer(many=True), row=ready, pagination_class=SequencePages)
    def series(self, dataset: Dataset) -> Response:
        """Its series in pages, up to 5,000 on each: whose each is, how many events it has, and their span."""
        return self.get_paginated_response(series_rows(dataset, self.paginate_queryset(range(dataset.series_count))))

    @row_action(track_encoding.TrackQuery, BINARY, row=ready, records="original", schema={"parameters": [MATCH]})
    def track(self, dataset: Dataset, series: int, view: MapView | None) -> HttpResponseBase:
        """One series of the original, in full or simplified, for the map; see dashboard/maps/track_encoding.py."""
        return track_encoding.answer(self.request, dataset.drawn, series, view, tag=dataset.points_file)

    @row_action(joined_tracks.TracksQuery, BINARY, row=ready, records="original")
    def tracks(self, dataset: Dataset, points: int, reduce: str) -> HttpResponseBase:
        """All series of the original as one track in pieces, reduced; see dashboard/maps/joined_tracks.py."""
        return joined_tracks.answer(self.request, dataset.drawn, points, reduce, tag=dataset.points_file)

    @row_action(StepsQuery, StepsSerializer, row=ready, records="original")
    def steps(self, dataset: Dataset, series: int | None = None) -> dict[str, Any]:
        """The median step and the gaps of one series of the original, or of all of them."""
        return steps_of(dataset, series)

    @row_action(HomeQuery, HomeSerializer, row=ready, records="original")
    def home(self, dataset: Dataset, series: int) -> dict[str, Any]:
        """The events at home of one series of the original, by the rule of the attack on homes."""
        return home_of(dataset, series)

    @row_action(returns=StaySurvey, row=ready, url_path="stay-counts", url_name="stay-counts", records="original")
    def stay_counts(self, dataset: Dataset) -> dict[str, Any]:
        """How many landmarks stay points of each distance and duration find in the original, and a proposal."""
        return stay_counts_of(dataset)


ADAPTER = TrajectoryActions
