"""The cells of a notebook of count streams."""

from collections.abc import Sequence

from privacy_engine.data import CountStream
from privacy_engine.exports.base import Notebook
from privacy_engine.exports.notebook_cells import ABOUT_LABEL, ABOUT_LIBRARIES, INTRODUCTION, LABEL, Cell, library

_CELLS: Sequence[Cell] = (
    ("markdown", INTRODUCTION),
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
    ("markdown", ABOUT_LABEL),
    ("code", LABEL),
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
    ("markdown", ABOUT_LIBRARIES),
    library(CountStream.kind),
)

ADAPTER = Notebook(CountStream.kind, _CELLS)
