"""Warming the kernels' cache leaves nothing for a first request to compile."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
USE = r"""
import numpy as np
from privacy_engine import noise
from privacy_engine.data import LandmarkSet, Trajectory
from privacy_engine.metrics import DynamicTimeWarping, Hausdorff
from privacy_engine.landmarks.orders import heuristic_order, optimal_order, partitioned_order
from tests.engine.test_simulation import simulated

simulated()
noise.simulated_planar([1.0, 2.0], [3.0, 4.0], [1.0, 2.0], seed=1, repetition=[1, 2])
noise.simulated_polar(np.ones(4), seed=1)
noise.simulated_laplace([1.0, 2.0], 1.0, seed=1, first_event=3)
line = Trajectory(np.arange(9.0), np.arange(9.0))
for metric in (DynamicTimeWarping(), DynamicTimeWarping(band=2), Hausdorff()):
    metric.over(line, line.lon + 1, line.lat, np.arange(9))
    metric.over(line, line.lon[::2], line.lat[::2], np.arange(0, 9, 2))
mask = np.arange(40) % 7 == 0
for given in (mask, LandmarkSet(mask).mask, mask.tolist()):
    for evaluation in ("gaps", "nearest"):
        heuristic_order(given, evaluation)
        optimal_order(~np.asarray(given), evaluation)
    for distance in ("euclidean", "wasserstein"):
        partitioned_order(given, distance)
"""


@pytest.mark.slow
def test_what_was_warmed_is_not_compiled_again(tmp_path: Path) -> None:
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path), "PYTHONPATH": str(ROOT)}

    def compiled_by(*command: str) -> set[Path]:
        before = set(tmp_path.rglob("*.nbc"))
        subprocess.run([sys.executable, *command], env=environment, cwd=ROOT, check=True)
        return set(tmp_path.rglob("*.nbc")) - before

    assert compiled_by("-m", "dashboard.launcher.warm")
    assert not compiled_by("-c", USE)
