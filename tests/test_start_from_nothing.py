"""`make run` in a fresh clone with nothing installed."""

import subprocess
import time

from tests.server import Server, fresh_clone, of_servers

pytestmark = of_servers


def test_serves_a_page_in_three_minutes(tmp_path):
    server = Server(fresh_clone(tmp_path, with_packages=False))
    try:
        seconds = server.start(limit_s=180)
        print(f"installed and served in {seconds:.0f} s")
        server.press_ctrl_c()
        began = time.monotonic()
        subprocess.run(["make", "install"], cwd=server.clone, env=server.env, check=True)
        assert time.monotonic() - began < 1
    finally:
        server.clear_away()
