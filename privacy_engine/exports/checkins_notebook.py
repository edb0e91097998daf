"""The cells of a notebook of check-ins."""

from collections.abc import Sequence

from privacy_engine.data import CheckIns
from privacy_engine.exports.base import Notebook
from privacy_engine.exports.notebook_cells import ABOUT_LABEL, ABOUT_LIBRARIES, INTRODUCTION, LABEL, Cell

_CELLS: Sequence[Cell] = (
    ("markdown", INTRODUCTION),
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
    ("markdown", ABOUT_LABEL),
    ("code", LABEL),
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
    ("markdown", ABOUT_LIBRARIES),
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

ADAPTER = Notebook(CheckIns.kind, _CELLS)
