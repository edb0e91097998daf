"""Compile the engine's numba kernels into their cache, so that nobody's first request waits ten seconds for it.

Usage: ``python -m dashboard.launcher.warm`` (``make install`` and the image's build do). A kernel called here with the
argument types it meets in use is loaded from the disk ever after; one forgotten here is compiled at its first use.
"""

import numpy as np


def main() -> None:
    from privacy_engine.accounting.temporal import LossFunction, landmark_temporal_loss, smoothing_matrix, temporal_loss
    from privacy_engine.landmarks.orders import heuristic_order, optimal_order, partitioned_order
    from privacy_engine.landmarks.staypoints import stay_point_mask
    from privacy_engine.picture import Picture, heights, packed

    event = np.arange(20.0)
    stay_point_mask(event * 1e-3, event * 1e-3, event * 60, distance_m=300, duration_s=120)
    for evaluation in ("gaps", "nearest"):
        heuristic_order(event % 5 == 0, evaluation)
        optimal_order(event % 5 > 0, evaluation)
    for distance in ("euclidean", "wasserstein"):
        partitioned_order(event % 5 == 0, distance)
    matrix = smoothing_matrix(3, 0.1)
    LossFunction(matrix)(np.ones(3))
    temporal_loss(np.ones(20), matrix, matrix)
    landmark_temporal_loss(np.ones(20), event % 5 == 0, matrix, matrix)
    positions = np.arange(20, dtype=np.int32)
    for packable in Picture(0, 0, 10, 10, 0, 0).shown(positions, heights(positions)):
        packed(packable)
    packed(positions)


if __name__ == "__main__":
    main()
