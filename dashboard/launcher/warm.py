"""Compile the engine's numba kernels into their cache, so that no first request waits ten seconds for it.

Usage: ``python -m dashboard.launcher.warm`` (``make install`` and the image's build do). A kernel called here with the
argument types it meets in use is loaded from the disk ever after; one forgotten here is compiled at its first use.
"""

import os
import shutil
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from privacy_engine.experiments import Cell

SMALL = {
    "stream": {"timestamps": 24, "dimensions": 2},
    "checkins": {"users": 20, "per_user": 5, "side": 2},
}
"""Parameters of presets, by kind, that make what they generate small: a worker starts after it."""


def main() -> None:
    sweep()
    with ProcessPoolExecutor(
        max_workers=min(os.cpu_count() or 1, 4)
    ) as pool:  # each compiles its own to the same cache
        for running in [pool.submit(one) for one in (losses, simulations, landmark_sets, releases, streams, rest)]:
            running.result()


def rest() -> None:
    """What shares kernels with the others, and little besides."""
    cleaning()
    events()
    measures()
    experiments("trajectory", "checkins")


def streams() -> None:
    """Kernels of count streams, which no other kind uses."""
    experiments("stream")


def sweep() -> None:
    """Remove what kernels of earlier versions were compiled to."""
    from privacy_engine import kernels

    kept = Path(kernels.CACHE_FOLDER)
    for folder in kept.parent.glob("kernels-*"):
        if folder != kept:
            shutil.rmtree(folder, ignore_errors=True)


def losses() -> None:
    from privacy_engine.accounting.pairwise import pairwise_loss
    from privacy_engine.accounting.temporal import LossFunction, landmark_temporal_loss, smoothing_matrix, temporal_loss

    matrix = smoothing_matrix(3, 0.1)
    LossFunction(matrix)(np.ones(3))
    temporal_loss(np.ones(20), matrix, matrix)
    landmark_temporal_loss(np.ones(20), np.arange(20) % 5 == 0, matrix, matrix)
    pairwise_loss(np.ones(20), 1 - np.eye(3), matrix, matrix)


def landmark_sets() -> None:
    from privacy_engine.landmarks.orders import heuristic_order, optimal_order, partitioned_order
    from privacy_engine.landmarks.staypoints import stay_point_mask

    event = np.arange(20.0)
    stay_point_mask(event * 1e-3, event * 1e-3, event * 60, distance_m=300, duration_s=120)
    heuristic_order(event % 5 == 0, "gaps")
    heuristic_order(event % 5 == 0, "nearest")
    partitioned_order(event % 5 == 0, "euclidean")
    partitioned_order(event % 5 == 0, "wasserstein")
    optimal_order(event % 5 != 0)


def simulations() -> None:
    from privacy_engine import noise
    from privacy_engine.analysis.simulation import simulate
    from privacy_engine.data import LandmarkSet, Trajectory
    from privacy_engine.mechanisms.landmark import Adaptive, Joint

    event = np.arange(20.0)
    noise.simulated_planar(event, event, 1.0, seed=1)
    noise.simulated_laplace(event + 1.0, 1.0, seed=1)
    both = [Adaptive(epsilon=1.0, radius_m=1.0), Joint(epsilon=1.0, radius_m=1.0, step_variance_m2=1.0)]
    simulate(both, Trajectory(event, event), [LandmarkSet(event % 5 == 0)], seed=1, repetitions=2)


def releases() -> None:
    from privacy_engine import noise

    event, source = np.arange(20.0), noise.publishable()
    noise.planar_laplace(event, event, np.where(event < 10, 1.0, 1e-9), rng=source)
    noise.joint_planar(event, event, 1.0, rng=source)
    noise.discrete_laplace(1.0, 20, rng=source)


def cleaning() -> None:
    from privacy_engine.cleaning import DropJumps
    from privacy_engine.data import Trajectory

    event = np.arange(20.0)
    DropJumps(highest_km_h=200.0).apply([Trajectory(event * 1e-3, event * 1e-3, event)])


def events() -> None:
    """Hashes of the events of an upload, and those that it shares with earlier ones."""
    from privacy_engine.data import CountStream, Trajectory
    from privacy_engine.event_hashes import EventHashes, Keys, event_hashes, shared
    from privacy_engine.event_sketch import sketch_of, stream_sketch

    keys, event = Keys(*[bytes(16)] * 4), np.arange(20.0)
    one = Trajectory(event, event, event)
    counts = CountStream(np.ones((1, 1)), ["a"], ["1"])
    for kind, data in (("stream", counts), ("trajectory", [Trajectory(event, event)]), ("trajectory", [one])):
        fresh = event_hashes(kind, data, keys)
        shared(fresh, EventHashes.from_bytes(fresh.to_bytes()))
    for copy in (Trajectory(event + 1e-6, event, event), Trajectory(event, event, event + 3600)):
        shared(fresh, EventHashes.from_bytes(event_hashes("trajectory", [copy], keys).to_bytes()))
    stream_sketch(counts, keys.exact)
    for timed in (False, True):
        sketch_of([one], keys.exact, timed=timed)


def measures() -> None:
    from privacy_engine.data import Trajectory
    from privacy_engine.metrics import DynamicTimeWarping

    event = np.arange(20.0)
    DynamicTimeWarping().over(Trajectory(event, event), event, event, np.arange(20))


def experiments(*kinds: str) -> None:
    """What the presets of some kinds of data, or of all, compute with.

    Workers call this before they fork, so that no first part waits for it.

    Tables are made, which imports most of pyarrow, but none is written: that starts threads, and threads do not fork.
    """
    from privacy_engine.data import Trajectory
    from privacy_engine.experiments import Block, TrajectoryCell, assemble, presets, run_block

    event = np.arange(20.0)
    series = [Trajectory(np.sin(event) * 1e-2, np.cos(event) * 1e-2, event * 60)]
    seen: set[object] = set()
    for cls in presets:
        if kinds and cls.kind not in kinds:
            continue
        spec = presets.parse({"name": cls.registered_name(), "repetitions": 1, **SMALL.get(cls.kind, {})}).spec()
        cells = {_computation(cell): cell for cell in spec.cells()}
        for cell in (cells[one] for one in cells.keys() - seen):
            of_series = isinstance(cell, TrajectoryCell)
            run_block(Block(cell, 0, 2), series if of_series else None)
            if of_series:
                run_block(Block(cell.model_copy(update={"redraw": False}), 0, 2), series)
        if cls.kind not in seen:
            assemble(spec, "", {cell.digest: np.zeros((1 + len(cell.metrics), 1)) for cell in spec.cells()})
        seen |= {cls.kind, *cells}


def _computation(cell: "Cell") -> tuple[object, ...]:
    """What two cells have in common that call the same kernels with the same types."""
    measured = tuple(measure.registered_name() for measure in cell.metrics)
    single = getattr(cell, "dimensions", None) == 1  # for which stream-shrink has kernels of its own
    return type(cell), cell.release and cell.release.title, getattr(cell, "correlation", None) is None, measured, single


if __name__ == "__main__":
    main()
