"""Figures by matplotlib, which is imported when a figure is drawn; each function takes axes or makes them."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from privacy_engine.core.arrays import Mask
from privacy_engine.core.optional import required
from privacy_engine.data import CheckIns, CountStream, Trajectory
from privacy_engine.data.stream_release import StreamRelease
from privacy_engine.errors import DataError
from privacy_engine.fluent.drawing import COLOURS, LANDMARK
from privacy_engine.recommender import Recommender

DIMENSIONS = 8
"""Dimensions that are drawn singly; of more it is their total."""
LEGEND = 10


def axes_of(ax: Any) -> Any:
    """The axes, or those of a new figure."""
    pyplot = required("matplotlib.pyplot", "plot()")
    return pyplot.subplots(figsize=(6.4, 4.2), layout="constrained")[1] if ax is None else ax


def as_map(ax: Any, lat: float) -> Any:
    """Name the axes in degrees and give a metre the same length in both directions at a latitude."""
    ax.set(xlabel="longitude, degrees", ylabel="latitude, degrees")
    ax.set_aspect(1 / max(float(np.cos(np.radians(lat))), 0.01), adjustable="datalim")
    ax.ticklabel_format(useOffset=False)
    return ax


def plot_tracks(
    series: Sequence[Trajectory], masks: Sequence[Mask] = (), *, ax: Any = None, colour: str | None = None
) -> Any:
    """Tracks, and as dots the events that ``masks`` mark, a mask for each series."""
    ax = axes_of(ax)
    for number, track in enumerate(series):
        line = {"color": colour or COLOURS[number % len(COLOURS)], "linewidth": 1.0}
        ax.plot(track.lon, track.lat, label=track.name or None, marker="." if len(track) == 1 else None, **line)
    for track, mask in zip(series, masks, strict=False):
        ax.plot(track.lon[mask], track.lat[mask], ".", color=LANDMARK, markersize=7)
    if 1 < len(series) <= LEGEND and colour is None:
        ax.legend(fontsize="small")
    everywhere = np.concatenate([np.empty(0), *(track.lat for track in series)])
    return as_map(ax, float(everywhere.mean()) if len(everywhere) else 0.0)


def plot_counts(stream: CountStream | StreamRelease, *, ax: Any = None, faint: bool = False) -> Any:
    """Each dimension in time, or the total of more than :data:`DIMENSIONS`."""
    ax = axes_of(ax)
    several = 1 <= len(stream.names) <= DIMENSIONS
    columns = stream.counts.T if several else stream.counts.sum(axis=1)[None]
    names = list(stream.names) if several else [f"total of {len(stream.names):,} dimensions"]
    for number, (column, name) in enumerate(zip(columns, names, strict=True)):
        style = {"color": "0.7"} if faint else {"color": COLOURS[number % len(COLOURS)], "label": name}
        ax.plot(np.arange(len(column)), column, linewidth=1.2, **style)
    ax.set(xlabel=f"{stream.time_name}, number of the timestamp", ylabel="count")
    if not faint:
        ax.legend(fontsize="small")
    return ax


def plot_points(checkins: CheckIns, *, ax: Any = None) -> Any:
    """Positions of check-ins; DataError where they have none."""
    if checkins.lon is None or checkins.lat is None:
        raise DataError("check-ins must have positions to be drawn", field="lon", rule="positions")
    ax = axes_of(ax)
    ax.plot(checkins.lon, checkins.lat, ".", color=COLOURS[0], markersize=3, alpha=0.4)
    return as_map(ax, float(checkins.lat.mean()) if len(checkins) else 0.0)


def plot_cells(model: Recommender, *, ax: Any = None) -> Any:
    """The published mass of the cells; DataError of a model that publishes none."""
    mass, grid = model.densities(), model.grid
    if mass is None:
        raise DataError("the model must publish a mass of cells to be drawn", field="model", rule="mass of cells")
    ax = axes_of(ax)
    drawn = ax.pcolormesh(*grid.edges(), mass.reshape(grid.rows, grid.columns), cmap="viridis")
    ax.figure.colorbar(drawn, ax=ax, label="published mass")
    return as_map(ax, (grid.south + grid.north) / 2)
