"""Check-ins in a notebook, and the models that recommend the next place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from privacy_engine.core.arrays import Ints
from privacy_engine.core.optional import required
from privacy_engine.data import CheckIns
from privacy_engine.data.grid import Grid
from privacy_engine.datatypes.labelled_release import release_other
from privacy_engine.errors import DataError, ParameterError
from privacy_engine.fluent.base import Original, Released
from privacy_engine.fluent.drawing import box_map, model_map
from privacy_engine.fluent.plotting import plot_cells, plot_points
from privacy_engine.formats import Report
from privacy_engine.recommender import Recommender, grid_cells

SIDE = 24
"""Cells per side in which check-ins are drawn."""


class RecommendedCell(NamedTuple):
    """A recommended cell: its number, its middle and its box in degrees."""

    cell: int
    lon: float
    lat: float
    west: float
    south: float
    east: float
    north: float


class CheckInData(Original):
    """Who was at which place, and when."""

    kind = CheckIns.kind

    def __init__(self, checkins: CheckIns, report: Report | None = None) -> None:
        super().__init__(report)
        self.checkins = checkins

    @property
    def data(self) -> CheckIns:
        return self.checkins

    def release(self, mechanism: str, *, seed: int | None = None, **parameters: Any) -> ModelRelease:
        """A model by a registered mechanism (``pe.catalogue("checkins")``) with its ``parameters``.

        With ``seed`` it can be repeated, and is a simulation. The grid must be public: chosen without the data.

        Raises
        ------
        ParameterErrors
            One for each parameter that is missing, unknown, or outside its domain.
        """
        return ModelRelease(
            release_other(self.spec(mechanism, seed, (), parameters), self.checkins, decisions=self.decisions), self
        )

    publish = release

    def to_dataframe(self) -> Any:
        """User, time, place and position of each check-in as a pandas.DataFrame; raw data."""
        pandas, data = required("pandas", "to_dataframe()"), self.checkins
        columns: dict[str, Any] = {"user": np.array(data.users, dtype=object)[data.user]}
        columns["time"] = pandas.to_datetime(np.round(data.time_s * 1e3).astype(np.int64), unit="ms", utc=True)
        if data.place is not None:
            columns["place"] = np.array(data.places, dtype=object)[data.place]
        if data.lon is not None:
            columns |= {"lon": data.lon, "lat": data.lat}
        return pandas.DataFrame(columns)

    def plot(self, ax: Any = None) -> Any:
        """Draw the positions by matplotlib, and return the axes; MissingPackage without it."""
        return plot_points(self.checkins, ax=ax)

    def _facts(self) -> list[tuple[str, str]]:
        facts = self.facts
        return [("users", f"{facts.users:,}"), *([] if facts.places is None else [("places", f"{facts.places:,}")])]

    def _drawing(self) -> str:
        bounds = self.facts.bounds
        if bounds is None or bounds[0] == bounds[2] or bounds[1] == bounds[3]:
            return ""
        west, south, east, north = bounds
        grid = Grid.square(west, south, east, north, SIDE)
        cells, often = np.unique(grid_cells(self.checkins, grid), return_counts=True)
        share = np.log1p(often) / np.log1p(often.max())
        return box_map(grid.boxes(cells), share, "check-ins in the cells of a grid")


class ModelRelease(Released):
    """A published model of check-ins: it recommends, and its recommendations cost nothing more."""

    @property
    def model(self) -> Recommender:
        """The published model."""
        model = self.made.published
        assert isinstance(model, Recommender)
        return model

    def recommend(self, history: Sequence[Any] = (), k: int = 10) -> list[RecommendedCell]:
        """The ``k`` best cells after ``history``, the best first; from what was published alone.

        Parameters
        ----------
        history : sequence of (lon, lat) or of int
            Positions in degrees, or numbers of cells; the last is the latest.

        Raises
        ------
        DataError
            A position lies outside the grid, or an item is neither.
        ParameterError
            ``k`` is less than 1.
        """
        if type(k) is not int or k < 1:
            raise ParameterError.must_be("k", "a whole number of at least 1", k, got=f"{k!s:.40}")
        grid = self.model.grid
        chosen = self.model.recommend(self._cells(history).tolist(), k)
        boxes = grid.boxes(chosen)
        middle = (boxes[:, :2] + boxes[:, 2:]) / 2
        rows = zip(chosen.tolist(), middle.tolist(), boxes.tolist(), strict=True)
        return [RecommendedCell(cell, *place, *box) for cell, place, box in rows]

    def _cells(self, history: Sequence[Any]) -> Ints:
        items = np.asarray(history)
        if items.ndim != 2:
            return self.model.checked(history)
        grid, rule = self.model.grid, f"positions (lon, lat) in {self.model.grid.box_text}"
        if items.shape[1] != 2 or items.dtype.kind not in "iuf":
            raise DataError.must_be("history", rule, got=f"{history!s:.60}")
        cells = grid.cells(items[:, 0], items[:, 1])
        if (cells < 0).any():
            value = items[cells < 0][0].tolist()
            raise DataError.must_be("history", rule, value, got=value)
        return cells

    def plot(self, ax: Any = None) -> Any:
        """Draw the published mass of the cells by matplotlib, and return the axes; MissingPackage without it."""
        return plot_cells(self.model, ax=ax)

    def _drawing(self) -> str:
        return model_map(self.model)


ADAPTER = CheckInData
