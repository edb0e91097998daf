"""API of releases of check-ins: what their models rank first, alone and after a history."""

from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from dashboard.core.errors import must_be, require_state
from dashboard.core.rest.operations import row_action
from dashboard.core.rest.parsing import Anything, Whole
from dashboard.datasets.checkins.cells import MOST, CellsQuery, CellsSerializer
from dashboard.datasets.models import Dataset, Kind
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
from dashboard.releases.common.actions import Actions, finished_of
from dashboard.releases.common.least_levels import KindLevels
from dashboard.releases.models import Release
from dashboard.releases.quote_api import LeastLevelsRequest, QuoteRequest, submitted
from privacy_engine.mechanisms.base.checkins import CheckInMechanism
from privacy_engine.mechanisms.checkins.beside_nearest import not_better

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


def published(view: Any) -> Release:
    """The finished release of check-ins that a request names, with what reading its model needs alone: a fast query.

    Raises
    ------
    Release.DoesNotExist
        The user has no such release.
    Conflict
        It is not done.
    ParameterError
        It is of another kind of data.
    """
    rows = Release.objects.visible_to(view.request.user).select_related("dataset")
    of_dataset = ("dataset__kind", "dataset__points", "dataset__points_file")
    row = rows.only("state", "kind", "mechanism", "data_file", *of_dataset).get(pk=view.kwargs["pk"])
    require_state(row, State.DONE, "release")
    require_kind(row.dataset, Kind.CHECKINS)
    return row


class CheckInActions(Actions):
    """Of models of check-ins."""

    endpoints: ClassVar = {"cells": "Of check-ins, like the next six."} | dict.fromkeys(
        ("recommend", "recommend-reference", "model-map", "true-densities", "histories", "venues"), ""
    )

    @classmethod
    def public_baseline(cls, mechanism: CheckInMechanism) -> str:
        return not_better(mechanism)

    @row_action(QuoteRequest, ExpectedHits, method="POST", row=None, url_path="expected-hits")
    def expected_hits(self, dataset: Dataset, mechanisms: Any, **_: Any) -> ExpectedHits:
        """Hit rates to expect of models of one grid, with a verdict; computed from the original for its owner, nothing
        is stored or charged."""
        return expected_hits(dataset, submitted(dataset, mechanisms, Kind.CHECKINS))

    @row_action(LeastLevelsRequest, KindLevels, method="POST", row=None, url_path="least-hit-levels")
    def least_hit_levels(self, dataset: Dataset, mechanisms: Any, accepted: float | None, **_: Any) -> KindLevels:
        """The least ε for an accepted number of hits; computed from the original for its owner, nothing is stored or
        charged."""
        return least_hit_levels(dataset, submitted(dataset, mechanisms, Kind.CHECKINS), accepted)

    @row_action(CellsQuery, CellsSerializer, row=finished_of(Kind.CHECKINS), records="original")
    def cells(self, row: Release, k: int) -> dict[str, Any]:
        """The cells that a released model ranks first, beside the upload's counts of them, for the owner."""
        return released_cells(row, k)

    @row_action(RecommendRequest, Recommendation, method="POST", row=published)
    def recommend(self, row: Release, **params: Any) -> Recommendation:
        """The cells that the published model ranks first after a history; nothing is charged, as the model alone is
        read (and the upload only to look up names of places)."""
        return recommendations.recommend(row, **params)

    @row_action(
        RecommendRequest,
        Reference,
        method="POST",
        row=published,
        url_path="recommend/reference",
        url_name="recommend-reference",
        records="original",
    )
    def recommend_reference(self, row: Release, **params: Any) -> Reference:
        """What a model without privacy and the distance alone rank first, for the owner: never to be published."""
        return recommendations.reference(row, **params)

    @row_action(MapQuery, ModelMap, row=published, url_path="model-map")
    def model_map(self, row: Release, **params: Any) -> ModelMap:
        """Grid, densities and decomposition of the published model."""
        return recommendations.model_map(row, **params)

    @row_action(VenuesQuery, VenueRanking, row=published)
    def venues(self, row: Release, **params: Any) -> VenueRanking:
        """The venues of a cell by their published counts, of a release that counts the venues of a public list."""
        return recommendations.venues(row, **params)

    @row_action(returns=Densities, row=published, url_path="true-densities", records="original")
    def true_densities(self, row: Release) -> Densities:
        """The upload's check-ins in every cell, for the owner: never to be published."""
        return recommendations.densities(row)

    @row_action(HistoriesQuery, Histories, row=published, records="original")
    def histories(self, row: Release, **params: Any) -> Histories:
        """Users of the upload and the cells that one of them visited last, for the owner: never to be published."""
        return recommendations.histories(row, **params)


ADAPTER = CheckInActions
