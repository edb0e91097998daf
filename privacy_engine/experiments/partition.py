"""Cutting an experiment: cells into blocks of repetitions, which are kept, and blocks into parts, which workers take.

Nothing of it changes what is computed: a repetition is a function of its cell, the dataset and its own number.
"""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from privacy_engine.experiments.cells import Cell
from privacy_engine.experiments.spec import ExperimentSpec
from privacy_engine.experiments.store import Key
from privacy_engine.noise import counted

AT_ONCE_S = 0.05
"""Predicted work below this may run in the request; the rest is queued."""

BLOCK_S = 1.0
"""About how long a block takes."""

MOST_PARTS = 400
SHORTEST_PART_S, LONGEST_PART_S = 0.15, 300.0
TOGETHER_S = 3.0
"""Blocks that draw the same landmarks are a single part up to this much work."""


@dataclass(frozen=True)
class Block:
    """Repetitions ``first`` to ``first + count`` (left out) of a cell."""

    cell: Cell
    first: int
    count: int

    def key(self, dataset: str) -> Key:
        """Where its results are kept."""
        return Key(dataset, self.cell.digest, self.first, self.count)

    @property
    def draws(self) -> Hashable:
        """What its landmarks and dummies follow from, but for how many repetitions it has."""
        return self.cell.draws, self.first


def cell_seconds(cell: Cell, lengths: Sequence[int], repetitions: int) -> float:
    """About how long so many repetitions of a cell take on a single core, in seconds; see :meth:`Cell.seconds`."""
    return cell.seconds(lengths, repetitions)


def predicted_seconds(spec: ExperimentSpec, lengths: Sequence[int]) -> float:
    """About how long an experiment takes on a single core, in seconds; see :func:`cell_seconds`."""
    return sum(cell_seconds(cell, lengths, spec.repetitions) for cell in spec.cells())


def blocks(spec: ExperimentSpec, lengths: Sequence[int], size: int | None = None) -> Iterator[Block]:
    """Every block of every different cell; without a ``size``, each of about :data:`BLOCK_S`.

    The size follows from cell and dataset, so two experiments that share a cell share its blocks.
    """
    for cell in spec.cells():
        each = _usual_size(cell, lengths) if size is None else counted(size, "size", None)
        step = max(each, 1)
        for first in range(0, spec.repetitions, step):
            yield Block(cell, first, min(step, spec.repetitions - first))


def _usual_size(cell: Cell, lengths: Sequence[int]) -> int:
    wanted, batch = int(BLOCK_S / max(cell_seconds(cell, lengths, 1_000) / 1_000, 1e-6)), cell.batch(lengths)
    return max(wanted - wanted % batch, batch)


def in_order(every: Iterable[Block]) -> list[Block]:
    """Blocks that draw the same landmarks in succession, those of a cell by their repetitions."""
    places: dict[Hashable, int] = {}
    listed = [(places.setdefault(block.cell.draws, len(places)), block) for block in every]
    return [block for _, block in sorted(listed, key=lambda entry: (entry[0], entry[1].first))]


@dataclass(frozen=True)
class Part:
    """Blocks ``start`` to ``stop`` (left out) of a list, about so many seconds of work."""

    start: int
    stop: int
    seconds: float


def parts(every: Sequence[Block], lengths: Sequence[int], todo: Sequence[int] | None = None) -> Iterator[Part]:
    """Parts, ranges of :func:`in_order` blocks of about as much work each, over series of so many events.

    Only the blocks ``todo`` (all) are work; a part may run over others. Blocks that draw the same landmarks stay
    together if that is possible: two workers would each draw them.
    """
    which = range(len(every)) if todo is None else todo
    seconds = [cell_seconds(every[i].cell, lengths, every[i].count) for i in which]
    least = min(max(sum(seconds) / MOST_PARTS, SHORTEST_PART_S), LONGEST_PART_S)
    start, weight = None, 0.0
    for i, cost in zip(which, seconds, strict=True):
        start = i if start is None else start
        weight += cost
        alike = i + 1 < len(every) and every[i].draws == every[i + 1].draws
        if weight >= least and not (alike and weight < TOGETHER_S):
            yield Part(start, i + 1, weight)
            start, weight = None, 0.0
    if start is not None:
        yield Part(start, which[-1] + 1, weight)
