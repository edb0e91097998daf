"""The scripts of operations.md run: backup, wipe, restore, upgrade; several hosts of which one is cut off."""

import re
import subprocess
import sys

import pytest

from scripts.host_network import why_not
from tests.patience import patience
from tests.postgres import programs
from tests.server import ROOT, python

EARLIER = "182cd84"
"""The landed commit before the newest migrations."""


def rehearse(*arguments):
    done = python("scripts/rehearse-backup", *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("Nothing differs.\n")
    return done.stdout


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_a_restored_backup_is_the_same_to_the_byte():
    out = rehearse("--database", "sqlite")
    [releases] = re.findall(r"(\d+) releases", out)
    assert int(releases) >= 8  # done, waiting and with a seed
    assert "a damaged backup is refused" in out


@pytest.mark.thorough
@pytest.mark.timeout(600)
@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_an_installation_of_an_earlier_version_is_restored_and_upgraded(database):
    if subprocess.run(["git", "cat-file", "-e", f"{EARLIER}^{{tree}}"], cwd=ROOT, capture_output=True).returncode:
        pytest.skip(f"the history of this clone does not reach back to {EARLIER}")
    if database == "postgresql" and programs() is None:
        pytest.skip("PostgreSQL is not installed")
    assert "upgraded and compared" in rehearse("--database", database, "--upgrade-from", EARLIER)


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_three_hosts_compute_what_one_does_and_go_on_without_one_that_is_cut_off():
    if reason := why_not():
        pytest.skip(reason)
    if programs() is None:
        pytest.skip("PostgreSQL is not installed")
    command = [sys.executable, "scripts/many-hosts", "--short"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            out, error = process.communicate(timeout=patience(220))
        finally:
            process.terminate()  # it removes its hosts then
    assert process.returncode == 0, out + error[-6000:]
    assert "The same bytes by one, by three, and with one cut off." in out
    left = subprocess.run(["ip", "netns", "list"], capture_output=True, text=True, check=True).stdout
    assert f"cairn{process.pid}-" not in left
