"""``Venues``: a list of places with identifiers, positions and names, which check-ins of these places refer to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from privacy_engine.errors import DataError


@dataclass(frozen=True, eq=False)
class Venues:
    """Places in the order of their list.

    Parameters
    ----------
    ids : texts
        The identifier of each, none twice.
    lon, lat : (n,) float
        Degrees, WGS 84.
    names : texts
        The name of each, empty where it has none.

    Raises
    ------
    DataError
        Lengths differ, an identifier comes twice, or a position is not on the globe.
    """

    ids: Sequence[str]
    lon: NDArray[np.float64]
    lat: NDArray[np.float64]
    names: Sequence[str]

    def __post_init__(self) -> None:
        if len(self._row) != len(self.ids):
            raise DataError("venues must have identifiers that differ", field="venues", rule="each once")
        if not len(self.ids) == len(self.lon) == len(self.lat) == len(self.names):
            raise DataError("venues must have a position and a name each", field="venues", rule="same length")
        if not ((np.abs(self.lon) <= 180) & (np.abs(self.lat) <= 90)).all():
            raise DataError("venues must have positions on the globe", field="venues", rule="degrees")

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def _row(self) -> dict[str, int]:
        return {place: row for row, place in enumerate(self.ids)}

    def rows(self, places: Sequence[str]) -> NDArray[np.int64]:
        """The row of each place, (n,); -1 where it is not in the list."""
        return np.array([self._row.get(place, -1) for place in places], dtype=np.int64)

    def positions(self, places: Sequence[str]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Longitude and latitude of each place in degrees, (n,) each; nan where it is not in the list."""
        rows = self.rows(places)
        lon, lat = (np.append(axis, np.nan)[rows] for axis in (self.lon, self.lat))
        return lon, lat

    def names_of(self, places: Sequence[str]) -> list[str]:
        """The name of each place; empty where it has none."""
        return [self.names[row] if row >= 0 else "" for row in self.rows(places).tolist()]

    def at(self, rows: NDArray[np.int64]) -> Venues:
        """The list of these rows only."""
        chosen = rows.tolist()
        ids, names = [self.ids[row] for row in chosen], [self.names[row] for row in chosen]
        return Venues(ids, self.lon[rows], self.lat[rows], names)

    def as_dict(self) -> dict[str, list[object]]:
        """The list as JSON-ready columns."""
        return {"ids": [*self.ids], "lon": self.lon.tolist(), "lat": self.lat.tolist(), "names": [*self.names]}

    @classmethod
    def from_dict(cls, described: object) -> Venues:
        """The list of :meth:`as_dict`; DataError for anything else."""
        rule = "columns ids, lon, lat and names of one length"
        if not isinstance(described, dict) or described.keys() != {"ids", "lon", "lat", "names"}:
            raise DataError(f"venues must be {rule}", field="venues", rule=rule)
        texts = [described[name] for name in ("ids", "names")]
        if not all(isinstance(column, list) and all(isinstance(text, str) for text in column) for column in texts):
            raise DataError(f"venues must be {rule}", field="venues", rule=rule)
        try:
            lon, lat = (np.array(described[axis], dtype=np.float64).reshape(len(texts[0])) for axis in ("lon", "lat"))
        except (TypeError, ValueError) as error:
            raise DataError(f"venues must be {rule}", field="venues", rule=rule) from error
        return cls(texts[0], lon, lat, texts[1])
