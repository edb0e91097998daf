"""The limit of a job's memory: what is mapped from a file may be larger, what is held may not."""

import os
import subprocess
import sys

import pytest

SCRIPT = """
import django

django.setup()
import numpy as np
from dashboard.config.celery import _limit_memory
from privacy_engine.data.mapped_series import empty

_limit_memory()
columns = [empty(100_000_000, np.int8) for _ in range(8)]
print(sum(map(len, columns)))
try:
    np.ones(50_000_000)
except MemoryError:
    print("MemoryError")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the memory of a process")
def test_columns_in_files_may_be_larger_than_a_jobs_memory_and_arrays_may_not():
    env = os.environ | {"CAIRN_JOB_MEMORY_MB": "500", "DJANGO_SETTINGS_MODULE": "dashboard.config.settings"}
    done = subprocess.run([sys.executable, "-c", SCRIPT], env=env, capture_output=True, text=True)
    assert done.stdout.split() == ["800000000", "MemoryError"], done.stderr
