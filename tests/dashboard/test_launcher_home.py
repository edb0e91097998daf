"""Folders of the launcher: permissions, and the broker's socket under long paths."""

from pathlib import Path

import pytest

from dashboard.launcher import home as launcher


class TestPrivateFolders:
    def test_the_broker_is_found_again_whatever_the_path(self) -> None:
        short, long = Path("/srv/cairn"), Path("/srv") / ("x" * 120)
        assert launcher.broker_socket(short) == short / "run" / "broker.sock"
        assert launcher.broker_socket(long) == launcher.broker_socket(long) != launcher.broker_socket(long / "y")
        assert len(str(launcher.broker_socket(long))) < 100

    def test_a_folder_that_others_can_enter_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "laid").mkdir()
        (tmp_path / "laid").chmod(0o755)
        with pytest.raises(launcher.LaunchError, match="only you can enter"):
            launcher.make_private(tmp_path / "laid")

    def test_a_link_to_somewhere_else_is_refused(self, tmp_path: Path) -> None:
        launcher.make_private(tmp_path / "real")
        (tmp_path / "link").symlink_to(tmp_path / "real")
        with pytest.raises(launcher.LaunchError, match="only you can enter"):
            launcher.make_private(tmp_path / "link")
