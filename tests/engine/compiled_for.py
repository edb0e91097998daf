"""A new process that compiles the kernels for another processor."""

import os
import subprocess
import sys
from pathlib import Path


def compiled_for(cpu, code, cache):
    """What ``code`` prints, split at spaces, in a process with an empty ``cache``; ``cpu`` is generic or native."""
    environment = os.environ | {"NUMBA_CACHE_DIR": str(cache), "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    if cpu == "generic":
        environment |= {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}
    command = [sys.executable, "-W", "error", "-c", code]
    found = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return found.stdout.split()
