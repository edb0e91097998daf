"""Environments of Python of the tests' own, into which packages are installed."""

import re
import subprocess
import venv

import pytest

from tests.patience import patience

OFFLINE = "No matching distribution found|Could not find a version|Temporary failure|Failed to establish"


def fresh_environment(folder):
    """Make one; a function that runs its Python and returns what it prints, and skips the test where pip is offline."""
    venv.create(folder, with_pip=True)

    def run(*arguments, cwd=folder):
        how = {"capture_output": True, "text": True, "timeout": patience(600), "cwd": cwd}
        done = subprocess.run([folder / "bin" / "python", *arguments], **how)
        if done.returncode and re.search(OFFLINE, done.stderr):
            pytest.skip(f"the packages cannot be downloaded here: {done.stderr.strip().splitlines()[-1]:.120}")
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run
