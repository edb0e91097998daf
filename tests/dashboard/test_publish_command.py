"""``manage.py publish``: counts of a file or a pipe, each timestamp published once."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from dashboard.accounts.models import User
from dashboard.streams.models import LiveStream

HEADER = "time,north,south\n"
ROWS = ["2026-01-01,5,6\n", "2026-01-02,7,8\n", "2026-01-03,9,0\n"]
NEW = ["--mechanism", "stream-uniform", "--set", "epsilon=10000", "--set", "window=2", "--set", "sensitivity=1"]


@pytest.fixture
def run(owner: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """``run(text, *arguments)``: what the command writes for a file of that text, and to stderr."""

    def execute(text: str, *arguments: str, piped: bool = False) -> tuple[str, str]:
        file = tmp_path / "counts.csv"
        file.write_text(text)
        monkeypatch.setattr("sys.stdin", io.StringIO(text))
        out, err = io.StringIO(), io.StringIO()
        source = "-" if piped else str(file)
        call_command("publish", source, "--user", owner.username, *arguments, stdout=out, stderr=err)
        return out.getvalue(), err.getvalue()

    return execute


@pytest.mark.parametrize("piped", [False, True], ids=["file", "pipe"])
def test_publishes_every_line(run: Any, piped: bool) -> None:
    """Without noise (ε = 10,000) what is published is what came in."""
    out, err = run(HEADER + "".join(ROWS), *NEW, piped=piped)
    assert out == HEADER + "".join(ROWS)
    row = LiveStream.objects.get()
    assert err.strip() == f"stream {row.pk}"
    assert (row.published, row.last_label) == (3, "2026-01-03")


def test_continues_after_an_interruption_and_publishes_no_line_twice(run: Any, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    run(HEADER + ROWS[0], *NEW, "--out", str(out))
    stream = str(LiveStream.objects.get().pk)
    run(HEADER + "".join(ROWS), "--stream", stream, "--out", str(out))
    assert out.read_text() == HEADER + "".join(ROWS)
    assert LiveStream.objects.get().published == 3
    again, _ = run(HEADER + "".join(ROWS), "--stream", stream)
    assert again == HEADER + "".join(ROWS)
    assert LiveStream.objects.get().published == 3


@pytest.mark.parametrize(
    ("text", "arguments", "message"),
    [
        ("", NEW, "The first line must be a header"),
        ("day,north\n", NEW, "The first line must be a header"),
        (HEADER + "2026-01-01,5\n", NEW, "Line 2: events.0.counts must be a list of 2 numbers"),
        (HEADER + ROWS[0] + "2026-01-02,1;5,2\n", NEW, "Line 3: events.0.counts.north must be a whole number"),
        (HEADER + ROWS[1] + ROWS[0], NEW, "Line 3: events.0.time must be after 2026-01-02"),
        (HEADER, [], "mechanism must be given"),
        (HEADER, [*NEW, "--set", "colour=1"], "colour"),
        (HEADER, ["--stream", "7"], "stream must be the id of a stream of this user"),
        ("time,north\n", [*NEW, "--name", " "], "name must not be empty"),
    ],
)
def test_bad_input_is_one_clear_error(run: Any, text: str, arguments: list[str], message: str) -> None:
    with pytest.raises(CommandError) as caught:
        run(text, *arguments)
    assert message in str(caught.value)


def test_what_was_published_before_a_bad_line_stays(run: Any) -> None:
    with pytest.raises(CommandError, match="Line 3"):
        run(HEADER + ROWS[0] + "2026-01-02,-1,0\n", *NEW)
    assert LiveStream.objects.get().published == 1


def test_of_an_unknown_user_or_file(owner: User, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="no-file"):
        call_command("publish", str(tmp_path / "no-file"), "--user", owner.username, *NEW)
    (tmp_path / "counts.csv").write_text(HEADER)
    with pytest.raises(CommandError, match="user must be"):
        call_command("publish", str(tmp_path / "counts.csv"), "--user", "unknown", *NEW)
