"""README's and library.md's lines of the library run where Django cannot be imported; importing it is quick."""

import base64
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.later import nbformat
from tests.pages import blocks
from tests.patience import patience

ROOT = Path(__file__).resolve().parent.parent
pytestmark = [pytest.mark.slow, pytest.mark.timeout(420)]  # a first run compiles kernels
HIDDEN = ("django", "rest_framework", "celery", "redis", "environ", "knox")
WITHOUT_DJANGO = f"import sys\nfor name in {HIDDEN!r}: sys.modules[name] = None\n"
NOTHING_OF_THE_SERVER = """
loaded = [name for name in ("dashboard", "django") if sys.modules.get(name) is not None]
assert loaded == [], loaded
"""


WITHOUT_PACKAGES = """
import sys
for name in ("pandas", "geopandas", "matplotlib", "matplotlib.pyplot"): sys.modules[name] = None
import privacy_engine as pe
release = pe.read("walk.csv").release("event-level", epsilon=1, radius_m=200)
release._repr_html_(), release.write("out.csv")
for method in ("to_dataframe", "to_geodataframe", "plot"):
    try: getattr(release, method)()
    except ImportError as error: print(error.field, "|", error.message)
"""


def run(code, cwd):
    environment = os.environ | {"PYTHONPATH": str(ROOT), "MPLBACKEND": "Agg"}
    command = [sys.executable, "-W", "error::DeprecationWarning:__main__", "-c", code]
    how = {"cwd": cwd, "env": environment, "timeout": patience(400)}
    done = subprocess.run(command, capture_output=True, text=True, **how)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def folder(tmp_path):
    """A folder with what the pages name: a walk with 40 minutes' rest, two taxis and tracks, counts, check-ins."""
    steps = [min(i, 40) if i < 80 else i - 40 for i in range(120)]
    times = [f"2024-05-01T{8 + i // 60:02d}:{i % 60:02d}:00Z" for i in range(120)]
    walk = [f"{time},{48.85 + step * 1e-3:.5f},2.35000" for time, step in zip(times, steps, strict=True)]
    (tmp_path / "walk.csv").write_text("\n".join(["time,lat,lon", *walk]))
    taxis = [f"{user},{line}" for user in ("ada", "bob") for line in walk]
    (tmp_path / "taxis.csv").write_text("\n".join(["user,time,lat,lon", *taxis]))
    (tmp_path / "tracks").mkdir()
    people, seconds = np.repeat(["ada", "bob"], 120), 1_714_550_400 + 60 * np.tile(np.arange(120), 2)
    tracks = {"user": people, "time": seconds, "lat": np.full(240, 48.85), "lon": np.full(240, 2.35)}
    pq.write_table(pa.table(tracks), tmp_path / "tracks" / "may.parquet")
    days = [f"2024-01-{day:02d},{day % 5 + 10},{day % 3 + 4}" for day in range(1, 29)]
    (tmp_path / "counts.csv").write_text("\n".join(["day,north,south", *days]))
    rng = np.random.default_rng(1)
    rows = [
        f"u{i % 9},2024-05-{1 + i // 24:02d}T{i % 24:02d}:00:00Z,{lat:.5f},{lon:.5f}"
        for i, (lon, lat) in enumerate(rng.uniform((-74.02, 40.70), (-73.93, 40.82), (300, 2)).tolist())
    ]
    (tmp_path / "checkins.csv").write_text("\n".join(["user,time,lat,lon", *rows]))
    return tmp_path


def test_the_lines_of_the_readme(folder):
    [lines] = [block for block in blocks("python", "README.md") if "import privacy_engine as pe" in block]
    assert len(lines.split()) < 30
    # Arrow's scanner leaves threads that may abort the process at its end (14 of 120 times on a busy machine)
    ended = "print(len(walk), sys.modules.get('pyarrow.dataset'))"
    printed = run(f"{WITHOUT_DJANGO}{lines}{NOTHING_OF_THE_SERVER}{ended}", folder)
    assert "mean-absolute-error" in printed
    assert printed.splitlines()[-1] == "120 None"


def test_the_snippets_of_the_guide(folder):
    snippets = blocks("python", "docs/how-to/library.md")
    assert len(snippets) >= 10
    printed = run(WITHOUT_DJANGO + "\n".join(snippets) + NOTHING_OF_THE_SERVER, folder)
    assert "2 people" in printed
    assert "mechanism.epsilon | must be greater than 0 | -1" in printed
    assert {"release.parquet", "release.png", "model.json", "released"} <= {path.name for path in folder.iterdir()}


