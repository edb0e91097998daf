"""``pip install .`` in a fresh environment: the engine with its dependencies alone; ``[server]`` declares the rest."""

import re
import shutil
import subprocess
import sys
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
def test_the_wheel_holds_engine_and_workbench_with_their_pages(source, tmp_path):
    code = "import hatchling.build as build, sys; print(build.build_wheel(sys.argv[1]))"
    command = [sys.executable, "-c", code, str(tmp_path)]
    done = subprocess.run(command, cwd=source, capture_output=True, text=True, check=True)
    with zipfile.ZipFile(tmp_path / done.stdout.strip().splitlines()[-1]) as wheel:
        names = set(wheel.namelist())
        entries = next(wheel.read(name).decode() for name in names if name.endswith("entry_points.txt"))
        metadata = next(wheel.read(name).decode() for name in names if name.endswith("METADATA"))
    assert {"privacy_engine/py.typed", "dashboard/assets/templates/base.html", "dashboard/config/settings.py"} <= names
    assert any(name.startswith("dashboard/assets/static/js/") for name in names)
    assert {name.split("/")[0] for name in names if ".dist-info" not in name} == {"privacy_engine", "dashboard"}
    required = re.findall(r"^Requires-Dist: ([a-z-]+)[^;\n]*$", metadata, re.MULTILINE)
    assert set(required) == _dependencies()
    assert "Provides-Extra: server" in metadata
    assert "cairn = privacy_engine.commands.main:main" in entries
