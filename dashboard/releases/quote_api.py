"""API of what releases would promise and cost that need the upload alone."""

from collections.abc import Sequence
from typing import Any

from rest_framework import serializers

from dashboard.core.rest.operations import row_action
from dashboard.core.rest.parsing import Number, RowField
from dashboard.datasets import ledger
from dashboard.datasets.models import Dataset, unit_text
from dashboard.datasets.selectors import require_kind, require_ready, require_releasable, visible_datasets
from dashboard.releases import services
from dashboard.releases.common.actions import actions
from dashboard.releases.serializers import BOX_FROM_DATA, ComparedField
from privacy_engine.mechanisms.base.mechanism import Mechanism


class QuoteRequest(serializers.Serializer[Any]):
    """A dataset, and mechanisms to release it by."""

    dataset = RowField(visible_datasets)
    mechanisms = ComparedField()
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

    @row_action(QuoteRequest, ReleaseQuoteSerializer, method="POST", row=None)
    def quote(self, dataset: Dataset, mechanisms: list[Mechanism], box_from_data: bool) -> dict[str, Any]:
        """What releases would promise and be charged; no data are read, nothing is stored or charged."""
        chosen, context = submitted(dataset, mechanisms), dataset.context.with_box(box_from_data)
        promise = actions[dataset.kind].promise
        return {
            "mechanisms": [promise(mechanism, context) for mechanism in chosen],
            "budgets": [_price_of(price) for price in ledger.prices(dataset, chosen)],
        }


def submitted(dataset: Dataset, chosen: Sequence[Mechanism], kind: str | None = None) -> list[Any]:
    """Return the mechanisms of a :class:`QuoteRequest` as they would be submitted.

    Raises
    ------
    Conflict
        The dataset is not ready.
    ParameterError
        It is not of the ``kind``, what the mechanisms cost depends on more than the upload, or one of them could not
        be submitted.
    """
    require_ready(dataset)
    actions[dataset.kind].require_quotable()
    for mechanism in chosen:
        services.require_mechanism(dataset, mechanism)
    require_releasable(dataset)
    if kind:
        require_kind(dataset, kind)
    return [mechanism.for_counts(dataset.counted, dataset.tree) for mechanism in chosen]


def _price_of(price: ledger.Price) -> dict[str, Any]:
    """Return a price of the ledger in ε."""
    return {"unit": price.unit, "label": unit_text(price.unit), **price.levels(), "fits": price.fits}
