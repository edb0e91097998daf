"""API of what releases would promise and cost that need the upload alone."""

from collections.abc import Sequence
from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from dashboard.core.rest.parsing import Number, valid
from dashboard.datasets import ledger
from dashboard.datasets.models import Dataset, unit_text
from dashboard.datasets.selectors import require_kind, require_ready, require_releasable, visible_datasets
from dashboard.releases import services
from dashboard.releases.common.actions import actions
from dashboard.releases.serializers import BOX_FROM_DATA, MechanismsField
from privacy_engine.mechanisms.base.mechanism import Mechanism


class QuoteRequest(serializers.Serializer[Any]):
    """A dataset, and mechanisms to release it by."""

    dataset = serializers.UUIDField()
    mechanisms = MechanismsField()
    box_from_data = serializers.BooleanField(required=False, default=False, help_text=BOX_FROM_DATA)


class LeastLevelsRequest(QuoteRequest):
    """What is accepted; the level of each mechanism is where the search starts."""

    accepted = Number(
        min_value=0,
        max_value=1e15,
        required=False,
        default=None,
        help_text="An error in counts, or hits of 1,000 next places; without it a release with the verdict usable.",
    )


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


class QuoteActions:
    """Actions of the releases' view set for quotes."""

    @extend_schema(request=QuoteRequest, responses={200: ReleaseQuoteSerializer})
    @action(detail=False, methods=["post"], filterset_class=None, pagination_class=None)
    def quote(self, request: Request) -> Response:
        """What releases would promise and be charged; no data are read, nothing is stored or charged."""
        dataset, chosen, more = quotable(request)
        of_kind, prices = actions[dataset.kind], ledger.prices(dataset, chosen)
        context = dataset.context.with_box(more["box_from_data"])
        return Response(
            {
                "mechanisms": [of_kind.promise(mechanism, context) for mechanism in chosen],
                "budgets": [_price_of(price) for price in prices],
            }
        )


def quotable(
    request: Request, serializer: type[QuoteRequest] = QuoteRequest
) -> tuple[Dataset, list[Mechanism], dict[str, Any]]:
    """Return what a :class:`QuoteRequest` is about: the dataset, mechanisms as they would be submitted, and the rest.

    Raises
    ------
    Http404
        The user may read no such dataset.
    Conflict
        It is not ready.
    ParameterError
        What they cost depends on more than the upload, or a mechanism could not be submitted.
    """
    params = valid(serializer, request.data)
    dataset = get_object_or_404(visible_datasets(request.user), pk=params.pop("dataset"))
    require_ready(dataset)
    actions[dataset.kind].require_quotable()
    return dataset, _as_submitted(dataset, params.pop("mechanisms")), params


def quotable_of(request: Request, kind: str, serializer: type[QuoteRequest] = QuoteRequest) -> dict[str, Any]:
    """Return the same by name, without the flag of the box; a ParameterError too of a dataset of another kind."""
    dataset, chosen, more = quotable(request, serializer)
    require_kind(dataset, kind)
    del more["box_from_data"]
    return {"dataset": dataset, "mechanisms": chosen, **more}


def _as_submitted(dataset: Dataset, chosen: Sequence[Mechanism]) -> list[Mechanism]:
    """Return the mechanisms as they would be submitted; refuse what could not be."""
    for mechanism in chosen:
        services.require_mechanism(dataset, mechanism)
    require_releasable(dataset)
    return [mechanism.for_counts(dataset.counted, dataset.tree) for mechanism in chosen]


def _price_of(price: ledger.Price) -> dict[str, Any]:
    """Return a price of the ledger in ε."""
    return {"unit": price.unit, "label": unit_text(price.unit), **price.levels(), "fits": price.fits}
