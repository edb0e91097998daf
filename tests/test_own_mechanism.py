"""own-mechanism.md runs as it stands, from an empty folder to a line in a figure; its files are the example's."""

import os
import re
import subprocess
import sys

import pytest

from tests.package_folder import installed
from tests.pages import blocks
from tests.patience import patience
from tests.test_library import LEAST_BYTES, ROOT, folder  # noqa: F401

NAME = "docs/how-to/own-mechanism.md"
PAGE = (ROOT / NAME).read_text()
EXAMPLE = ROOT / "examples" / "own-mechanism"
CAIRN = [sys.executable, "-c", "import sys; from privacy_engine.commands.main import main; sys.exit(main())"]


def run(command, cwd, **environment):
    path = os.pathsep.join([str(cwd / "plugins"), str(ROOT)])
    how = {"cwd": cwd, "env": os.environ | {"PYTHONPATH": path, "MPLBACKEND": "Agg"} | environment}
    return subprocess.run(command, capture_output=True, text=True, timeout=patience(300), check=False, **how)


def test_the_files_of_the_page_are_those_of_the_example():
    for name in ("own_mechanism.py", "pyproject.toml", "test_own_mechanism.py"):
        [text] = re.findall(rf"^```\w+ file={name}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
        assert text == (EXAMPLE / name).read_text(), name
    assert all(len(path.read_text().splitlines()) < 60 for path in EXAMPLE.glob("own_*.py"))


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_from_an_empty_folder_to_a_line_in_the_figure(folder):  # noqa: F811
    install, _, check = blocks("sh", NAME)[0].splitlines()
    assert install == "pip install --no-deps --target plugins ./own-mechanism"
    installed(EXAMPLE, folder / "plugins")
    checked = run([*CAIRN, *check.split()[1:]], folder)
    assert checked.returncode == 0, checked.stdout
    assert "landmark-halves keeps the 14 laws" in checked.stdout
    own = run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull, str(EXAMPLE)], folder)
    assert own.returncode == 0, own.stdout
    drawn = run(
        [sys.executable, "-c", f"{blocks('python', NAME)[-1]}print(*table.to_dataframe()['release.title'].unique())"],
        folder,
    )
    assert "Halves (own-mechanism 0.1.0, not reviewed)" in drawn.stdout, drawn.stderr
    assert (folder / "figure.png").stat().st_size > LEAST_BYTES
