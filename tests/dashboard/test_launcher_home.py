"""Folders of the launcher: permissions, and the broker's socket under long paths."""

import os
import subprocess
from pathlib import Path

import pytest

from dashboard.launcher import home as launcher


class TestPrivateFolders:
    def test_the_broker_is_found_again_whatever_the_path(self):
        short, long = Path("/srv/cairn"), Path("/srv") / ("x" * 120)
        assert launcher.broker_socket(short) == short / "run" / "broker.sock"
        assert launcher.broker_socket(long) == launcher.broker_socket(long) != launcher.broker_socket(long / "y")
        assert len(str(launcher.broker_socket(long))) < 100

    def test_a_folder_that_others_can_enter_and_a_link_are_refused(self, tmp_path):
        (tmp_path / "laid").mkdir()
        (tmp_path / "laid").chmod(0o755)
        launcher.make_private(tmp_path / "real")
        (tmp_path / "link").symlink_to(tmp_path / "real")
        for wrong in ("laid", "link"):
            with pytest.raises(launcher.LaunchError, match="only you can enter"):
                launcher.make_private(tmp_path / wrong)


class TestAddress:
    def test_is_that_of_the_process_that_holds_the_lock(self, tmp_path):
        (tmp_path / "run").mkdir()
        assert launcher.running_address(tmp_path) is None
        launcher.record_address(tmp_path, "127.0.0.1:8761")
        (tmp_path / "run" / "lock").write_text(f"{os.getpid()}\n")
        assert launcher.running_address(tmp_path) == "127.0.0.1:8761"
        ended = subprocess.Popen(["true"])
        ended.wait()
        (tmp_path / "run" / "lock").write_text(f"{ended.pid}\n")
        assert launcher.running_address(tmp_path) is None, "that of one that was killed is not used"
        (tmp_path / "run" / "lock").write_text(f"{os.getpid()}\n")
        launcher.forget_address(tmp_path)
        assert launcher.running_address(tmp_path) is None
