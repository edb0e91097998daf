"""API of releases of count streams and check-ins: what they published beside the original, and what they would cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from dashboard.core.rest.parsing import UNKEPT, Number, Whole, valid
from dashboard.datasets import ledger
from dashboard.datasets.cells import CellsQuery, CellsSerializer
from dashboard.datasets.counts import CountsQuery, CountsSerializer
from dashboard.datasets.models import Dataset, Kind
from dashboard.datasets.selectors import require_kind, require_ready, require_releasable, visible_datasets
from dashboard.releases import kinds, services
from dashboard.releases.forecast_serializers import AnyMechanismsField
from dashboard.releases.models import Release
from dashboard.releases.serializers import BOX_FROM_DATA
from privacy_engine.analysis.stream_detection import Detection
from privacy_engine.errors import ParameterError
from privacy_engine.mechanisms.base.mechanism import Mechanism
from privacy_engine.releases.spec import mechanism_for_counts


class ReleasedCountsSerializer(CountsSerializer):
    """Released counts beside those of the upload; the latter and the figures are the owner's alone."""

    released = serializers.ListField(child=serializers.FloatField(allow_null=True))


class DetectionQuery(serializers.Serializer[Any]):
    """What to detect: a change of ``threshold`` within ``length`` timestamps, or ``length`` of them below it."""

    event = serializers.ChoiceField(choices=["jump", "low-signal"])
    length = Whole(min_value=1, max_value=10_000, required=False, default=10)
    threshold = Number(min_value=0)


class QuoteRequest(serializers.Serializer[Any]):
    """A dataset, and mechanisms to release it by."""

    dataset = serializers.UUIDField()
    mechanisms = AnyMechanismsField()
    box_from_data = serializers.BooleanField(required=False, default=False, help_text=BOX_FROM_DATA)


class QuotedSerializer(serializers.Serializer[Any]):
    """What one mechanism promises."""

    name = serializers.CharField()
    title = serializers.CharField()
    statement = serializers.CharField()
    not_covered = serializers.ListField(child=serializers.CharField())
    neighbours = serializers.CharField()
    assumptions = serializers.ListField(child=serializers.CharField())
    caveats = serializers.ListField(child=serializers.CharField())
    publishable = serializers.BooleanField(help_text="False where there is no guarantee: seeded simulations only.")
    noise_sd = serializers.FloatField(help_text="Standard deviation of the noise of one newly drawn count.")
    noise_varies = serializers.BooleanField(help_text="Whether noise_sd is the smallest of several.")
    better_elsewhere = serializers.CharField(
        allow_blank=True, help_text="For which data another mechanism was measured to be better; empty if none."
    )
    public_baseline = serializers.CharField(
        allow_blank=True,
        help_text="Where recommendations of a baseline that costs no ε were measured to be as good; empty if nowhere.",
    )


class PriceSerializer(serializers.Serializer[Any]):
    """What releases by all of them would be charged in one unit, in ε."""

    unit = serializers.CharField()
    label = serializers.CharField()
    price = serializers.FloatField()
    spent = serializers.FloatField()
    after = serializers.FloatField()
    total = serializers.FloatField(allow_null=True)
    fits = serializers.BooleanField()


class ReleaseQuoteSerializer(serializers.Serializer[Any]):
    """What releases by some mechanisms promise, and what they would be charged."""

    mechanisms = QuotedSerializer(many=True)
    budgets = PriceSerializer(many=True)


class KindActions:
    """Actions of the releases' view set for kinds of data without positions in time."""

    @extend_schema(parameters=[CountsQuery], responses={200: ReleasedCountsSerializer}, filters=False)
    @action(detail=True, records="original")
    def counts(self, request: Request, pk: Any = None) -> Response:
        """Released counts of one stream beside those of the upload, for the owner's chart."""
        row, params = self._of_kind("stream"), valid(CountsQuery, request.query_params)
        return Response(kinds.released_counts(row, params.get("stream"), params["points"]), headers=UNKEPT)

    @extend_schema(parameters=[DetectionQuery], responses={200: Detection}, filters=False)
    @action(detail=True, records="original")
    def detection(self, request: Request, pk: Any = None) -> Response:
        """How well jumps or low signals of the upload are detected in released counts: a ROC curve, for the owner."""
        row, params = self._of_kind("stream"), valid(DetectionQuery, request.query_params)
        return Response(kinds.detected(row, **params).model_dump(), headers=UNKEPT)

    @extend_schema(parameters=[CellsQuery], responses={200: CellsSerializer}, filters=False)
    @action(detail=True, records="original")
    def cells(self, request: Request, pk: Any = None) -> Response:
        """The cells that a released model ranks first, beside the upload's counts of them, for the owner."""
        row, params = self._of_kind("checkins"), valid(CellsQuery, request.query_params)
        return Response(kinds.released_cells(row, params["k"]), headers=UNKEPT)

    @extend_schema(request=QuoteRequest, responses={200: ReleaseQuoteSerializer})
    @action(detail=False, methods=["post"], filterset_class=None, pagination_class=None)
    def quote(self, request: Request) -> Response:
        """What releases would promise and be charged; no data are read, nothing is stored or charged."""
        params = valid(QuoteRequest, request.data)
        dataset = get_object_or_404(visible_datasets(request.user), pk=params["dataset"])
        chosen = _quotable(dataset, params["mechanisms"])
        prices = ledger.prices(dataset, chosen)
        context = dataset.context.with_box(params["box_from_data"])
        return Response(
            {
                "mechanisms": [kinds.promise_of(one, context) for one in chosen],
                "budgets": [kinds.price_of(price) for price in prices],
            }
        )

    def _of_kind(self, kind: str) -> Release:
        row: Release = self.finished_object()  # type: ignore[attr-defined]
        require_kind(row.dataset, kind)
        return row


def _quotable(dataset: Dataset, chosen: Sequence[Mechanism]) -> list[Mechanism]:
    """Return the mechanisms as they would be submitted; refuse what could not be.

    What trajectories cost depends on their landmark set.
    """
    require_ready(dataset)
    if dataset.kind == Kind.TRAJECTORY:
        rule = "of count streams or check-ins; /releases/forecast/ quotes releases of trajectories"
        raise ParameterError(f"dataset must be {rule}", field="dataset", rule=rule, value=dataset.kind)
    for mechanism in chosen:
        services.require_mechanism(dataset, mechanism)
    require_releasable(dataset)
    return [mechanism_for_counts(mechanism, dataset.counted, dataset.tree) for mechanism in chosen]
