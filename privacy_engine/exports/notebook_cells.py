"""The cells of the notebooks of each kind of data; ``$file`` and its like are replaced (see notebook.py)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Cell = tuple[str, str]

_INTRODUCTION = """
# $title

$statement

The next cell opens the release as Cairn exports it to CSV: put **$file_name** into the folder of this notebook.
It needs [pandas](https://pandas.pydata.org) and [matplotlib](https://matplotlib.org): `pip install pandas matplotlib`.
Everything below shows what was published. Neither file contains the original.
"""

_LABEL = """
label = json.loads(release["privacy_label_json"].dropna().iloc[0])
release = release.drop(columns=["privacy_label", "privacy_label_json"])
guarantee = label["guarantee"]
print(label["text"])
if guarantee is None:
    print("A seeded simulation: it has no guarantee. Do not publish it.")
else:
    for title, lines in [
        ("Assumes", guarantee["assumptions"]),
        ("Not covered", guarantee["not_covered"]),
        ("Note", guarantee["caveats"]),
    ]:
        for line in lines:
            print(f"{title}: {line}")
"""

_ABOUT_LABEL = """
## The privacy label

Every exported file carries it: what is protected, how much, under which assumptions, and what is not covered.
"""

_ABOUT_LIBRARIES = """
## In other libraries

Each of these is optional; a library that is not installed is named.
"""


def _library(kind: str) -> Cell:
    return (
        "code",
        f"""
try:
    import privacy_engine as pe
except ImportError:
    print("Cairn's library is not installed: pip install cairn-privacy")
else:
    print(pe.read(FILE, kind="{kind}"))
""",
    )


_TRAJECTORY: Sequence[Cell] = (
    ("markdown", _INTRODUCTION),
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
    ("markdown", _ABOUT_LABEL),
    ("code", _LABEL),
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
    ("markdown", _ABOUT_LIBRARIES),
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
    _library("trajectory"),
)

_STREAM: Sequence[Cell] = (
    ("markdown", _INTRODUCTION),
    (
        "code",
        """
import json

import matplotlib.pyplot as plt
import pandas as pd

FILE = $file
release = pd.read_csv(FILE, low_memory=False)
time_column = release.columns[0]
dimensions = [name for name in release.columns[1:] if name not in ("privacy_label", "privacy_label_json")]
print(f"Timestamps: {len(release)}. Dimensions: {len(dimensions)}. Counts: {len(release) * len(dimensions)}.")
release[[time_column, *dimensions[:5]]].head()
""",
    ),
    ("markdown", _ABOUT_LABEL),
    ("code", _LABEL),
    ("markdown", "## The published counts\n\nThe dimensions with the largest sums, and below all of them at once."),
    (
        "code",
        """
counts = release.set_index(time_column)[dimensions]
largest = counts.sum().nlargest(6).index
COLOURS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00"]

figure, (lines, cells) = plt.subplots(2, 1, figsize=(9, 7), layout="constrained", sharex=True)
for name, colour in zip(largest, COLOURS):
    lines.plot(range(len(counts)), counts[name], color=colour, linewidth=1.2, label=str(name))
lines.set_title($quoted_title, loc="left")
lines.set_ylabel("Published count")
lines.grid(alpha=0.3)
lines.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
image = cells.imshow(counts.T, aspect="auto", interpolation="nearest", cmap="cividis")
cells.set_ylabel("Dimension")
step = max(1, len(counts) // 8)
cells.set_xticks(range(0, len(counts), step), [str(text) for text in counts.index[::step]], rotation=30, ha="right")
if len(dimensions) <= 30:
    cells.set_yticks(range(len(dimensions)), dimensions)
figure.colorbar(image, ax=cells, label="Published count", orientation="horizontal", shrink=0.5, aspect=40)
plt.show()
""",
    ),
    ("markdown", _ABOUT_LIBRARIES),
    _library("stream"),
)

_CHECKINS: Sequence[Cell] = (
    ("markdown", _INTRODUCTION),
    (
        "code",
        """
import json

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.collections import PolyCollection

FILE = $file
release = pd.read_csv(FILE, low_memory=False)
value = "count" if "count" in release else "mass"
print(f"Cells: {len(release)}. Sum of each {value}: {release[value].sum():g}.")
release[["cell", "west", "south", "east", "north", value]].head()
""",
    ),
    ("markdown", _ABOUT_LABEL),
    ("code", _LABEL),
    (
        "markdown",
        "## The published cells\n\nEach cell in the colour of its published number. Noise can make a number negative.",
    ),
    (
        "code",
        """
west, south, east, north = (release[side].to_numpy() for side in ("west", "south", "east", "north"))
corners = np.stack([west, south, east, south, east, north, west, north], axis=1).reshape(-1, 4, 2)

figure, axes = plt.subplots(figsize=(8, 6), layout="constrained")
cells = PolyCollection(corners, array=release[value].to_numpy(), cmap="cividis", edgecolor="white", linewidth=0.2)
axes.add_collection(cells)
axes.autoscale_view()
axes.set_aspect(1 / max(0.01, np.cos(np.radians((south.min() + north.max()) / 2))))
axes.set_xlabel("Longitude (°)")
axes.set_ylabel("Latitude (°)")
axes.ticklabel_format(useOffset=False)
axes.set_title($quoted_title, loc="left")
figure.colorbar(cells, ax=axes, label=f"Published {value}")
plt.show()
""",
    ),
    ("markdown", _ABOUT_LIBRARIES),
    (
        "code",
        """
try:
    import geopandas
    from shapely import box
except ImportError:
    print("geopandas is not installed: pip install geopandas")
else:
    boxes = geopandas.GeoDataFrame(release, geometry=box(west, south, east, north), crs="EPSG:4326")
    print(f"{len(boxes)} cells in {boxes.crs.name}")
""",
    ),
    (
        "markdown",
        "The JSON export of the same release is the whole model. It recommends the next cells after a history:\n\n"
        "```python\nfrom privacy_engine.recommender import Recommender\n\n"
        'model = Recommender.load("model.json")\nmodel.recommend([0, 1], k=5)\n```',
    ),
)

CELLS: Mapping[str, Sequence[Cell]] = {"trajectory": _TRAJECTORY, "stream": _STREAM, "checkins": _CHECKINS}
"""By kind of data: type and source of each cell."""
