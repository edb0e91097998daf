"""What a killed run of the tests leaves behind is ended and removed."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import until
from tests.watchdog import processes_of

RUN = """
import subprocess, tempfile, time
from pathlib import Path

from tests import watchdog

process = watchdog.start(None)
import django; django.setup()
from tests import redis_server

with redis_server.running() as listens_at:
    child = subprocess.Popen(["sleep", "600"], start_new_session=True)
    print(tempfile.gettempdir(), process, flush=True)
    time.sleep(600)
"""


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_killed_run_leaves_no_server_and_no_file(number):
    environment = os.environ | {"DJANGO_SETTINGS_MODULE": "dashboard.config.settings"}
    run = subprocess.Popen([sys.executable, "-c", RUN], stdout=subprocess.PIPE, text=True, env=environment)
    folder, watchdog = run.stdout.readline().split()
    assert len(list(processes_of(Path(folder).name))) == 3  # Redis, sleep and the watchdog
    run.send_signal(number)
    run.wait()
    run.stdout.close()
    until(lambda: not (Path(folder).exists() or Path("/proc", watchdog).exists()), 20, every_s=0.1)
    assert list(processes_of(Path(folder).name)) == []
