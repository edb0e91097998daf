"""The image can be built: every file it copies is in its context, and its commands run with nothing else."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import urllib.request
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath

import pytest

from tests.fresh_environment import fresh_environment
from tests.patience import patience, until
from tests.server import ROOT, free_port

TEXT = (ROOT / "Dockerfile").read_text()


def instructions(text):
    """The instructions of a Dockerfile with their arguments, continued lines joined and comments left out."""
    lines = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
    joined = re.sub(r"\\\n\s*", "", lines)
    return [(name, rest.strip()) for name, _, rest in (line.partition(" ") for line in joined.splitlines() if line)]


COPIED = [source for name, rest in instructions(TEXT) if name == "COPY" for source in shlex.split(rest)[:-1]]


def context(files):
    """What .dockerignore leaves of ``files``: those in what ``!`` names, without what ``**/`` names at any depth."""
    lines = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if line and not line.startswith("#")]
    kept = {line[1:] for line in lines if line.startswith("!")}
    left_out = [line.removeprefix("**/") for line in lines[1 + len(kept) :]]
    assert lines == ["*", *(line for line in lines if line[1:] in kept), *(f"**/{one}" for one in left_out)]
    assert "/" not in "".join([*kept, *left_out])
    parts = {file: file.split("/") for file in files}
    left = {file for file, of in parts.items() if of[0] in kept}
    return [file for file in left if not any(fnmatch(part, one) for part in parts[file] for one in left_out)]


def tracked():
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


class Build:
    """The instructions of the Dockerfile carried out in a folder: /app, /data … are folders in it."""

    def __init__(self, folder, binaries):
        self.folder, self.app = folder, folder / "app"
        for place in ("app", "data/tmp", "opt/numba-cache"):
            (folder / place).mkdir(parents=True)
        # nothing of the developer's environment: what the image needs must be in the image
        self.env = {name: os.environ[name] for name in os.environ if name in ("HOME", "LANG") or name[:4] == "PIP_"}
        self.env |= {"PATH": f"{binaries}:/usr/bin:/bin", "PYTHONNOUSERSITE": "1"}
        self.skipped = []

    def here(self, text):
        """The text with the image's folders replaced by those of the build."""
        for place in ("/app", "/data", "/opt/numba-cache", "/tmp/build"):
            text = re.sub(rf"(?<![\w/]){place}\b", f"{self.folder}{place}", text)
        return text

    def run(self, *, without=()):
        """Carry them out, all but RUN lines that contain one of ``without`` or need root: these are listed."""
        for name, rest in instructions(TEXT):
            if name == "ENV":
                self.env |= {key: self.here(one) for key, _, one in (one.partition("=") for one in shlex.split(rest))}
            elif name == "COPY":
                *sources, target = shlex.split(rest)
                self._copy(sources, target)
            elif name == "CMD":
                self.command = json.loads(rest)
            elif name == "HEALTHCHECK":
                self.health = json.loads(rest[rest.index("[") :])
            elif name == "RUN" and any(one in rest for one in ("useradd", *without)):
                self.skipped.append(rest)
            elif name == "RUN":
                self.shell(rest)

    def _copy(self, sources, target):
        left = context(tracked())
        for source in sources:
            for one in (file for file in left if file == source or file.startswith(f"{source}/")):
                inside = PurePosixPath(one).relative_to(source) if one != source else PurePosixPath(one).name
                place = self.app / target / inside
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / one, place)

    def shell(self, line):
        command = ["sh", "-euc", self.here(line)]
        done = subprocess.run(command, cwd=self.app, env=self.env, capture_output=True, text=True)
        assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"

    def serves(self):
        """Migrate, start the image's command and call its health check until it succeeds; then request a page."""
        address = f"127.0.0.1:{free_port()}"
        self.env |= {"CAIRN_SECRET_KEY": "x" * 60, "DATABASE_URL": f"sqlite:///{self.folder}/data/cairn.sqlite3"}
        self.shell("python manage.py migrate -v 0")
        command = [self.here(part).replace("0.0.0.0:8000", address) for part in self.command]
        with subprocess.Popen(command, cwd=self.app, env=self.env) as process:
            try:
                check = [*self.health, *address.split(":")]
                until(lambda: not subprocess.run(check, cwd=self.app, env=self.env).returncode, 60, every_s=0.5)
                with urllib.request.urlopen(f"http://{address}/", timeout=patience(30)) as answer:
                    style = re.search(r'href="(/static/[^"]+\.css)"', answer.read().decode())[1]
                with urllib.request.urlopen(f"http://{address}{style}", timeout=patience(30)) as answer:
                    assert answer.status == 200
            finally:
                process.terminate()


class TestDockerfile:
    def test_has_no_rights_installs_by_hash_and_reports_its_health(self):
        assert re.findall(r"^USER (.*)$", TEXT, re.MULTILINE)[-1] == "cairn"
        assert "pip install --require-hashes -r requirements-s3.txt" in TEXT
        assert "HEALTHCHECK" in TEXT

    def test_everything_it_copies_is_in_its_context(self):
        left = context(tracked())
        for source in COPIED:
            assert [one for one in left if one == source or one.startswith(f"{source}/")], source

    def test_its_context_has_nothing_that_it_does_not_copy(self):
        assert [one for one in context(tracked()) if one.split("/")[0] not in COPIED] == []
        assert context(["privacy_engine/kernels/__pycache__/a.pyc", "dashboard/a.nbi", "var/cairn.sqlite3"]) == []

    def test_its_python_is_the_one_that_ci_tests(self):
        [version] = re.findall(r"^FROM python:(\d+\.\d+)-slim$", TEXT, re.MULTILINE)
        assert f'requires-python = ">={version}"' in (ROOT / "pyproject.toml").read_text()
        if os.environ.get("CI"):
            assert version == f"{sys.version_info.major}.{sys.version_info.minor}"


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_its_commands_run_where_only_its_context_is(tmp_path):
    build = Build(tmp_path, Path(sys.executable).parent)
    # to install takes half a minute, to compile the kernels more: the next test does both
    build.run(without=("pip install", "dashboard.launcher.warm"))
    build.shell("python -c 'import dashboard.launcher.warm'")
    assert len(build.skipped) == 3
    build.serves()


@pytest.mark.thorough
@pytest.mark.timeout(900)
def test_it_can_be_built_with_the_packages_of_its_lock_alone(tmp_path):
    fresh_environment(tmp_path / "packages")("-m", "pip", "--version")
    build = Build(tmp_path, tmp_path / "packages" / "bin")
    build.run()
    assert len(build.skipped) == 1
    build.serves()
