"""Running an experiment: its blocks, kept as they come, on any number of processes.

No cut, order, number of processes or interruption changes a bit of the table: a repetition is a function of its cell,
the dataset and its own number.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from contextlib import closing, contextmanager
from copy import copy
from multiprocessing import get_context

import numpy as np

from privacy_engine.data import Floats, Trajectory
from privacy_engine.errors import ParameterError
from privacy_engine.experiments.measures import MarkedShare, Measure
from privacy_engine.experiments.partition import Block, blocks, in_order, parts
from privacy_engine.experiments.spec import ExperimentSpec, dataset_digest, moved
from privacy_engine.experiments.store import Key, MemoryStore, Store
from privacy_engine.experiments.table import Results, assemble
from privacy_engine.experiments.trials import Trials
from privacy_engine.formats.arrow import pa

Watch = Callable[[int, int], None]


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
        The dataset; the spec's ``series`` states what of it is used, or what is generated where this is empty.
    workers : int
        Processes that compute; with one, this process does.
    size : int, optional
        Repetitions of a block, at least 1.
    watch : callable, optional
        ``watch(done, blocks)`` is called after each block and may raise: what is done by then stays stored.

    Raises
    ------
    EngineError
        The data lack what a cell needs, or do not suit it.
    """
    kept = MemoryStore() if store is None else store
    series = series if spec.series is None else spec.series.of(series)
    dataset = dataset_digest(series)
    todo = {block.key(dataset): block for block in in_order(blocks(spec, list(map(len, series)), size))}
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
    if workers <= 1 or len(todo) <= 1:
        yield from ((key, run_block(block, series)) for key, block in todo.items())
        return
    keys, each = list(todo), list(todo.values())
    ranges = list(parts(each, list(map(len, series))))
    pool = ProcessPoolExecutor(
        min(workers, len(ranges)), get_context("spawn"), initializer=_start, initargs=(list(series),)
    )
    try:
        with _undisturbed():
            running: dict[Future[list[Floats]], slice] = {}
            for part in ranges:
                running[pool.submit(_run, each[part.start : part.stop])] = slice(part.start, part.stop)
        for future in as_completed(running):
            yield from zip(keys[running[future]], future.result(), strict=True)
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


def _run(several: Sequence[Block]) -> list[Floats]:
    series = [copy(one) for one in _series]  # what cells draw alike is kept with the series: these blocks', and no more
    return [run_block(block, series) for block in several]
