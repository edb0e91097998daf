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
from multiprocessing import get_context
from typing import Any

import numpy as np

from privacy_engine.core.arrays import Floats
from privacy_engine.core.progress import reported
from privacy_engine.errors import ParameterError
from privacy_engine.experiments.cells import cells
from privacy_engine.experiments.inputs import Given, uncached
from privacy_engine.experiments.partition import Block, blocks, in_order, parts
from privacy_engine.experiments.spec import UNSTATED, ExperimentSpec
from privacy_engine.experiments.store import Key, MemoryStore, Store
from privacy_engine.experiments.table import Results, assemble
from privacy_engine.formats.arrow import pa

Watch = Callable[[int, int], None]


def run_block(block: Block, data: Any) -> Floats:
    """Landmark share and metrics of a block's repetitions, (1 + metrics, count).

    Raises
    ------
    EngineError
        The data lack what the cell needs, or do not suit it.
    """
    return block.cell.values(data, range(block.first, block.first + block.count))


def data_of(spec: ExperimentSpec, given: Any) -> Any:
    """What an experiment is run on, of the data ``given``: a list of series, or an object of another kind, or None.

    Raises
    ------
    ParameterError
        Data are given and no cell takes them, or some cell takes them and none are given.
    """
    if spec.cell_type.takes_series:
        series = [] if given is None else given
        return series if spec.series is None else spec.series.of(series)
    must_suit(spec, given is not None)
    spec.suits(spec.cell_type.sizes_of(given))
    return given


def given_of(kind: str, data: Any) -> Given | None:
    """What a preset must know of ``data``; None for none."""
    return cells[kind].given_of(data)


def dataset_digest(data: Any, kind: str = UNSTATED) -> str:
    """SHA-256 of what results follow from: positions, times and marks of series in their order, counts, check-ins.

    >>> from privacy_engine.data import Trajectory
    >>> first, same = (Trajectory([8.5], [47.3], name=name) for name in "ab")
    >>> dataset_digest([first]) == dataset_digest([same])
    True
    """
    return cells[kind].digest_of(data)


def must_suit(spec: ExperimentSpec, has_dataset: bool) -> None:
    """ParameterError if a spec of a kind with generated cells takes a dataset and has none, or the other way."""
    if spec.takes_dataset == has_dataset:
        return
    left_out, required = "must be left out where every cell generates its data", "is required by cells without data"
    rule = left_out if has_dataset else required
    raise ParameterError(f"dataset {rule}", field="dataset", rule=rule)


def run(
    spec: ExperimentSpec,
    given: Any,
    store: Store | None = None,
    *,
    workers: int = 1,
    size: int | None = None,
    watch: Watch | None = None,
) -> pa.Table:
    """The table of an experiment, as :func:`~privacy_engine.experiments.table.assemble` has it; what is kept is reused.

    Parameters
    ----------
    given : sequence of Trajectory, CountStream, CheckIns or None
        The dataset; for trajectories the spec's ``series`` states what of it is used, or what is generated where this
        is empty.
    workers : int
        Processes that compute; with a single process, this does.
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
    data = data_of(spec, given)
    sizes, dataset = spec.cell_type.sizes_of(data), spec.cell_type.digest_of(data)
    todo = {block.key(dataset): block for block in in_order(blocks(spec, sizes, size))}
    known: dict[Key, Floats] = {}
    for key, block in reported(todo.items()):
        values = kept.get(key)
        if values is not None and values.shape == (1 + len(block.cell.metrics), block.count):
            known[key] = values
    missing = {key: block for key, block in todo.items() if key not in known}
    with closing(_computed(missing, data, sizes, workers)) as computed:
        for key, values in computed:
            kept.put(key, values)
            known[key] = values
            if watch is not None:
                watch(len(known), len(todo))
    results: Results = {}
    for key in todo:
        results.setdefault(key.cell, []).append(known[key])
    return assemble(spec, dataset, {digest: np.concatenate(parts, axis=1) for digest, parts in results.items()})


def _computed(todo: dict[Key, Block], data: Any, sizes: list[int], workers: int) -> Generator[tuple[Key, Floats]]:
    if workers <= 1 or len(todo) <= 1:
        yield from ((key, run_block(block, data)) for key, block in reported(todo.items()))
        return
    keys, each = list(todo), list(todo.values())
    ranges = list(parts(each, sizes))
    pool = ProcessPoolExecutor(min(workers, len(ranges)), get_context("spawn"), initializer=_start, initargs=(data,))
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

    It reaches every process of a terminal, and the parent alone answers it; a second while the pool ends would
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


_data: list[Any] = []


def _start(data: Any) -> None:
    _data[:] = [data]


def _run(several: Sequence[Block]) -> list[Floats]:
    data = uncached(_data[0])  # what these blocks draw alike is cached for them, and no longer
    return [run_block(block, data) for block in several]
