"""``pip install .`` in a fresh environment: the engine with its dependencies alone; ``[server]`` declares the rest."""

import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import urllib.request
import zipfile
from pathlib import Path

import pytest

from tests.fresh_environment import fresh_environment
from tests.patience import patience
from tests.server import Server

ROOT = Path(__file__).resolve().parent.parent
COPIED = ("privacy_engine", "dashboard", "templates", "static", "pyproject.toml", "README.md", "LICENSE", "manage.py")
COPIED += ("scripts", "examples", "CHANGELOG.md", "Makefile")


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """What a clone has, so that a build leaves nothing in this one."""
    folder = tmp_path_factory.mktemp("source")
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "*.nb[ic]"))
        else:
            shutil.copy(ROOT / name, folder / name)
    return folder


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    return fresh_environment(tmp_path_factory.mktemp("fresh"))


def _dependencies():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return {re.split(r"[<>=\[]", line)[0] for line in project["dependencies"]}


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_engine_is_installed_with_its_dependencies_alone(source, python):
    python("-m", "pip", "install", "-q", str(source))
    names = [re.split(r"==| @", line)[0] for line in python("-m", "pip", "freeze").splitlines()]
    installed = {name.lower().replace("_", "-") for name in names}
    assert _dependencies() <= installed
    own = {"llvmlite", "annotated-types", "pydantic-core", "typing-extensions", "typing-inspection"}
    own |= {"certifi", "packaging", "et-xmlfile"}  # of pyproj, pyogrio and openpyxl
    assert installed - _dependencies() - own == {"cairn-privacy"}
    release = "pe.sample('paris').release('event-level', epsilon=1, radius_m=2)"
    assert python("-c", f"import privacy_engine as pe; print(len({release}.series[0]))").strip() == "8"
    command = "import sys; from privacy_engine.commands.main import main; sys.exit(main(['--help']))"
    assert "release" in python("-c", command)


@pytest.mark.thorough  # it downloads and compiles for three minutes
@pytest.mark.timeout(900)
def test_the_workbench_serves_from_an_environment_without_the_sources(source, tmp_path, python):
    python("-m", "pip", "install", "-q", f"{source}[server]")
    programs = Path(python("-c", "import sys; print(sys.prefix)").strip()) / "bin"
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    server = Server(elsewhere, home=tmp_path / "home")
    try:
        server.start(str(programs / "cairn"), "run", limit_s=240)
        assert _open(f"{server.address}/healthz")[0] == 200
        line = re.search(r"Another link: +(.+)", server.output)[1]
        link = server.shell(f"unset CAIRN_PORT CAIRN_HOME; {line}").strip()
        status, page = _open(link)
        assert (status, link.startswith(server.address)) == (200, True)
        paths = re.findall(r'(?:href|src)="(/static/[^"]+)"', page)
        assert any(path.endswith(".css") for path in paths)
        assert any(path.endswith(".js") for path in paths)
        assert {_open(server.address + path)[0] for path in paths} == {200}
        token = server.shell(f"{programs / 'cairn'} token researcher").split()[-1]
        assert len(server.get_json("/api/v1/datasets/", token)["results"]) > 1
        assert server.press_ctrl_c() == 0
    finally:
        server.clear_away()


def _open(address):
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    with browser.open(address, timeout=patience(30)) as answer:
        return answer.status, answer.read().decode()


@pytest.mark.slow
def test_wheel_and_sources_hold_engine_workbench_and_documentation(source, tmp_path):
    site = source / "build" / "site"
    site.mkdir(parents=True)
    (site / "index.html").write_text("<h1>Cairn</h1>")
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(tmp_path)]
    subprocess.run(command, cwd=source, capture_output=True, text=True, check=True)
    with tarfile.open(next(tmp_path.glob("*.tar.gz"))) as sources:
        held = {name.partition("/")[2] for name in sources.getnames()}
    assert {"build/site/index.html", "examples/landmark-error.ipynb", "LICENSE", "scripts/hatch_build.py"} <= held
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        names = set(wheel.namelist())
        entries = next(wheel.read(name).decode() for name in names if name.endswith("entry_points.txt"))
        metadata = next(wheel.read(name).decode() for name in names if name.endswith("METADATA"))
    assert {"privacy_engine/py.typed", "dashboard/assets/templates/base.html", "dashboard/config/settings.py"} <= names
    assert any(name.startswith("dashboard/assets/static/js/") for name in names)
    assert "dashboard/assets/site/index.html" in names
    assert {name.split("/")[0] for name in names if ".dist-info" not in name} == {"privacy_engine", "dashboard"}
    required = re.findall(r"^Requires-Dist: ([a-z-]+)[^;\n]*$", metadata, re.MULTILINE)
    assert set(required) == _dependencies()
    assert "Provides-Extra: server" in metadata
    assert "cairn = privacy_engine.commands.main:main" in entries


def test_a_version_without_its_changes_is_not_built(tmp_path):
    lines = (ROOT / "Makefile").read_text().split("dist: install-dev\n")[1].partition("\n\n")[0]
    (tmp_path / "CHANGELOG.md").write_text("## 0.9\n")
    (tmp_path / "Makefile").write_text(f"BIN := {Path(sys.executable).parent}\ndist:\n{lines}\n")
    (tmp_path / "privacy_engine.py").write_text('__version__ = "1.0"')
    refused = subprocess.run(["make", "dist"], cwd=tmp_path, capture_output=True, text=True)
    assert refused.returncode == 2
    assert "CHANGELOG.md has no heading ## 1.0" in refused.stdout.splitlines()
    assert not (tmp_path / "build").exists()
