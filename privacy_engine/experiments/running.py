"""Running an experiment: cells cut into blocks of repetitions, kept as they come, on any number of processes.

No cut, order, number of processes or interruption changes a bit of the table: a repetition is a function of its cell,
the dataset and its own number.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from contextlib import closing, contextmanager
from dataclasses import dataclass
from multiprocessing import get_context

import numpy as np

from privacy_engine.data import Floats, LandmarkSet, Trajectory
from privacy_engine.errors import ParameterError
from privacy_engine.experiments.measures import MarkedShare, Measure, Work
from privacy_engine.experiments.spec import Cell, ExperimentSpec, dataset_digest, moved
from privacy_engine.experiments.store import Key, MemoryStore, Store
from privacy_engine.experiments.table import Results, assemble
from privacy_engine.experiments.trials import Trials
from privacy_engine.formats.arrow import pa
from privacy_engine.noise import counted

AT_ONCE_S = 0.05
"""Predicted work below this may run where it was asked for; the rest is queued."""

BLOCK_S = 1.0
"""About how long a block takes."""

Watch = Callable[[int, int], None]


@dataclass(frozen=True)
class Block:
    """Repetitions ``first`` to ``first + count`` (left out) of a cell."""

    cell: Cell
    first: int
    count: int

    def key(self, dataset: str) -> Key:
        """Where its results are kept."""
        return Key(dataset, self.cell.digest, self.first, self.count)


def cell_seconds(cell: Cell, lengths: Sequence[int], repetitions: int) -> float:
    """About how long so many repetitions of a cell take on one core, in seconds, over series of so many events.

    Sums of constants measured on one core of a small machine in 2026, right within a factor of three for series of
    100 to 100,000 events: for the landmarks, for the dummies (:meth:`DummyMethod.seconds`, at worst) and for each
    metric. Which events are landmarks is not looked at: dummies are reckoned for the share a method asks for, or a
    fifth. A first run in a process also loads its kernels, about 0.2 s, which are not counted.
    """
    events, draws = sum(lengths), repetitions if cell.redraw else 1
    marking = draws * (7e-5 * len(lengths) + 3e-8 * events)
    if cell.dummies is not None:
        marking += repetitions * cell.dummies.seconds(_typical(cell, lengths))
    work: Work = {}  # what two metrics share is done once
    for measure in cell.metrics:
        work |= measure.work(cell, list(lengths), repetitions)
    return marking + sum(work.values())


def _typical(cell: Cell, lengths: Sequence[int]) -> list[LandmarkSet]:
    """Landmarks as many as the method may mark, spread evenly."""
    share = getattr(cell.landmarks, "share", 0.2)
    return [LandmarkSet(np.diff(np.floor(share * np.arange(n + 1))) > 0) for n in lengths]


def predicted_seconds(spec: ExperimentSpec, lengths: Sequence[int]) -> float:
    """About how long an experiment takes on one core, in seconds; see :func:`cell_seconds`."""
    return sum(cell_seconds(cell, lengths, spec.repetitions) for cell in spec.cells())


def may_run_at_once(spec: ExperimentSpec, lengths: Sequence[int]) -> bool:
    """True if it takes less than :data:`AT_ONCE_S`: then a request may wait for it."""
    return predicted_seconds(spec, lengths) < AT_ONCE_S


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
    return int(BLOCK_S / max(cell_seconds(cell, lengths, 1_000) / 1_000, 1e-6))


def run_block(block: Block, series: Sequence[Trajectory]) -> Floats:
    """Landmark share and metrics of a block's repetitions, (1 + metrics, count).

    Raises
    ------
    EngineError
        The data lack what the cell needs, or do not suit it.
    """
    trials = Trials(block.cell, series, range(block.first, block.first + block.count))
    measured = (_measured(one, trials, f"metrics.{i}") for i, one in enumerate(block.cell.metrics))
    return np.array([MarkedShare().values(trials), *measured])


def _measured(measure: Measure, trials: Trials, place: str) -> Floats:
    try:
        return measure.values(trials)
    except ParameterError as wrong:
        if wrong.field not in type(measure).model_fields:
            raise
        raise moved(wrong, wrong.field, f"{place}.{wrong.field}") from None


def run(
    spec: ExperimentSpec,
    series: Sequence[Trajectory],
    store: Store | None = None,
    *,
    workers: int = 1,
    size: int | None = None,
    watch: Watch | None = None,
) -> pa.Table:
    """The table of an experiment, as :func:`~privacy_engine.experiments.table.assemble` has it; what is kept is reused.

    Parameters
    ----------
    series : sequence of Trajectory
        The dataset.
    workers : int
        Processes that compute; with one, this process does.
    size : int, optional
        Repetitions of a block, at least 1.
    watch : callable, optional
        ``watch(done, blocks)`` hears after each block, and may raise: what is done by then is kept.

    Raises
    ------
    EngineError
        The data lack what a cell needs, or do not suit it.
    """
    kept = MemoryStore() if store is None else store
    dataset = dataset_digest(series)
    todo = {block.key(dataset): block for block in blocks(spec, list(map(len, series)), size)}
    found: dict[Key, Floats] = {}
    for key, block in todo.items():
        values = kept.get(key)
        if values is not None and values.shape == (1 + len(block.cell.metrics), block.count):
            found[key] = values
    missing = {key: block for key, block in todo.items() if key not in found}
    with closing(_computed(missing, series, workers)) as computed:
        for key, values in computed:
            kept.put(key, values)
            found[key] = values
            if watch is not None:
                watch(len(found), len(todo))
    results: Results = {}
    for key in todo:
        results.setdefault(key.cell, []).append(found[key])
    return assemble(spec, dataset, {digest: np.concatenate(parts, axis=1) for digest, parts in results.items()})


def _computed(todo: dict[Key, Block], series: Sequence[Trajectory], workers: int) -> Generator[tuple[Key, Floats]]:
    count = min(workers, len(todo))
    if count <= 1:
        yield from ((key, run_block(block, series)) for key, block in todo.items())
        return
    pool = ProcessPoolExecutor(count, get_context("spawn"), initializer=_start, initargs=(list(series),))
    try:
        with _undisturbed():
            running: dict[Future[Floats], Key] = {pool.submit(_run, block): key for key, block in todo.items()}
        for future in as_completed(running):
            yield running[future], future.result()
    finally:
        with _undisturbed():
            pool.shutdown(cancel_futures=True)


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Without Ctrl-C: for processes born here, which ignore it for life, and for the time it takes to end them.

    It reaches every process of a terminal, and the parent alone answers it; a second one while the pool ends would
    leave it half-ended, and this process waiting for it for ever.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


_series: list[Trajectory] = []


def _start(series: list[Trajectory]) -> None:
    _series[:] = series


def _run(block: Block) -> Floats:
    return run_block(block, _series)
