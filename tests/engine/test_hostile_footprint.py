"""Hostile uploads leave nothing behind: no memory, no files, no lines in a log. All of them, in one new process."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
RISE_MB = 150
READ_ALL = """
import io, json, logging, resource, sys, warnings
from pathlib import Path
from privacy_engine.errors import ChoiceNeeded, EngineError
from privacy_engine.formats import read
logging.basicConfig(level=logging.DEBUG, stream=sys.stderr)
warnings.simplefilter("always")
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
read(io.BytesIO(b"time,lat,lon\\n2024-06-15T10:30:00Z,52.5,13.4\\n"))  # what every first reading loads
before, outcomes = peak(), {}
for path in sorted(Path(sys.argv[1]).iterdir()):
    options = {}
    for _ in range(3):
        try:
            outcomes[path.name] = read(path, **options).report.outcome
        except ChoiceNeeded as choice:
            outcomes[path.name] = "ask"
            options[choice.parameter] = choice.default
            continue
        except EngineError as refused:
            outcomes[path.name] = refused.code
        break
print(json.dumps({"rise": peak() - before, "outcomes": outcomes}))
"""


@pytest.fixture(scope="module")
def hostile(shared):
    return shared / "hostile"


def test_every_file_is_in_the_table(hostile):
    listed = re.findall(r"^\| *\d+ \| ([\w.]+)", (hostile / "EXPECTED.md").read_text(), re.MULTILINE)
    assert set(listed) == {path.name for path in hostile.iterdir()} - {"EXPECTED.md"}


@pytest.mark.slow
def test_all_of_them_leave_nothing_behind(hostile, tmp_path):
    environment = os.environ | {"TMPDIR": str(tmp_path), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", READ_ALL, str(hostile)],
        cwd=tmp_path, env=environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    found = json.loads(done.stdout)
    assert found["rise"] < RISE_MB
    assert len(found["outcomes"]) == len(list(hostile.iterdir()))
    assert list(tmp_path.iterdir()) == []
    assert done.stderr == ""  # nothing is logged, so nothing of the input is
