"""Functions that tests/test_computing_process.py calls in a computing process, which imports them from here."""

import os
import signal
import tempfile
import time

from django.http import Http404

from dashboard.core.computing import computed, computed_where
from dashboard.core.errors import Conflict
from dashboard.core.storage_errors import DamagedFile
from privacy_engine.errors import ChoiceNeeded, FormatError, ParameterError, ParameterErrors

ERRORS = {
    "parameters": ParameterErrors([ParameterError("a must be 1, got 2", field="a", rule="1", value=2)] * 2),
    "conflict": Conflict("not now", field="state", rule="ready", value="done"),
    "choice": ChoiceNeeded("which?", parameter="swap", choices=[("yes", "Yes")], default=None),
    "format": FormatError("no table", row=3, column="b"),
    "damaged": DamagedFile("releases/3f/budgets-a.parquet"),
    "missing": Http404("nothing here"),
    "gone": FileNotFoundError(2, "No such file"),
}


@computed
def number(value=None):
    """Return the value, and the number of the process."""
    return value, os.getpid()


@computed_where(lambda events: events > 10)
def number_of_many(events):
    return os.getpid()


@computed
def fail(name):
    raise ERRORS[name]


@computed
def end(after_s=0.0):
    time.sleep(after_s)
    os.kill(os.getpid(), signal.SIGKILL)


@computed
def wait(seconds):
    time.sleep(seconds)
    return os.getpid()


@computed
def written(text):
    file = tempfile.TemporaryFile()  # noqa: SIM115
    file.write(text)
    file.seek(0)
    return file
