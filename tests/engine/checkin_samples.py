"""Check-ins in the cells of a small box."""

from privacy_engine.data.grid import Grid
from privacy_engine.laws.checkins import BOX
from privacy_engine.laws.checkins import in_cells as uploaded  # noqa: F401

GRID = Grid.from_dict(BOX)
