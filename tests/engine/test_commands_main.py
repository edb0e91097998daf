"""``cairn``: the commands that need no server, without Django, with one line for each error and its exit code."""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from privacy_engine.commands import NAMES
from privacy_engine.commands.main import main
from privacy_engine.exports.reference_page import written
from privacy_engine.formats.reference_page import page
from tests.patience import patience

EVENT = ("--mechanism", "event-level", "--set", "epsilon=1", "--set", "radius_m=200", "--landmarks", "manual:")


@pytest.fixture
def walk(tmp_path):
    rows = [f"2024-05-01T08:{minute:02d}:00Z,{48.85 + minute * 1e-3:.4f},2.35" for minute in range(40)]
    (tmp_path / "walk.csv").write_text("\n".join(["time,lat,lon", *rows]))
    return tmp_path / "walk.csv"


def test_every_command_is_listed_and_describes_itself_by_its_own_program(capsys):
    assert main(["--help"]) == main([]) == 0
    shown = capsys.readouterr().out
    assert all(f"\n  {name}" in shown for name in NAMES)
    for name in NAMES:
        with pytest.raises(SystemExit, match="0"):
            main([name, "--help"])
        shown = capsys.readouterr().out
        assert shown.startswith(f"usage: cairn {name}")
        assert "manage.py" not in shown


def test_formats_are_printed(capsys):
    assert main(["formats"]) == 0
    assert capsys.readouterr().out == page() + written()


def test_other_commands_are_the_workbenchs_where_it_is_there(monkeypatch):
    def absent():
        raise ImportError("no server")

    for load, code in ((lambda: lambda given: 3, 3), (lambda: lambda given: None, 0), (absent, 2)):
        two = [SimpleNamespace(load=load), SimpleNamespace(load=lambda: lambda given: 7)]
        monkeypatch.setattr("privacy_engine.commands.main.entry_points", lambda group, two=two: two)
        assert main(["fly"]) == code


def test_a_release_that_verifies(walk, capsys):
    out = walk.with_name("out.gpx")
    assert main(["release", str(walk), *EVENT, "--out", str(out)]) == 0
    assert "40 points, 0 landmarks" in capsys.readouterr().out
    assert main(["verify", str(out)]) == 0
    out.write_bytes(out.read_bytes().replace(b'lat="4', b'lat="5', 1))
    with pytest.raises(SystemExit, match="1"):
        main(["verify", str(out)])


@pytest.mark.parametrize(
    ("arguments", "code", "line"),
    [
        (["release", "none.csv", *EVENT, "--out", "o.csv"], 1, "release: none.csv: No such file or directory"),
        (["release", "walk.csv", *EVENT, "--out", "o.doc"], 1, "release: --out must be a file name that ends in .csv"),
        (["audit", "event-level", "--set", "epsilon=-1"], 2, "audit: epsilon must be greater than 0, got -1"),
        (["verify", "none.csv"], 2, "verify: none.csv: No such file or directory"),
        (["fly"], 2, "cairn: no command 'fly': one of aggregate, audit"),
    ],
)
def test_an_error_is_one_line_and_a_code(walk, monkeypatch, capsys, arguments, code, line):
    monkeypatch.chdir(walk.parent)
    monkeypatch.setattr("privacy_engine.commands.main.entry_points", lambda group: ())
    assert main(arguments) == code
    wrong = capsys.readouterr().err
    assert wrong.startswith(line)
    assert wrong.count("\n") == 1


@pytest.mark.slow
def test_it_runs_where_django_is_missing(walk):
    out = walk.with_name("out.csv")
    given = ["release", str(walk), *EVENT, "--out", str(out)]
    code = f"import sys; sys.modules['django'] = None; from privacy_engine.commands.main import main; main({given!r})"
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    subprocess.run([sys.executable, "-c", code], env=environment, check=True, timeout=patience(120))
    assert len(out.read_text().splitlines()) == 41
