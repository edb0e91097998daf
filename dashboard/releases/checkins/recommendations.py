"""Recommendations of cells by published models of check-ins, and what their owner may compare them with."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import groupby
from typing import Any

import numpy as np

from dashboard.core.computing import computed_where
from dashboard.core.errors import must_be
from dashboard.datasets.checkins import cells
from dashboard.datasets.models import Kind
from dashboard.releases.checkins.results import (
    Densities,
    Histories,
    HistoryUser,
    ModelMap,
    RankedCell,
    RankedVenue,
    Recommendation,
    Reference,
    ReferenceCell,
    UserHistory,
    VenueRanking,
)
from dashboard.releases.models import Release
from dashboard.storage import data_files
from dashboard.storage.stored_path import StoredPath
from privacy_engine.core import geo
from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.data import CheckIns
from privacy_engine.data.grid import Grid
from privacy_engine.errors import ParameterError
from privacy_engine.recommender import MarkovModel, NearestModel, Recommender, Sequences, VenuesModel, first_cells

LONGEST = 1000
"""Places in a history."""
LATEST = 20
"""Places of a user's history that are shown."""
MODELS = 2
"""Models that a process holds in memory: a model on a grid of 32 by 32 cells may take 20 MB."""


@computed_where(lambda row, history, k: row.dataset.is_large and any(isinstance(item, str) for item in history))
def recommend(row: Release, history: Sequence[Any], k: int) -> Recommendation:
    """Return the ``k`` cells that a release ranks first after ``history``, from what it published alone.

    Items of the history are cells, positions ``{"lon", "lat"}``, or names of places of the upload: only these are
    looked up in it.

    Raises
    ------
    ParameterError
        An item is none of these, or not in the grid; ``k`` or the length of the history is out of range.
    """
    model = model_of(row)
    visited = cells_of(row, model.grid, history)
    ranking = _ranked(model.grid, model.scores(visited), visited, cells.checked(k))
    return Recommendation(history=visited, cells=ranking, of=len(model.grid))


@computed_where(lambda row, **_: row.dataset.is_large)
def reference(row: Release, history: Sequence[Any], k: int) -> Reference:
    """Return what the upload's non-private model and the distance alone rank first; errors as :func:`recommend`."""
    published = model_of(row)
    visited = cells_of(row, published.grid, history)
    model = _reference_model(row.kind, row.dataset.points_path, published.grid)
    recommended = published.recommend(visited, cells.checked(k))
    scores = model.scores(visited)
    shares, order = _shares(scores, visited), first_cells(scores, visited, len(model.grid))
    ranks = np.zeros(len(model.grid), dtype=np.int64)
    ranks[order] = np.arange(1, len(order) + 1)
    return Reference(
        history=visited,
        markov=_ranked(model.grid, scores, visited, k),
        nearest=_ranked(model.grid, NearestModel(model.grid).scores(visited), visited, k) if visited else [],
        recommended=[
            ReferenceCell(cell=cell, rank=int(ranks[cell]), share=_number(shares[cell]))
            for cell in recommended.tolist()
        ],
    )


def model_map(row: Release, history: Sequence[Any]) -> ModelMap:
    """Return grid, densities and boxes of a release, from what it published alone; errors as :func:`recommend`."""
    model = model_of(row)
    grid, mass = model.grid, model.densities()
    boxes = model.boxes(cells_of(row, grid, history))
    edges = {name: float(getattr(grid, name)) for name in ("west", "south", "east", "north")}
    return ModelMap(
        **edges,
        columns=grid.columns,
        rows=grid.rows,
        densities=None if mass is None else np.asarray(mass, dtype=np.float64).tolist(),
        boxes=np.asarray(boxes, dtype=np.float64).tolist(),
    )


def venues(row: Release, cell: int, k: int) -> VenueRanking:
    """Return the ``k`` venues in a cell that a release counts most, from what it published alone.

    Raises
    ------
    ParameterError
        The release counts no venues, the cell is not in its grid, or ``k`` is out of range.
    """
    model = model_of(row)
    if not isinstance(model, VenuesModel):
        raise must_be("release", "of a mechanism that counts venues", row.mechanism)
    cell, listed = _cell_of(row, model.grid, cell, "cell"), model.venues
    ranked = [
        RankedVenue(
            rank=rank,
            venue=listed.ids[i],
            name=listed.names[i],
            lon=float(listed.lon[i]),
            lat=float(listed.lat[i]),
            count=int(model.counts[i]),
        )
        for rank, i in enumerate(model.venues_in(cell, cells.checked(k)).tolist(), 1)
    ]
    return VenueRanking(cell=cell, venues=ranked)


@computed_where(lambda row: row.dataset.is_large)
def densities(row: Release) -> Densities:
    """Return the upload's check-ins in every cell of a release's grid."""
    return Densities(densities=cells.counted(model_of(row).grid, _upload(row)).tolist())


