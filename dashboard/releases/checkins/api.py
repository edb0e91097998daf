"""API of releases of check-ins: what their models rank first, alone and after a history."""

from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from dashboard.core.errors import must_be, require_state
from dashboard.core.rest.parsing import UNKEPT, Anything, Whole, valid
from dashboard.datasets.checkins.cells import MOST, CellsQuery, CellsSerializer
from dashboard.datasets.models import Kind
from dashboard.datasets.selectors import require_kind
from dashboard.jobs.models import State
from dashboard.releases.checkins import recommendations
from dashboard.releases.checkins.cells import released_cells
from dashboard.releases.checkins.expected import ExpectedHits, expected_hits, least_hit_levels
from dashboard.releases.checkins.results import (
    Densities,
    Histories,
    ModelMap,
    Recommendation,
    Reference,
    VenueRanking,
)
from dashboard.releases.common.actions import Actions, finished_of_kind
from dashboard.releases.common.least_levels import KindLevels
from dashboard.releases.models import Release
from dashboard.releases.quote_api import LeastLevelsRequest, QuoteRequest, quotable_of
from privacy_engine.mechanisms.base.checkins import CheckInMechanism
from privacy_engine.mechanisms.recommendation.beside_nearest import not_better

HISTORY = {
    "type": "array",
    "maxItems": recommendations.LONGEST,
    "items": {
        "oneOf": [
            {"type": "integer", "minimum": 0},
            {"type": "object", "properties": {"lon": {"type": "number"}, "lat": {"type": "number"}}},
            {"type": "string"},
        ]
    },
}
HISTORY_HELP = (
    "Visited places, the last one last: numbers of cells (0 in the south-west, 1 the next one to the east), positions "
    "in degrees, or names of places of the upload. A name is looked up in the upload, so only the owner of the upload "
    "may use it, and the answer then depends on where the upload has the place."
)


@extend_schema_field(HISTORY)
class HistoryField(Anything):
    """A list of cells, positions and names of places."""

    def to_internal_value(self, data: Any) -> list[Any]:
        if not isinstance(data, list):
            raise must_be("history", "a list of cells, positions and names of places", data)
        return data


class RecommendRequest(serializers.Serializer[Any]):
    """A history, and how many cells to rank after it."""

    history = HistoryField(help_text=HISTORY_HELP)
    k = Whole(default=10, help_text=f"How many cells, 1 to {MOST:,}.")


class MapQuery(serializers.Serializer[Any]):
    """After which cells."""

    history = serializers.ListField(
        child=Whole(), required=False, default=list, help_text="Numbers of cells, the last one last: repeat the name."
    )


class VenuesQuery(serializers.Serializer[Any]):
    """Which cell, and how many venues of it."""

    cell = Whole(help_text="0 in the south-west, 1 the next one to the east.")
    k = Whole(default=10, help_text=f"How many venues, 1 to {MOST:,}.")


class HistoriesQuery(serializers.Serializer[Any]):
    """Which users."""

    user = serializers.CharField(required=False, default="", help_text="The user whose history is returned.")
    most = Whole(required=False, default=100, min_value=1, max_value=1000, help_text="How many users are listed.")


