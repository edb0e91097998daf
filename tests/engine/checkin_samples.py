"""Check-ins in the cells of a small box."""

import numpy as np

from privacy_engine.data import CheckIns
from privacy_engine.data.grid import Grid

BOX = {"west": 0.0, "south": 0.0, "east": 4.0, "north": 4.0, "side": 4}
GRID = Grid.from_dict(BOX)


def uploaded(cells, **places):
    """Check-ins in the middle of these cells of the box, one list for each user; -1 lies outside."""
    lists = list(cells)
    user = np.repeat(np.arange(len(lists)), [len(one) for one in lists])
    flat = np.array([cell for one in lists for cell in one], dtype=np.int64)
    lon, lat = (np.where(flat < 0, -1.0, at + 0.5) for at in (flat % 4, flat // 4))
    return CheckIns(user, [f"u{i}" for i in range(len(lists))], np.arange(len(flat)) * 1.0, lon=lon, lat=lat, **places)
