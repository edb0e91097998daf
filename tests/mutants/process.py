"""Runs pytest in forks of a process that has imported the libraries: a mutant costs its tests and little more.

Reads lines of JSON from stdin, ``{"arguments": [...], "limit_s": 60}``, and writes one for each: pytest's exit code
(null where the time was up), the seconds it took, and the tests that failed.
"""

import importlib
import json
import os
import signal
import sys
import tempfile
import time
import traceback

LIBRARIES = (
    *("celery", "django.db.models", "django.test", "drf_spectacular", "numba", "numpy", "pyarrow.compute"),
    *("pyarrow.parquet", "pydantic", "pytest", "rest_framework", "scipy.special", "scipy.stats", "shapely"),
)
SUMMARY = ("FAILED ", "ERROR ")


def run(arguments, limit_s):
    """Run pytest in a fork; kill it with what it started after ``limit_s``."""
    with tempfile.TemporaryFile() as out:
        began, child = time.monotonic(), os.fork()
        if not child:
            _tests(arguments, out.fileno())
        code = _awaited(child, began + limit_s)
        seconds = time.monotonic() - began
        out.seek(0)
        lines = out.read().decode(errors="replace").splitlines()
    failed = [line.split(" - ")[0].partition(" ")[2] for line in lines if line.startswith(SUMMARY)]
    return {"code": code, "seconds": seconds, "failed": failed, "end": lines[-25:]}


def _tests(arguments, out):
    os.setsid()
    os.dup2(out, 1)
    os.dup2(out, 2)
    import pytest

    code = 3
    try:
        code = int(pytest.main(arguments))
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _awaited(child, end):
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.05)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


def main():
    """Serve requests until stdin is closed."""
    for name in LIBRARIES:
        importlib.import_module(name)
    for line in sys.stdin:
        request = json.loads(line)
        print(json.dumps(run(request["arguments"], request["limit_s"])), flush=True)


if __name__ == "__main__":
    main()
