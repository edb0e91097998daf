"""The most visited places of check-ins, for their owner's page."""

from typing import Any

import numpy as np
from rest_framework import serializers

from dashboard.core.errors import must_be
from dashboard.core.rest.parsing import Whole
from privacy_engine.data import CheckIns
from privacy_engine.errors import ParameterError

MOST = 1000


class PlacesQuery(serializers.Serializer[Any]):
    """How many places."""

    k = Whole(default=50, help_text=f"The first so many places, 1 to {MOST:,}.")


class VisitedPlaceSerializer(serializers.Serializer[Any]):
    """One place of the upload."""

    rank = serializers.IntegerField()
    place = serializers.CharField(help_text="Its identifier in the upload.")
    name = serializers.CharField(help_text="Its name in the upload or in the list of venues; empty without one.")
    lon = serializers.FloatField(allow_null=True, help_text="The mean longitude of its check-ins.")
    lat = serializers.FloatField(allow_null=True, help_text="The mean latitude of its check-ins.")
    checkins = serializers.IntegerField()
    users = serializers.IntegerField(help_text="How many users checked in there.")


class PlacesSerializer(serializers.Serializer[Any]):
    """Places in the order of their check-ins, the most visited first."""

    places = VisitedPlaceSerializer(many=True)
    of = serializers.IntegerField(help_text="How many places the upload has.")


def most_visited(checkins: CheckIns, k: int) -> dict[str, Any]:
    """Return the ``k`` most visited places, as :class:`PlacesSerializer` has them; ties by their order in the upload.

    Raises
    ------
    ParameterError
        ``k`` is not between 1 and :data:`MOST`, or the check-ins name no places.
    """
    if not 1 <= k <= MOST:
        raise must_be("k", f"between 1 and {MOST:,}", k)
    if checkins.place is None:
        rule = "places"
        raise ParameterError("check-ins must have places to be listed", field="place", rule=rule)
    visits = np.bincount(checkins.place, minlength=len(checkins.places))
    pairs = np.unique(np.column_stack([checkins.place, checkins.user]), axis=0)
    users = np.bincount(pairs[:, 0], minlength=len(visits))
    order = np.argsort(-visits, kind="stable")[:k]
    means = [_means(checkins, axis, visits) for axis in (checkins.lon, checkins.lat)]
    names = checkins.place_names or [""] * len(visits)
    places = [
        {
            "rank": rank,
            "place": checkins.places[place],
            "name": names[place],
            **{axis: None if mean is None else mean[place] for axis, mean in zip(("lon", "lat"), means, strict=True)},
            "checkins": int(visits[place]),
            "users": int(users[place]),
        }
        for rank, place in enumerate(order[visits[order] > 0].tolist(), 1)
    ]
    return {"places": places, "of": int(np.count_nonzero(visits))}


def _means(checkins: CheckIns, axis: Any, visits: Any) -> list[float] | None:
    if axis is None:
        return None
    return (np.bincount(checkins.place, weights=axis, minlength=len(visits)) / np.maximum(visits, 1)).tolist()  # type: ignore[arg-type]