def test_the_commands_of_the_guide(folder):
    lines = re.findall(r"^cairn (.+)$", (ROOT / "docs" / "how-to" / "library.md").read_text(), re.MULTILINE)
    assert len(lines) == 4
    for line in lines:
        command = f"from privacy_engine.commands.main import main\nassert main({line.split()!r}) == 0"
        run(WITHOUT_DJANGO + command, folder)
    assert len((folder / "released.csv").read_text().splitlines()) == 121
    assert pq.read_metadata(folder / "released" / "part-00000.parquet").num_rows == 240


def test_the_table_of_the_command_line(folder):
    page = (ROOT / "docs" / "how-to" / "command-line.md").read_text()
    [release] = re.findall(r"manage\.py (release walk\.csv .+)$", page, re.MULTILINE)
    cells = re.findall(r"`([^`\n]+)`", page[page.index("|---|---|") :])
    apart = ("publish", "experiment")  # one has the server's tests, the other runs for minutes
    commands = [cell.split(" ", 1)[1] for cell in cells if re.match(rf"manage\.py (?!{'|'.join(apart)}|audit)", cell)]
    options = ["--person one", "--dummies one-sided:2", "--clean drop-jumps:200", "--then ou-smoother", "--seed 7"]
    methods = [cell for cell in cells if cell.startswith(("--landmarks stay", "schedule:", "synthetic:"))]
    assert len(commands) == 3
    assert {*options} <= {*cells}
    assert len(methods) == 3
    marked = [f"--landmarks {method.removeprefix('--landmarks ')}" for method in methods]
    lines = [release, release.replace("--out released.csv", "--forecast"), *commands]
    lines += [f"{release} {one}" for one in [*options, *marked]]
    made = "from privacy_engine.commands.main import main\n"
    run(WITHOUT_DJANGO + made + "".join(f"assert main({line.split()!r}) == 0, {line!r}\n" for line in lines), folder)
    assert {"released.csv", "stays.csv", "counts.parquet"} <= {path.name for path in folder.iterdir()}


def test_importing_loads_no_numbers_before_they_are_used():
    heavy = ("numpy", "pyarrow", "pydantic", "scipy", "numba", "pandas", "matplotlib")
    code = f"import sys, privacy_engine; print([name for name in {heavy!r} if name in sys.modules])"
    assert run(code, ROOT).strip() == "[]"


def test_missing_packages_are_named(folder):
    named = run(WITHOUT_PACKAGES, folder).splitlines()
    assert [line.split(" | ")[0] for line in named] == ["pandas", "pandas", "matplotlib"]
    assert "pip install pandas" in named[0]
    assert "to_dataframe() needs it" in named[0]


NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"))
LEAST_BYTES = 10_000  # of a figure with lines; one of empty axes has 5,000


@pytest.mark.timeout(600)
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_runs_from_top_to_bottom(notebook, monkeypatch, tmp_path):
    from nbclient import NotebookClient

    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    found = nbformat.read(notebook, as_version=4)
    NotebookClient(found, timeout=patience(300), resources={"metadata": {"path": str(tmp_path)}}).execute()
    outputs = [one for cell in found.cells for one in cell.get("outputs", [])]
    images = [base64.b64decode(one["data"]["image/png"]) for one in outputs if "image/png" in one.get("data", {})]
    assert [one["output_type"] for one in outputs if one["output_type"] in ("error", "stream")] == []
    assert len(images) == {"landmark-error": 2, "counts": 1, "next-place": 1}[notebook.stem]
    if folder := os.environ.get("CAIRN_IMAGES"):  # to look at them
        for number, image in enumerate(images):
            Path(folder, f"{notebook.stem}-{number}.png").write_bytes(image)
    assert min(map(len, images)) > LEAST_BYTES
    assert sum("<svg" in one["data"].get("text/html", "") for one in outputs if "data" in one) >= 2


def test_notebooks_are_stored_without_outputs():
    assert NOTEBOOKS
    for path in NOTEBOOKS:
        found = nbformat.read(path, as_version=4)
        nbformat.validate(found)
        assert [cell for cell in found.cells if cell.get("outputs") or cell.get("execution_count")] == []
