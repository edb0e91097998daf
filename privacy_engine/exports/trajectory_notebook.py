"""The cells of a notebook of trajectories."""

from collections.abc import Sequence

from privacy_engine.data import Trajectory
from privacy_engine.exports.base import Notebook
from privacy_engine.exports.notebook_cells import ABOUT_LABEL, ABOUT_LIBRARIES, INTRODUCTION, LABEL, Cell, library

_CELLS: Sequence[Cell] = (
    ("markdown", INTRODUCTION),
    (
        "code",
        """
import json

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

FILE = $file
release = pd.read_csv(FILE, dtype={"series": "string", "person": "string"}, parse_dates=["time"], low_memory=False)
if "person" not in release:
    release["person"] = "one person"
print(f"Positions: {len(release)}. People: {release['person'].nunique()}. Series: {release['series'].nunique()}.")
release[["person", "series", "time", "lon", "lat"]].head()
""",
    ),
    ("markdown", ABOUT_LABEL),
    ("code", LABEL),
    ("markdown", "## The published positions\n\nOne colour for each person, at most eight of them named."),
    (
        "code",
        """
COLOURS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#7f7f7f", "#22201c"]

figure, axes = plt.subplots(figsize=(8, 6), layout="constrained")
for number, (person, own) in enumerate(release.groupby("person", sort=False)):
    named = str(person) if number < len(COLOURS) else None
    colour = COLOURS[number % len(COLOURS)]
    axes.plot(own["lon"], own["lat"], ".", markersize=3, alpha=0.7, color=colour, label=named)
axes.set_aspect(1 / max(0.01, np.cos(np.radians(release["lat"].mean()))))
axes.set_xlabel("Longitude (°)")
axes.set_ylabel("Latitude (°)")
axes.ticklabel_format(useOffset=False)
axes.set_title($quoted_title, loc="left")
axes.grid(alpha=0.3)
if release["person"].nunique() > 1:
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False, markerscale=3)
plt.show()
""",
    ),
    ("markdown", "## When they are\n\nTimes are UTC, and as the label lists them: published without noise."),
    (
        "code",
        """
if release["time"].notna().any():
    figure, axes = plt.subplots(figsize=(8, 2.5), layout="constrained")
    axes.hist(release["time"].dropna(), bins=60, color="#0072b2")
    axes.set_xlabel("Time (UTC)")
    axes.set_ylabel("Positions")
    figure.autofmt_xdate()
    plt.show()
else:
    print("The release has no times.")
""",
    ),
    ("markdown", ABOUT_LIBRARIES),
    (
        "code",
        """
try:
    import geopandas
except ImportError:
    print("geopandas is not installed: pip install geopandas")
else:
    points = geopandas.GeoDataFrame(
        release, geometry=geopandas.points_from_xy(release["lon"], release["lat"]), crs="EPSG:4326"
    )
    print(f"{len(points)} points in {points.crs.name}")
""",
    ),
    (
        "code",
        """
try:
    import geopandas
    import movingpandas
except ImportError:
    print("MovingPandas is not installed: pip install movingpandas geopandas")
else:
    timed = points.dropna(subset="time").assign(time=lambda frame: frame["time"].dt.tz_localize(None))
    tracks = movingpandas.TrajectoryCollection(timed, traj_id_col="series", t="time")
    print(tracks)
""",
    ),
    library(Trajectory.kind),
)

ADAPTER = Notebook(Trajectory.kind, _CELLS)
