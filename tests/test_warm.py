"""Warming the kernels' cache leaves nothing for a first request to compile."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dashboard.launcher import warm
from privacy_engine import kernels

ROOT = Path(__file__).resolve().parents[1]
USE = r"""
import numpy as np
from privacy_engine import noise
from privacy_engine.accounting.estimation import estimate_correlation
from privacy_engine.accounting.pairwise import pairwise_loss
from privacy_engine.data import CheckIns, CountStream, LandmarkSet, Trajectory
from privacy_engine.datatypes import datatypes
from privacy_engine.data.event_hashes import EventHashes, Keys, event_hashes, shared
from privacy_engine.metrics import DynamicTimeWarping, Hausdorff
from privacy_engine.experiments import ExperimentSpec, measures, presets, run
from privacy_engine.landmarks.orders import heuristic_order, optimal_order, partitioned_order
from tests.engine.test_simulation import simulated

simulated()
noise.simulated_planar([1.0, 2.0], [3.0, 4.0], [1.0, 2.0], seed=1, repetition=[1, 2])
noise.simulated_polar(np.ones(4), seed=1)
noise.simulated_laplace([1.0, 2.0], 1.0, seed=1, first_event=3)
line = Trajectory(np.arange(9.0), np.arange(9.0))
for source in (noise.publishable(), noise.seeded(1), noise.watched(noise.publishable(), lambda share: None)):
    for lon, lat in ((line.lon, line.lat), (line.lon[::2], line.lat[::2]), ([1.0], [2.0]), (np.ones(3), np.ones(3))):
        for rate in (1.0, 1e-9, np.full(len(lon), 0.01)):
            noise.planar_laplace(lon, lat, rate, rng=source)
        noise.joint_planar(lon, lat, 1.0, rng=source)
        noise.joint_planar(lon, lat, 1e-9, rng=source)
    noise.discrete_laplace(0.5, 7, rng=source)
for metric in (DynamicTimeWarping(), DynamicTimeWarping(band=2), Hausdorff()):
    metric.over(line, line.lon + 1, line.lat, np.arange(9))
    metric.over(line, line.lon[::2], line.lat[::2], np.arange(0, 9, 2))
keys, rng = Keys(*[bytes(16)] * 4), np.random.default_rng(0)
lon, lat, time_s = rng.uniform(0, 9, 50_000), rng.uniform(0, 9, 50_000), np.arange(5e4) * 60
of_venues = CheckIns(np.zeros(9, int), ["a"], np.arange(9.0), place=np.arange(9), places=list("abcdefghi"))
of_fixes = CheckIns(np.zeros(50_000, int), ["a"], time_s, lon=lon + 1e-5, lat=lat)
of_counts = CountStream(np.ones((2, 2)), ["a", "b"], ["1", "2"])
uploads = [("stream", of_counts), ("checkins", of_venues), ("checkins", of_fixes)]
uploads += [("trajectory", [Trajectory(lon, lat, times)]) for times in (None, time_s, time_s + 7200)]
fresh = [event_hashes(*upload, keys) for upload in uploads]
for one in fresh:
    for other in fresh:
        shared(one, EventHashes.from_bytes(other.to_bytes()))
for kind, data in uploads:
    datatypes[kind].sketches(data, keys.exact, keys.near)
mask = np.arange(40) % 7 == 0
for given in (mask, LandmarkSet(mask).mask, mask.tolist()):
    for evaluation in ("gaps", "nearest"):
        heuristic_order(given, evaluation)
        optimal_order(~np.asarray(given), evaluation)
    for distance in ("euclidean", "wasserstein"):
        partitioned_order(given, distance)

