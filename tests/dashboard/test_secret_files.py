"""Secrets of the settings: from the environment or from files, never from both, and refused by name."""

import os
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from django.core.exceptions import ImproperlyConfigured
from hypothesis import given
from hypothesis import strategies as st

from dashboard.config.secret_files import secret, with_password
from tests.patience import patience

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def file(tmp_path, monkeypatch):
    """The file that THING_FILE names."""
    monkeypatch.delenv("THING", raising=False)
    monkeypatch.setenv("THING_FILE", str(tmp_path / "thing"))
    return tmp_path / "thing"


class TestSecret:
    def test_is_the_text_of_the_file_without_the_line_end(self, file):
        file.write_text("a b#$%\n")
        assert secret("THING", "default") == "a b#$%"

    def test_is_the_default_where_nothing_is_set(self, monkeypatch):
        monkeypatch.delenv("THING", raising=False)
        assert secret("THING", "default") == "default"
        monkeypatch.setenv("THING", "given")
        assert secret("THING", "default") == "given"

    def test_both_are_refused(self, file, monkeypatch):
        file.write_text("x")
        monkeypatch.setenv("THING", "y")
        with pytest.raises(ImproperlyConfigured, match="Only one of THING and THING_FILE may be set"):
            secret("THING")

    def test_a_file_that_is_missing_or_empty_or_no_text_is_refused_by_name(self, file):
        with pytest.raises(ImproperlyConfigured, match="THING_FILE must name a readable file"):
            secret("THING")
        file.write_text(" \n")
        with pytest.raises(ImproperlyConfigured, match=r"THING_FILE must name a file with a value, .* is empty"):
            secret("THING")
        file.write_bytes(b"\xff\xfe\xff")
        with pytest.raises(ImproperlyConfigured, match="THING_FILE must name a readable file"):
            secret("THING")


@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=1))
def test_any_password_survives_the_address(password):
    parts = urlsplit(with_password("redis://user@host:6379/2", password))
    assert (parts.username, parts.hostname, parts.port, parts.path) == ("user", "host", 6379, "/2")
    assert unquote(parts.password or "") == password


def test_the_settings_take_every_secret_from_a_file(tmp_path):
    texts = {
        "CAIRN_SECRET_KEY": "s" * 60,
        "CAIRN_LEDGER_KEY": "l" * 60,
        "DATABASE_PASSWORD": "d@/:x",
        "REDIS_PASSWORD": "r@/:x",
    }
    kept = {name: text for name, text in os.environ.items() if not name.startswith(("CAIRN", "REDIS", "DATABASE"))}
    environment = kept | {
        "CAIRN_HOME": str(tmp_path),
        "DJANGO_SETTINGS_MODULE": "dashboard.config.settings",
        "DATABASE_URL": "postgres://cairn@database:5432/cairn",
        "REDIS_URL": "redis://broker:6379/0",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(f"{text}\n")
        environment[f"{name}_FILE"] = str(tmp_path / name)
    code = (
        "from django.conf import settings as s; "
        "print(s.SECRET_KEY, s.CAIRN_LEDGER_KEY, s.DATABASES['default']['PASSWORD'], s.CELERY_BROKER_URL)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True, check=False,
        timeout=patience(60),
    )  # fmt: skip
    assert done.stdout.split() == ["s" * 60, "l" * 60, "d@/:x", "redis://:r%40%2F%3Ax@broker:6379/0"], done.stderr
    assert not list(tmp_path.glob("*.key"))
