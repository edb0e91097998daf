"""The events at home of a series, by the rule of the attack on homes, for their owner's comparison."""

from typing import Any

import numpy as np
from rest_framework import serializers

from dashboard.core.computing import computed
from dashboard.core.rest.parsing import Whole
from dashboard.datasets.models import Dataset
from dashboard.datasets.people import person_of
from dashboard.storage.data_files import cached_data
from privacy_engine.analysis.downsampling import runs
from privacy_engine.attacks.home_work import HomeWork

RULE = HomeWork(distance_m=200.0, duration_s=1800.0, within_m=200.0)
"""As the form of the attack proposes it."""


class HomeQuery(serializers.Serializer[Any]):
    """Which series."""

    series = Whole(default=0)


class HomeSerializer(serializers.Serializer[Any]):
    """Where a series is at home."""

    visits = serializers.IntegerField(help_text="How many events are at home; 0 where the rule finds no home.")
    runs = serializers.ListField(
        child=serializers.ListField(child=serializers.IntegerField()),
        help_text="Those events as [start, end), counted over the series.",
    )
    distance_m = serializers.FloatField(help_text="How far from its first point a stay may reach.")
    duration_s = serializers.FloatField(help_text="How long a stay must last.")


@computed
def home_of(dataset: Dataset, series: int) -> dict[str, Any]:
    """Return the events at home of a series of a dataset that is ready, as :class:`HomeSerializer`.

    Raises
    ------
    ParameterError
        There is no such series, or it has more stays than the attack takes.
    """
    person_of(dataset, series)  # refuses a number that there is not
    truth = cached_data(dataset.kind, dataset.points_path)[series]
    at_home = np.zeros(len(truth), dtype=np.bool_)
    at_home[RULE.home_visits(truth)] = True
    return {
        "visits": int(at_home.sum()),
        "runs": runs(at_home),
        "distance_m": RULE.distance_m,
        "duration_s": RULE.duration_s,
    }
