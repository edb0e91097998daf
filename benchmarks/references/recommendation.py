"""Plain Python references of models of check-ins: the same counts, with noise, in dictionaries and lists."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import islice, pairwise

from benchmarks.references.streams import plain_laplace
from privacy_engine.data.grid import Grid

Row = tuple[int, float, float]
Run = tuple[int, ...]
BANDS, HALVINGS, LONGEST, LEAST = 16, 4, 3, 20


def plain_sequences(rows: Iterable[Row], grid: Grid, most: int) -> list[list[int]]:
    """The first ``most`` cells of each user, successive check-ins in one cell taken as one."""
    width, height = grid.east - grid.west, grid.north - grid.south
    found: dict[int, list[int]] = {}
    for user, lon, lat in rows:
        if not (grid.west <= lon <= grid.east and grid.south <= lat <= grid.north):
            continue
        column = min(int((lon - grid.west) / width * grid.columns), grid.columns - 1)
        cell = min(int((lat - grid.south) / height * grid.rows), grid.rows - 1) * grid.columns + column
        own = found.setdefault(user, [])
        if len(own) < most and (not own or own[-1] != cell):
            own.append(cell)
    return list(found.values())


def visits(sequences: list[list[int]], grid: Grid) -> list[Counter]:
    """Visits of each cell."""
    return [Counter(cell for one in sequences for cell in one)]


def moves(sequences: list[list[int]], grid: Grid) -> list[Counter]:
    """Moves from each cell to each other one."""
    return [Counter(pair for one in sequences for pair in pairwise(one))]


def bands(sequences: list[list[int]], grid: Grid) -> list[Counter]:
    """Moves by the logarithm of their distance in cells, in 16 bands."""
    found: Counter = Counter()
    step = math.log(math.hypot(grid.columns, grid.rows)) / BANDS
    for one in sequences:
        for (x, y), (u, v) in pairwise((cell % grid.columns, cell // grid.columns) for cell in one):
            away = math.hypot(x - u, y - v)
            found[min(int(math.log(away) / step), BANDS - 1)] += 1
    return [found]


def halves(sequences: list[list[int]], grid: Grid) -> list[Counter]:
    """Moves between the boxes of each level, which halve every axis."""
    found = []
    for level in range(HALVINGS + 1):
        shift = HALVINGS - level
        boxes = [(cell % grid.columns >> shift, cell // grid.columns >> shift) for cell in range(len(grid))]
        found.append(Counter((boxes[a], boxes[b]) for one in sequences for a, b in pairwise(one)))
    return found


def medians(sequences: list[list[int]], grid: Grid) -> list[Counter]:
    """Moves in the boxes of each level, which are split at the median of one axis, down to 20 moves."""
    moved = [pair for one in sequences for pair in pairwise(one)]
    points = [(a % grid.columns, a // grid.columns, b % grid.columns, b // grid.columns) for a, b in moved]
    found, boxes = [], {(): points}
    for level in range(2 * HALVINGS + 2):
        found.append(Counter({key: len(one) for key, one in boxes.items()}))
        axis, parts = level % 4, {}
        for key, one in boxes.items():
            if len(one) > LEAST:
                middle = sorted(point[axis] for point in one)[len(one) // 2]
                parts[(*key, 0)] = [point for point in one if point[axis] < middle]
                parts[(*key, 1)] = [point for point in one if point[axis] >= middle]
        boxes = parts
        if not boxes:
            break
    return found


def grams(sequences: list[list[int]], grid: Grid) -> list[Counter]:
    """Runs of 1 to 3 cells."""
    shifted = [
        zip(*(islice(one, first, None) for first in range(n)), strict=False)
        for n in range(1, LONGEST + 1)
        for one in sequences
    ]
    return [Counter(run for runs in shifted for run in runs)]


COUNTED: dict[str, tuple[Callable[..., list[Counter]], ...]] = {
    "checkin-popularity": (visits,),
    "checkin-markov": (moves,),
    "checkin-gravity": (visits, bands),
    "checkin-blend": (visits, bands, moves),
    "checkin-quadtree": (halves,),
    "checkin-kdtree": (medians,),
    "checkin-privtree": (halves,),
    "checkin-ngram": (grams,),
}
"""What each mechanism counts, at least."""


def plain_fit(name: str, rows: Iterable[Row], grid: Grid, most: int, rate: float = 0.1) -> list[dict]:
    """The counts that the mechanism ``name`` publishes, with noise on each that is not 0 without it."""
    draws = plain_laplace(rate, random.Random(1))
    sequences = plain_sequences(rows, grid, most)
    counted = [table for count in COUNTED[name] for table in count(sequences, grid)]
    return [{key: value + next(draws) for key, value in table.items()} for table in counted]
