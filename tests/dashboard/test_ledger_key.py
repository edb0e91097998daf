"""The ledger's key: a secret file of its own, made once, or given; never SECRET_KEY."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import patience

ROOT = Path(__file__).resolve().parents[2]
SHOW = "from django.conf import settings; print(settings.CAIRN_LEDGER_KEY)"
GIVEN = "a-key-of-the-group-0123456789-0123456789"


def start(home, code=SHOW, **environment):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CAIRN")}
    environment |= {"CAIRN_HOME": str(home), "DJANGO_SETTINGS_MODULE": "dashboard.config.settings"}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, env=kept | environment, **pipes)


def key(home, **environment):
    out, error = start(home, **environment).communicate(timeout=patience(60))
    assert not error, error
    return out.strip()


def test_is_a_file_for_its_owner_alone_made_once(tmp_path):
    first = key(tmp_path)
    assert len(first) > 80
    assert (tmp_path / "ledger.key").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "ledger.key").read_text() == first
    assert (tmp_path / "secret.key").read_text() != first
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ledger.key", "secret.key", "tmp"]
    (tmp_path / "secret.key").unlink()
    assert key(tmp_path) == first == key(tmp_path, CAIRN_SECRET_KEY="another"), "it survives rotation of the other"


@pytest.mark.slow  # eight processes
def test_of_eight_first_starts_at_once_is_one(tmp_path):
    found = [process.communicate(timeout=patience(120))[0] for process in [start(tmp_path) for _ in range(8)]]
    assert len(set(found)) == 1
    assert len(found[0].strip()) > 80


def test_is_given_by_the_environment_or_a_file(tmp_path):
    (tmp_path / "given").write_text(f"{GIVEN}\n")
    assert key(tmp_path, CAIRN_LEDGER_KEY=GIVEN) == GIVEN
    assert key(tmp_path, CAIRN_LEDGER_KEY_FILE=str(tmp_path / "given")) == GIVEN
    assert not (tmp_path / "ledger.key").exists()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "is empty"),
        ("short", "must have at least 32 characters, got 5"),
        (None, "CAIRN_LEDGER_KEY_FILE must name a readable file"),
    ],
)
def test_that_is_too_short_or_absent_is_refused(tmp_path, text, reason):
    if text is not None:
        (tmp_path / "given").write_text(text)
    process = start(tmp_path, CAIRN_LEDGER_KEY_FILE=str(tmp_path / "given"))
    message = process.communicate(timeout=patience(60))[1]
    assert (process.returncode, reason in message, "CAIRN_LEDGER_KEY_FILE" in message) == (1, True, True)
    assert not (tmp_path / "ledger.key").exists()
