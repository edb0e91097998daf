"""Management commands run in this process, and a file for them; the fixture is in conftest.py too."""

import io

import pytest

DAY = """time,lat,lon
2024-06-03T07:30:00Z,48.8703,2.3166
2024-06-03T08:20:00Z,48.8664,2.3255
2024-06-03T09:00:00Z,48.8606,2.3376
2024-06-03T16:40:00Z,48.8645,2.3488
"""


class Terminal(io.StringIO):
    """A stream that is a terminal: what shows progress shows it there."""

    def isatty(self):
        return True


@pytest.fixture
def day(tmp_path):
    path = tmp_path / "day.csv"
    path.write_text(DAY)
    return path


def runner(command, name, capsys):
    """``run(*arguments, **streams)``: stdout, stderr and the exit code of the command."""

    def run(*arguments, **streams):
        code = 0
        try:
            command(**streams).run_from_argv(["manage.py", name, *map(str, arguments)])
        except SystemExit as end:
            code = end.code
        captured = capsys.readouterr()
        return captured.out, captured.err, code

    return run
