"""The image can be built: every file it copies is in its context, and its commands run with nothing else."""

import os
import re
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from tests.cases import each
from tests.fresh_environment import fresh_environment
from tests.image import DOCKERFILE, Build, Ignore, context, copied, instructions, tracked
from tests.patience import patience
from tests.server import free_port

TEXT = DOCKERFILE.read_text()


class TestDockerfile:
    def test_runs_as_a_user_without_rights(self):
        assert re.findall(r"^USER (.*)$", TEXT, re.MULTILINE)[-1] == "cairn"

    def test_installs_by_hash_and_reports_its_health(self):
        assert "pip install --require-hashes -r requirements-s3.txt" in TEXT
        assert "HEALTHCHECK" in TEXT

    def test_everything_it_copies_is_in_its_context(self):
        left = context(tracked())
        for sources, _ in copied(TEXT):
            for source in sources:
                assert [one for one in left if one == source or one.startswith(f"{source}/")], source

    def test_its_context_has_nothing_that_it_does_not_copy(self):
        sources = [source for found, _ in copied(TEXT) for source in found]
        assert [one for one in context(tracked()) if one.split("/")[0] not in sources] == []
        assert context(["privacy_engine/kernels/__pycache__/a.pyc", "dashboard/a.nbi", "var/cairn.sqlite3"]) == []

    def test_its_python_is_the_one_that_ci_tests(self):
        [version] = re.findall(r"^FROM python:(\d+\.\d+)-slim$", TEXT, re.MULTILINE)
        lowest = re.search(
            r'^requires-python = ">=([\d.]+)"$', (DOCKERFILE.parent / "pyproject.toml").read_text(), re.M
        )
        assert lowest
        assert version == lowest[1]
        if os.environ.get("CI"):
            assert version == f"{sys.version_info.major}.{sys.version_info.minor}"


@each(
    ("rules", "path", "left"),
    [
        ("*\n!a", "a/b.py", True),
        ("*\n!a", "b", False),
        ("*\n!a\n**/c", "a/c/d", False),
        ("*\n!a\n**/c", "a/b/c", False),
        ("*\n!a\n**/*.nbi", "a/b/x.nbi", False),
        ("**/*.nbi", "x.nbi", False),
        ("*.txt", "a/x.txt", True),
        ("a/*\n!a/b", "a/b/c", True),
        ("/a", "a/b", False),
        ("a/", "a/b", False),
        ("# a\n\n?.txt", "a.txt", False),
        ("?.txt", "ab.txt", True),
        ("[ab].txt", "b.txt", False),
        ("!a\na", "a", False),
        ("a/**", "a/b/c", False),
        (r"\#a", "#a", False),
    ],
)
def test_rules_are_read_as_docker_reads_them(rules, path, left):
    assert Ignore.of(rules).leaves(path) is left


def test_lines_that_are_continued_are_one_instruction():
    assert instructions("# a\nRUN a \\\n  && b\nCOPY c .\n") == [("RUN", "a && b"), ("COPY", "c .")]


def serves(build):
    """Migrate, start the image's command and call its health check until it succeeds; then request a page."""
    address = f"127.0.0.1:{free_port()}"
    build.env |= {"CAIRN_SECRET_KEY": "x" * 60, "DATABASE_URL": f"sqlite:///{build.folder}/data/cairn.sqlite3"}
    build.shell("python manage.py migrate -v 0")
    command = [build.here(part).replace("0.0.0.0:8000", address) for part in build.command]
    with subprocess.Popen(command, cwd=build.app, env=build.env) as process:
        try:
            give_up = time.monotonic() + patience(60)
            check = [*build.health, *address.split(":")]
            while subprocess.run(check, cwd=build.app, env=build.env, check=False).returncode:
                assert time.monotonic() < give_up, "the health check of the image does not succeed"
                time.sleep(0.5)
            with urllib.request.urlopen(f"http://{address}/", timeout=patience(30)) as answer:
                page = answer.read().decode()
            [style] = re.findall(r'href="(/static/[^"]+\.css)"', page)[:1]
            with urllib.request.urlopen(f"http://{address}{style}", timeout=patience(30)) as answer:
                assert answer.status == 200
        finally:
            process.terminate()


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_its_commands_run_where_only_its_context_is(tmp_path):
    build = Build(tmp_path, Path(sys.executable).parent)
    # to install takes half a minute, to compile the kernels more: the next test does both
    build.run(without=("pip install", "dashboard.launcher.warm"))
    build.shell("python -c 'import dashboard.launcher.warm'")
    assert len(build.skipped) == 3
    serves(build)


@pytest.mark.thorough
@pytest.mark.timeout(900)
def test_it_can_be_built_with_the_packages_of_its_lock_alone(tmp_path):
    fresh_environment(tmp_path / "packages")("-m", "pip", "--version")
    build = Build(tmp_path, tmp_path / "packages" / "bin")
    build.run()
    assert len(build.skipped) == 1
    serves(build)
