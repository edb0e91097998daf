"""What the API has of trajectories alone."""

from typing import Any

from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from dashboard.core.rest.binary import CONTENT_TYPE
from dashboard.core.rest.pagination import SequencePages
from dashboard.core.rest.parsing import UNKEPT, valid
from dashboard.datasets import selectors
from dashboard.datasets.models import Dataset
from dashboard.datasets.people import series_rows
from dashboard.datasets.serializers import SeriesSerializer
from dashboard.datasets.trajectory.home import HomeQuery, HomeSerializer, home_of
from dashboard.datasets.trajectory.stay_counts import stay_counts_of
from dashboard.datasets.trajectory.steps import StepsQuery, StepsSerializer, steps_of
from dashboard.jobs.viewsets import JobViewSet
from dashboard.maps import joined_tracks, track_encoding
from privacy_engine.data import Trajectory
from privacy_engine.landmarks.stay_survey import StaySurvey


class TrajectoryActions(JobViewSet[Dataset]):
    """Their positions, steps and stays."""

    @extend_schema(responses={200: SeriesSerializer(many=True)}, filters=False)
    @action(detail=True, filterset_class=None, pagination_class=SequencePages)
    def series(self, request: Request, pk: Any = None) -> Response:
        """Its series in pages, up to 5,000 on each: whose each is, how many events it has, and their span."""
        dataset = self.get_object()
        selectors.require_ready_of(dataset, Trajectory.kind)
        return self.get_paginated_response(series_rows(dataset, self.paginate_queryset(range(dataset.series_count))))

    @extend_schema(
        parameters=[track_encoding.TrackQuery, OpenApiParameter("If-None-Match", location=OpenApiParameter.HEADER)],
        responses={(200, CONTENT_TYPE): OpenApiTypes.BINARY},
    )
    @action(detail=True, filterset_class=None, pagination_class=None, records="original")
    def track(self, request: Request, pk: Any = None) -> HttpResponseBase:
        """One series of the original, in full or simplified, for the map; see dashboard/maps/track_encoding.py."""
        dataset = self.get_object()
        selectors.require_ready_of(dataset, Trajectory.kind)
        return track_encoding.answer(request, dataset.drawn, tag=dataset.points_file)

    @extend_schema(
        parameters=[joined_tracks.TracksQuery], responses={(200, CONTENT_TYPE): OpenApiTypes.BINARY}, filters=False
    )
    @action(detail=True, filterset_class=None, pagination_class=None, records="original")
    def tracks(self, request: Request, pk: Any = None) -> HttpResponseBase:
        """All series of the original as one track in pieces, reduced; see dashboard/maps/joined_tracks.py."""
        dataset = self.get_object()
        selectors.require_ready_of(dataset, Trajectory.kind)
        return joined_tracks.answer(request, dataset.drawn, tag=dataset.points_file)

    @extend_schema(parameters=[StepsQuery], responses={200: StepsSerializer}, filters=False)
    @action(detail=True, filterset_class=None, pagination_class=None, records="original")
    def steps(self, request: Request, pk: Any = None) -> Response:
        """The median step and the gaps of one series of the original, or of all of them."""
        dataset, params = self.get_object(), valid(StepsQuery, request.query_params)
        selectors.require_ready_of(dataset, Trajectory.kind)
        return Response(steps_of(dataset, params.get("series")), headers=UNKEPT)

    @extend_schema(parameters=[HomeQuery], responses={200: HomeSerializer}, filters=False)
    @action(detail=True, filterset_class=None, pagination_class=None, records="original")
    def home(self, request: Request, pk: Any = None) -> Response:
        """The events at home of one series of the original, by the rule of the attack on homes."""
        dataset, params = self.get_object(), valid(HomeQuery, request.query_params)
        selectors.require_ready_of(dataset, Trajectory.kind)
        return Response(home_of(dataset, params["series"]), headers=UNKEPT)

    @extend_schema(responses={200: StaySurvey}, filters=False)
    @action(
        detail=True,
        url_path="stay-counts",
        url_name="stay-counts",
        filterset_class=None,
        pagination_class=None,
        records="original",
    )
    def stay_counts(self, request: Request, pk: Any = None) -> Response:
        """How many landmarks stay points of each distance and duration find in the original, and a proposal."""
        dataset = self.get_object()
        selectors.require_ready_of(dataset, Trajectory.kind)
        return Response(stay_counts_of(dataset), headers=UNKEPT)


ADAPTER = TrajectoryActions
