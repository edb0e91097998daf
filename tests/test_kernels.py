"""Kernels are compiled once: for one signature, by one process, and not before something needs them."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from numba import types

from privacy_engine import noise
from privacy_engine.kernels import kernel, order, philox
from privacy_engine.kernels.temporal import losses
from tests.cases import each
from tests.patience import patience

ROOT = Path(__file__).resolve().parents[1]
NOTED = """
import sys
from numba.core import event
class Noted(event.Listener):
    def on_start(self, event):
        of = event.data["dispatcher"].py_func
        if of.__module__.startswith("privacy_engine"):
            print(f"{of.__module__}.{of.__name__}{event.data['args']}", flush=True)
    def on_end(self, event): ...
event.register("numba:compile", Noted())
"""
DRAW = "from privacy_engine import noise; print(noise.simulated_laplace([1.0, 2.0], 1.0, seed=1).tolist())"
NAMES = "from privacy_engine.kernels import philox, laplace; kernels = philox.polar, philox.move, laplace.laplace;"
COMPILE = f"{NAMES} [one.prepare() for one in kernels]"


def started(code, cache):
    environment = os.environ | {"NUMBA_CACHE_DIR": str(cache), "PYTHONPATH": str(ROOT)}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    return subprocess.Popen([sys.executable, "-c", code], env=environment, cwd=ROOT, **pipes)


def printed(process):
    output = process.communicate(timeout=patience(120))[0]
    assert process.returncode == 0
    return output.splitlines()


def test_nothing_is_compiled_by_an_import(tmp_path):
    code = "from privacy_engine.kernels.order import every; print(len([one for one in every() if one.overloads]))"
    assert printed(started(NOTED + code, tmp_path)) == ["0"]
    assert not list(tmp_path.rglob("*.nb?"))


def test_every_kernel_with_a_signature_has_its_place():
    every = order.every()
    assert len(set(every)) == len(every) == len([one for one in kernel.declared if "privacy_engine" in one.__module__])


@pytest.mark.slow
def test_two_processes_compile_each_kernel_once(tmp_path):
    both = [started(NOTED + COMPILE, tmp_path) for _ in range(2)]
    found = [line for one in both for line in printed(one)]
    assert len(found) > 3
    assert len(set(found)) == len(found)
    assert not printed(started(NOTED + COMPILE, tmp_path))


@pytest.mark.slow
def test_a_process_that_is_killed_leaves_a_cache_that_works(tmp_path):
    """Killed once each time that one more file is there, between the two writes of a kernel too."""
    files, killed = 0, 0
    while killed < 8:
        process = started(NOTED + COMPILE, tmp_path)
        while process.poll() is None and len(list(tmp_path.rglob("*.nb?"))) <= files:
            time.sleep(0.001)
        if process.poll() is not None:
            break
        process.send_signal(signal.SIGKILL)
        process.communicate()
        killed, files = killed + 1, len(list(tmp_path.rglob("*.nb?")))
    assert killed > 3
    drawn = noise.simulated_laplace([1.0, 2.0], 1.0, seed=1).tolist()
    assert json.loads(printed(started(DRAW, tmp_path))[0]) == drawn
    printed(started(COMPILE, tmp_path))
    assert not printed(started(NOTED + COMPILE, tmp_path))


@pytest.mark.slow
def test_who_has_waited_long_compiles_for_itself_alone(tmp_path):
    """As for a process that was stopped, or has next to nothing of the processor."""
    name = "from privacy_engine.kernels import kernel, laplace; one = laplace.laplace;"
    hold = f"{name} one._cache._acquired(); print('held', flush=True); input()"
    holder = started(hold, tmp_path)
    try:
        assert holder.stdout.readline() == "held\n"
        alone = NOTED + f"{name} kernel.PATIENCE_S = 0.2; one.prepare(); print(one.is_stored)"
        *found, stored = printed(started(alone, tmp_path))
        assert found
        assert stored == "False"
    finally:
        holder.communicate("\n", timeout=patience(30))
    assert printed(started(f"{name} one.prepare(); print(one.is_stored)", tmp_path)) == ["True"]


def test_views_copies_and_read_only_arrays_share_one_specialisation():
    matrix = np.array([[0.9, 0.1], [0.2, 0.8]])
    frozen = matrix[0].copy()
    frozen.setflags(write=False)
    for alpha in (frozen, matrix[0], matrix[0].copy()):
        losses(alpha, frozen, frozen, frozen)
    assert len(losses.overloads) == 1


@each("wrong", [np.ones(2, dtype=np.float32), np.ones((2, 2)), np.ones(4)[::2], "text"])
def test_other_types_are_refused_and_not_compiled(wrong):
    one = np.ones(2)
    with pytest.raises(TypeError, match="No matching definition"):
        losses(wrong, one, one, one)
    assert len(losses.overloads) == 1


def test_a_part_of_other_kernels_cannot_be_called():
    philox.unit.compile((types.uint64,))  # as a kernel that is compiled does
    with pytest.raises(TypeError, match="part of other kernels"):
        philox.unit(np.uint64(1))


@pytest.mark.slow
def test_waiting_for_the_compiler_is_announced(tmp_path):
    code = "from privacy_engine.core.progress import listening; import sys\n" + NAMES
    code += "\nwith listening(lambda: None, print): kernels[2].prepare()"
    assert set(printed(started(code, tmp_path))) == {kernel.COMPILING}
    assert printed(started(code, tmp_path)) == []