turns = [(np.sin(np.arange(30.0) + i) * 1e-2, np.cos(np.arange(30.0)) * 1e-2) for i in (0, 1)]
series = [Trajectory(lon, lat, np.arange(30.0) * 60) for lon, lat in turns]
known = estimate_correlation(series, cell_m=500.0, smoothing=1.0)
pairwise_loss(np.arange(30.0), known.distances_m / 200, known.backward, known.forward)
for cls in presets:
    small = {"timestamps": 24, "dimensions": 2} if cls.kind == "stream" else {}
    run(cls(repetitions=3, **small).spec(), series if cls.kind == "trajectory" else None)
every = []
for cls in measures.of("trajectory"):
    required = {one["name"]: one["example"] for one in cls.fields() if one["required"]}
    every.append({"name": cls.registered_name()} | required)
for name in ("event-level", "landmark-uniform", "landmark-adaptive", "landmark-joint"):
    mechanism = {"name": name, "epsilon": 1.0, "radius_m": 200.0}
    mechanism |= {"step_variance_m2": 1e4} if "joint" in name else {}
    marks = {"name": "synthetic", "share": 0.5, "distribution": "uniform", "seed": 0}
    known = {} if "joint" in name else {"correlation": {"diameter_m": None, "smoothing": 0.1}}
    wanted = [one for one in every if "joint" not in name or not one["name"].startswith("loss-")]
    base = {"release": {"mechanism": mechanism}, "landmarks": marks, "redraw": True, **known}
    for at in range(0, len(wanted), 16):
        run(ExperimentSpec.parse({"base": base, "repetitions": 2, "seed": 1, "metrics": wanted[at : at + 16]}), series)

from privacy_engine.kernels.order import every
used = [len(one.overloads) for one in every()]
assert max(used) == 1, used
"""


@pytest.mark.thorough
@pytest.mark.timeout(600)
def test_what_was_warmed_is_not_compiled_again(tmp_path):
    """Where the environment names a copy of a cache just warmed, as on CI, warming is not repeated."""
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path), "PYTHONPATH": str(ROOT)}

    def compiled_by(*command):
        before = set(tmp_path.rglob("*.nbc"))
        subprocess.run([sys.executable, *command], env=environment, cwd=ROOT, check=True)
        return set(tmp_path.rglob("*.nbc")) - before

    copy = Path(os.environ.get("CAIRN_WARMED_KERNELS", "")) / Path(kernels.CACHE_FOLDER).name
    if "CAIRN_WARMED_KERNELS" in os.environ and copy.is_dir():
        shutil.copytree(copy, tmp_path / copy.name)
        assert not compiled_by("-m", "dashboard.launcher.warm")
    else:
        assert compiled_by("-m", "dashboard.launcher.warm")
    assert not compiled_by("-c", USE)


DRAW = "from privacy_engine import noise; print(noise.simulated_laplace([1.0, 2.0], 1.0, seed=1).tolist())"


@pytest.mark.slow
def test_a_change_in_what_a_kernel_calls_is_noticed(tmp_path):
    """As an update brings one: numba keeps machine code by the kernel's own file, which stays as it is."""
    shutil.copytree(ROOT / "privacy_engine", tmp_path / "privacy_engine", ignore=shutil.ignore_patterns("__pycache__"))
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}

    def drawn():
        how = {"env": environment, "cwd": tmp_path, "check": True, "capture_output": True, "text": True}
        ran = subprocess.run([sys.executable, "-c", DRAW], **how)
        return list(json.loads(ran.stdout))

    head = "def log(x: float) -> float:\n"
    first, called = drawn(), tmp_path / "privacy_engine" / "kernels" / "elementary.py"
    assert drawn() == first
    called.write_text(called.read_text().replace(head, head + "    x = x * x\n"))
    assert drawn() == pytest.approx([2 * one for one in first])


def test_what_older_kernels_were_compiled_to_is_removed(tmp_path, monkeypatch):
    monkeypatch.setattr(kernels, "CACHE_FOLDER", str(tmp_path / "kernels-new"))
    for name in ("kernels-new", "kernels-old", "of-another-user"):
        (tmp_path / name).mkdir()
    warm.sweep()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kernels-new", "of-another-user"]