@computed_where(lambda row, **_: row.dataset.is_large)
def histories(row: Release, user: str, most: int) -> Histories:
    """Return users of the upload, and the history of ``user`` if it is named.

    Raises
    ------
    ParameterError
        There is no such user.
    """
    upload = _upload(row)
    each = np.bincount(upload.user, minlength=len(upload.users))
    first = np.argsort(-each, kind="stable")[:most]
    users = [HistoryUser(user=upload.users[i], checkins=int(each[i])) for i in first.tolist()]
    shown = _history_of(row, upload, user) if user else None
    return Histories(users=users, of=len(upload.users), shown=shown)


def model_of(row: Release) -> Recommender:
    """Return the model that a finished release published; the last ones read from memory."""
    return _model(row.data_path)


def cells_of(row: Release, grid: Grid, history: Sequence[Any]) -> list[int]:
    """Return the cells of the items of a history, repeats collapsed; errors as :func:`recommend`."""
    if len(history) > LONGEST:
        rule = f"at most {LONGEST:,} places"
        message = f"history must have {rule}, got {len(history):,}"
        raise ParameterError(message, field="history", rule=rule, value=len(history))
    visited = [_cell_of(row, grid, item, f"history.{i}") for i, item in enumerate(history)]
    return [cell for cell, _ in groupby(visited)]


@lru_cache(maxsize=MODELS)
def _model(path: StoredPath) -> Recommender:
    model: Recommender = data_files.read_release(Kind.CHECKINS, path)
    return model


@lru_cache(maxsize=1)
def _reference_model(kind: str, path: StoredPath, grid: Grid) -> Recommender:
    return MarkovModel.fitted(Sequences.of(data_files.cached_data(kind, path), grid))


def _upload(row: Release) -> CheckIns:
    upload: CheckIns = data_files.cached_data(row.kind, row.dataset.points_path)
    return upload


def _cell_of(row: Release, grid: Grid, item: Any, field: str) -> int:
    if isinstance(item, str):
        return _cell_of_place(row, grid, item, field)
    if isinstance(item, Mapping):
        return _cell_of_position(grid, item, field)
    rule = f"a cell from 0 to {len(grid) - 1}, a position with lon and lat, or the name of a place of the upload"
    if type(item) is not int or not 0 <= item < len(grid):
        raise must_be(field, rule, item)
    return item


def _cell_of_position(grid: Grid, item: Mapping[str, Any], field: str) -> int:
    position = [item.get("lon"), item.get("lat")]
    if unknown := sorted(set(item) - {"lon", "lat"}):
        raise must_be(f"{field}.{unknown[0]:.40}", "left out: a position has lon and lat", item[unknown[0]])
    if any(type(value) not in (int, float) for value in position):
        raise must_be(field, "a position with numbers lon and lat", dict(item))
    cell = int(grid.cells(np.array(position[:1], float), np.array(position[1:], float))[0])
    if cell < 0:
        raise must_be(field, f"in the box of the release, {grid.box_text}", dict(item))
    return cell


def _cell_of_place(row: Release, grid: Grid, name: str, field: str) -> int:
    upload = _upload(row)
    if name not in upload.places or upload.place is None or upload.lon is None or upload.lat is None:
        raise must_be(field, "the name of a place of the upload", name)
    there = np.flatnonzero(upload.place == list(upload.places).index(name))
    inside = grid.cells(upload.lon[there], upload.lat[there])
    inside = inside[inside >= 0]
    if not inside.size:
        raise must_be(field, f"a place in the box of the release, {grid.box_text}", name)
    return int(inside[0])


def _ranked(grid: Grid, scores: Floats, history: list[int], k: int) -> list[RankedCell]:
    return _as_cells(grid, first_cells(scores, history, k), scores, _shares(scores, history), history)


def _shares(scores: Floats, history: list[int]) -> Floats:
    """Scores above zero as shares of their sum, (cells,), without the last cell; NaN where there is none."""
    above = np.maximum(np.asarray(scores, dtype=np.float64), 0.0)
    above[history[-1:]] = 0.0
    total = above.sum()
    return above / total if total > 0 else np.full(len(above), np.nan)


def _centres(boxes: Floats) -> tuple[Floats, Floats]:
    west, south, east, north = boxes.T
    return (west + east) / 2, (south + north) / 2


def _as_cells(grid: Grid, order: Ints, scores: Floats, shares: Floats, history: list[int]) -> list[RankedCell]:
    boxes = grid.boxes(order)
    lon, lat = _centres(boxes)
    away = geo.distance_m(*_centres(grid.boxes(history[-1:])), lon, lat) if history else None
    return [
        RankedCell(
            rank=i + 1,
            cell=cell,
            **dict(zip(("west", "south", "east", "north"), boxes[i].tolist(), strict=True)),
            lon=float(lon[i]),
            lat=float(lat[i]),
            distance_m=None if away is None else float(away[i]),
            score=float(scores[cell]),
            share=_number(shares[cell]),
        )
        for i, cell in enumerate(order.tolist())
    ]


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _history_of(row: Release, upload: CheckIns, user: str) -> UserHistory:
    if user not in upload.users:
        raise must_be("user", "a user of the upload", user)
    sequences = Sequences.of(upload, model_of(row).grid)
    start, end = sequences.starts[list(upload.users).index(user) :][:2]
    cells_of_user = sequences.cells[start:end]
    return UserHistory(user=user, visits=len(cells_of_user), history=cells_of_user[-LATEST:].tolist())
