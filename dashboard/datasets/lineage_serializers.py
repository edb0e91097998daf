"""Lineages in the API: the uploads that share a budget, what was recorded, and the owner's decision."""

from typing import Any

from django.urls import reverse
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from dashboard.datasets.models import LineageEntry, Unit
from privacy_engine.data.event_hashes.limits import FOUND_IN_PART, NOT_FOUND

OTHER_PEOPLE = LineageEntry.Fact.OTHER_PEOPLE.value
MAX_OTHERS = 10_000
BY_SAMPLES = ("times left out of one of two uploads", "check-ins with positions, and with places alone")
"""What hashes of events do not show, and samples do (dashboard/datasets/matching.py)."""
_NOT_FOUND = "; ".join(limit for limit in NOT_FOUND if limit not in BY_SAMPLES)
UNDETECTED = (
    f"Not recognised: {_NOT_FOUND}; and uploads of other accounts. In part: {'; '.join(FOUND_IN_PART)}. Each live "
    "stream counts alone: where its counts come from is not known."
)


class SharingDatasetSerializer(serializers.Serializer[Any]):
    """A dataset of another upload."""

    id = serializers.UUIDField()
    name = serializers.CharField()
    page = serializers.SerializerMethodField()

    @extend_schema_field(serializers.CharField())
    def get_page(self, row: Any) -> str:
        return reverse("datasets:detail", args=[row.pk])


class SharingSerializer(serializers.Serializer[Any]):
    """Another upload that shares events, or is connected by one that does; without datasets where they were deleted."""

    id = serializers.IntegerField()
    datasets = SharingDatasetSerializer(many=True)
    uploaded_at = serializers.DateTimeField()
    shared_events = serializers.IntegerField(
        allow_null=True,
        help_text="How many events of this upload it holds; null where that is not known, and all count as shared.",
    )
    share = serializers.FloatField(
        allow_null=True,
        help_text="Which part of the smaller upload's events is in the larger one; of whole uploads estimated.",
    )
    how = serializers.ChoiceField(
        choices=LineageEntry.How.choices, allow_blank=True, help_text="How they were found; empty where it shares none."
    )
    spent_per_km = serializers.FloatField(help_text="What its own releases spent, ε per km.")


class RecordedSerializer(serializers.Serializer[Any]):
    """One recorded fact about two uploads. ``spent`` and ``other_spent``: what their budgets held then."""

    fact = serializers.ChoiceField(choices=LineageEntry.Fact.choices)
    upload = serializers.IntegerField(source="source_file_id")
    other = serializers.IntegerField(source="other_id")
    share = serializers.FloatField(allow_null=True)
    how = serializers.ChoiceField(choices=LineageEntry.How.choices)
    spent = serializers.SerializerMethodField(help_text="Micro-ε per km of trajectories.")
    other_spent = serializers.SerializerMethodField(help_text="Micro-ε per km of trajectories.")
    amounts = serializers.DictField(
        child=serializers.ListField(child=serializers.IntegerField()),
        help_text="The same by unit of loss, in micro-ε: of this upload and of the other one.",
    )
    created_at = serializers.DateTimeField()

    def get_spent(self, row: LineageEntry) -> int:
        return int(row.amounts.get(Unit.EVENT_PER_M, [0, 0])[0])

    def get_other_spent(self, row: LineageEntry) -> int:
        return int(row.amounts.get(Unit.EVENT_PER_M, [0, 0])[1])


class LineageSerializer(serializers.Serializer[Any]):
    """The other uploads that share a dataset's budget, and what was recorded of its own."""

    upload = serializers.IntegerField(allow_null=True)
    others = SharingSerializer(many=True)
    recorded = RecordedSerializer(many=True)
    not_recognised = serializers.CharField()


class DecisionSerializer(serializers.Serializer[Any]):
    """The owner's decision: this upload is of other people than those that share its budget."""

    decision = serializers.ChoiceField(choices=[OTHER_PEOPLE])
    others = serializers.ListField(
        child=serializers.IntegerField(min_value=1),
        required=False,
        min_length=1,
        max_length=MAX_OTHERS,
        help_text="Uploads by their id; without it, all that share the budget.",
    )