class CheckInActions(Actions):
    """Of models of check-ins."""

    endpoints: ClassVar = {"cells": "Of check-ins, like the next six."} | dict.fromkeys(
        ("recommend", "recommend-reference", "model-map", "true-densities", "histories", "venues"), ""
    )

    @classmethod
    def public_baseline(cls, mechanism: CheckInMechanism) -> str:
        return not_better(mechanism)

    @extend_schema(request=QuoteRequest, responses={200: ExpectedHits})
    @action(detail=False, methods=["post"], url_path="expected-hits", filterset_class=None, pagination_class=None)
    def expected_hits(self, request: Request) -> Response:
        """Hit rates to expect of models of one grid, with a verdict; computed from the original for its owner, nothing
        is stored or charged."""
        return Response(expected_hits(**quotable_of(request, Kind.CHECKINS)).model_dump(), headers=UNKEPT)

    @extend_schema(request=LeastLevelsRequest, responses={200: KindLevels})
    @action(detail=False, methods=["post"], url_path="least-hit-levels", filterset_class=None, pagination_class=None)
    def least_hit_levels(self, request: Request) -> Response:
        """The least ε for an accepted number of hits; computed from the original for its owner, nothing is stored or
        charged."""
        levels = least_hit_levels(**quotable_of(request, Kind.CHECKINS, LeastLevelsRequest))
        return Response(levels.model_dump(), headers=UNKEPT)

    @extend_schema(parameters=[CellsQuery], responses={200: CellsSerializer}, filters=False)
    @action(detail=True, records="original")
    def cells(self, request: Request, pk: Any = None) -> Response:
        """The cells that a released model ranks first, beside the upload's counts of them, for the owner."""
        row, params = finished_of_kind(self, Kind.CHECKINS), valid(CellsQuery, request.query_params)
        return Response(released_cells(row, params["k"]), headers=UNKEPT)

    @extend_schema(request=RecommendRequest, responses={200: Recommendation})
    @action(detail=True, methods=["post"])
    def recommend(self, request: Request, pk: Any = None) -> Response:
        """The cells that the published model ranks first after a history; nothing is charged, as the model alone is
        read (and the upload only to look up names of places)."""
        row = self._published_model()
        return Response(recommendations.recommend(row, **valid(RecommendRequest, request.data)).model_dump())

    @extend_schema(request=RecommendRequest, responses={200: Reference})
    @action(
        detail=True,
        methods=["post"],
        url_path="recommend/reference",
        url_name="recommend-reference",
        records="original",
    )
    def recommend_reference(self, request: Request, pk: Any = None) -> Response:
        """What a model without privacy and the distance alone rank first, for the owner: never to be published."""
        row = self._published_model()
        reference = recommendations.reference(row, **valid(RecommendRequest, request.data))
        return Response(reference.model_dump(), headers=UNKEPT)

    @extend_schema(parameters=[MapQuery], responses={200: ModelMap}, filters=False)
    @action(detail=True, url_path="model-map")
    def model_map(self, request: Request, pk: Any = None) -> Response:
        """Grid, densities and decomposition of the published model."""
        row = self._published_model()
        return Response(recommendations.model_map(row, **valid(MapQuery, request.query_params)).model_dump())

    @extend_schema(parameters=[VenuesQuery], responses={200: VenueRanking}, filters=False)
    @action(detail=True)
    def venues(self, request: Request, pk: Any = None) -> Response:
        """The venues of a cell by their published counts, of a release that counts the venues of a public list."""
        row, params = self._published_model(), valid(VenuesQuery, request.query_params)
        return Response(recommendations.venues(row, **params).model_dump())

    @extend_schema(responses={200: Densities}, filters=False)
    @action(detail=True, url_path="true-densities", records="original")
    def true_densities(self, request: Request, pk: Any = None) -> Response:
        """The upload's check-ins in every cell, for the owner: never to be published."""
        return Response(recommendations.densities(self._published_model()).model_dump(), headers=UNKEPT)

    @extend_schema(parameters=[HistoriesQuery], responses={200: Histories}, filters=False)
    @action(detail=True, records="original")
    def histories(self, request: Request, pk: Any = None) -> Response:
        """Users of the upload and the cells that one of them visited last, for the owner: never to be published."""
        row, params = self._published_model(), valid(HistoriesQuery, request.query_params)
        return Response(recommendations.histories(row, **params).model_dump(), headers=UNKEPT)

    def _published_model(self) -> Release:
        return published_model(self.request.user, self.kwargs["pk"])  # type: ignore[attr-defined]


def published_model(user: Any, pk: Any) -> Release:
    """One finished release of check-ins that the user may read, with what reading its model needs alone: a fast query.

    Raises
    ------
    Release.DoesNotExist
        The user has no such release.
    Conflict
        It is not done.
    ParameterError
        It is of another kind of data.
    """
    rows = Release.objects.visible_to(user).select_related("dataset")
    of_dataset = ("dataset__kind", "dataset__points", "dataset__points_file")
    row = rows.only("state", "kind", "mechanism", "data_file", *of_dataset).get(pk=pk)
    require_state(row, State.DONE, "release")
    require_kind(row.dataset, Kind.CHECKINS)
    return row


ADAPTER = CheckInActions
