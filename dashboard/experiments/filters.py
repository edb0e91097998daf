"""Which experiments a list shows: of the API and of the page."""

from django.db.models import Q, QuerySet, TextField, Value
from django.db.models.fields.json import KT
from django.db.models.functions import Coalesce
from django_filters import rest_framework as filters

from dashboard.datasets.models import Kind
from dashboard.experiments.models import Experiment
from dashboard.jobs.viewsets import JobFilter
from privacy_engine.experiments import UNSTATED


class ExperimentFilter(JobFilter):
    """By dataset, project, kind of data, state and tag; ``search`` looks at names, tags and names of datasets."""

    dataset = filters.UUIDFilter(field_name="dataset_id")
    kind = filters.ChoiceFilter(choices=Kind.choices, method="of_kind", help_text="The kind of data.")
    project = filters.UUIDFilter(field_name="project_id", help_text="In this project.")
    tag = filters.CharFilter(method="tagged", help_text="One whole tag.")
    search = filters.CharFilter(method="searched", help_text="Part of the name, of a tag or of the dataset's name.")

    def of_kind(self, rows: QuerySet[Experiment], _: str, value: str) -> QuerySet[Experiment]:
        """Of the kind that the stored spec states, or from before there were kinds."""
        stated = Coalesce(KT("spec__kind"), Value(UNSTATED), output_field=TextField())
        return rows.alias(kind_of_spec=stated).filter(kind_of_spec=value)

    def tagged(self, rows: QuerySet[Experiment], _: str, value: str) -> QuerySet[Experiment]:
        """The tag itself, not a part of it."""
        return rows.filter(stored_tags__contains=f",{value},")

    def searched(self, rows: QuerySet[Experiment], _: str, value: str) -> QuerySet[Experiment]:
        """Every part of the search text must occur somewhere."""
        for part in value.split():
            condition = Q(name__icontains=part) | Q(stored_tags__icontains=part) | Q(dataset__name__icontains=part)
            rows = rows.filter(condition)
        return rows
