"""An audit in a real worker that is killed."""

from __future__ import annotations

import os
import signal
from typing import Any

import pytest

from tests.dashboard.test_audits import API, UNIFORM
from tests.dashboard.worker_support.server import temporary_server, wait_for


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_kill_9_of_the_worker_and_there_is_one_result():
    """Killed after the audit was computed and before its row was finished: another worker computes it, once."""
    with temporary_server() as server:
        hold = server.barriers / "audits.hold"
        hold.touch()
        worker = server.start_worker()
        made = server.control("call", method="post", path=API, body={"mechanism": UNIFORM, "trials": 1000})
        assert made["status"] == 201
        address = f"{API}{made['json']['id']}/"
        wait_for(lambda: list(server.barriers.glob("audits.reached.*")), within_s=300, why="the audit is computed")
        os.killpg(worker.process.pid, signal.SIGKILL)
        worker.process.wait()
        hold.unlink()
        server.start_worker()

        def ended() -> Any:
            row = server.control("call", method="get", path=address)["json"]
            return row if row["state"] in ("done", "failed") else None

        row = wait_for(ended, within_s=200, why="the audit is done")
        assert (row["state"], row["attempt"], row["error"]) == ("done", 2, None)
        assert row["result"]["verdict"] == "consistent"
