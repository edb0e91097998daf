"""Models are built at their first use, which several threads may make at once."""

import subprocess
import sys

import pytest

from tests.patience import patience

IN_A_NEW_PROCESS = """
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pydantic

import privacy_engine.experiments.presets
import privacy_engine.mechanisms

THREADS = 8

def models(base):
    for one in base.__subclasses__():
        yield one
        yield from models(one)

found = list(models(pydantic.BaseModel))
deferred = [one for one in found if not one.__pydantic_complete__]
assert len(deferred) > 100, len(deferred)
together = threading.Barrier(THREADS)

def errors(_):
    messages = []
    for one in deferred:
        together.wait()
        try:
            one.model_validate({"unknown": 1})
            messages.append("valid")
        except pydantic.ValidationError as error:
            messages.append(str(error))
    return messages

sys.setswitchinterval(1e-6)
with ThreadPoolExecutor(THREADS) as pool:
    first, *others = pool.map(errors, range(THREADS))
assert all(one == first for one in others)
assert any("unknown" in one for one in first)
assert all(one.__pydantic_complete__ for one in deferred)
"""


@pytest.mark.slow
def test_threads_that_use_a_model_first_get_the_same_errors():
    done = subprocess.run(
        [sys.executable, "-c", IN_A_NEW_PROCESS], capture_output=True, text=True, timeout=patience(120)
    )
    assert done.returncode == 0, done.stderr
