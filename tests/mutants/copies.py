"""Copies of the tree in which mutants are made, and the outcome of their tests."""

import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from tests.mutants import NODE, ROOT
from tests.patience import patience
from tests.server import copy_kernels

LIMIT_S = patience(300)
PASSED, FAILED, NONE_FOUND = 0, 1, 5
"""Exit codes of pytest; the others are of tests or settings that cannot be imported."""
QUIET = ("-q", "-x", "-n", "0", "-p", "no:randomly", "-p", "no:cacheprovider", "--no-header", "--tb", "no", "-rfE")
ARGUMENTS = (*QUIET, "--no-migrations", "-m", "not thorough")
JAVASCRIPT = ".test.mjs"
Report = dict[str, Any]
"""``code``: pytest's exit code, null where the time was up; ``seconds``; ``failed``: names of tests; ``end``: lines."""


class Copy:
    """A copy of the tree, and a process that runs its tests."""

    def __init__(self, folder):
        self.folder, self._runs, self._sound = folder, itertools.count(1), set[tuple[str, ...]]()
        self.left_out: list[str] = []
        command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        files = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0")
        for name in filter(lambda name: (ROOT / name).is_file() and not (ROOT / name).is_symlink(), files):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
        (folder / ".venv").symlink_to(sys.prefix)
        copy_kernels(folder)
        if (shared := ROOT.parent / "shared").is_dir() and not (beside := folder.parent / "shared").exists():
            beside.symlink_to(shared)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.mutants.process"],
            cwd=folder,
            env=os.environ | {"PYTHONDONTWRITEBYTECODE": "", "HYPOTHESIS_STORAGE_DIRECTORY": str(folder / "examples")},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, tests, limit_s=LIMIT_S):
        """Run tests, those in JavaScript first, until one fails or the time is up."""
        javascript = [test for test in tests if test.endswith(JAVASCRIPT)]
        report: Report = {"code": PASSED, "seconds": 0.0, "failed": [], "end": []}
        if javascript:
            report = self._node(javascript, limit_s)
        python = [test for test in tests if not test.endswith(JAVASCRIPT)]
        if report["code"] != PASSED or not python:
            return report
        assert self.process.stdin
        assert self.process.stdout
        left_out = [f"--deselect={name}" for name in self.left_out]
        request = {"arguments": [*ARGUMENTS, *left_out, *python], "limit_s": max(limit_s - report["seconds"], 1.0)}
        print(json.dumps(request), file=self.process.stdin, flush=True)
        found: Report = json.loads(self.process.stdout.readline())
        return found | {"seconds": found["seconds"] + report["seconds"]}

    def _node(self, tests, limit_s):
        if not NODE.exists():
            raise FileNotFoundError(f"{NODE.relative_to(ROOT)}: make install-dev installs Node, which runs {tests[0]}")
        began, code = time.monotonic(), None
        command = [str(self.folder / ".venv/bin/node"), "--test", "--test-reporter=tap", *tests]
        with subprocess.Popen(
            command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, process_group=0, text=True
        ) as process:
            try:
                out, _ = process.communicate(timeout=limit_s)
                code = FAILED if process.returncode else PASSED
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, 9)
                out, _ = process.communicate()
        failed = re.findall(r"^ *not ok \d+ - (.*)$", out, re.MULTILINE)[:1]
        place = re.findall(r"^ *location: '(?:file://)?(.*?):\d+:\d+'", out[out.find("not ok") :], re.MULTILINE)[:1]
        names = [f"{Path(file).name}: {name}" for file, name in zip(place or tests, failed, strict=False)]
        return {"code": code, "seconds": time.monotonic() - began, "failed": names, "end": out.splitlines()[-25:]}

    def mutated(self, mutant, tests, limit_s=LIMIT_S):
        """Return what tests report of a mutant; the source is restored."""
        path = self.folder / mutant.file
        path.write_text(mutant.source())
        os.utime(path, times=(next(self._runs),) * 2)  # bytecode is known by time and size: these are never the same
        try:
            return self.run(tests, limit_s)
        finally:
            shutil.copy2(ROOT / mutant.file, path)  # with its time

    def noticed(self, mutant, tests, limit_s=LIMIT_S):
        """Return what tests report of a mutant, with its ``verdict``; who noticed it passes without it.

        A time-out counts as noticed where the tests need less than half of the time without the mutant.
        """
        report = self.mutated(mutant, tests, limit_s)
        report["verdict"] = verdict = _verdict(report)
        if verdict == "killed":
            who = self._who(report, tests)
            if who not in self._sound:
                plain = self.run(who, LIMIT_S if report["code"] is not None else limit_s / 2)
                if plain["code"] == PASSED:
                    self._sound.add(who)
                elif report["code"] is None and plain["code"] is None:
                    report["verdict"] = "survived"  # the tests are slow, the mutant is not known to be
                else:
                    report |= {"verdict": "error", "end": ["It fails without the mutant too:", *plain["end"]]}
        return report

    @staticmethod
    def _who(report, tests):
        """The test that failed, or all where that is not known or not one that can be named."""
        named = tuple(name.partition("[")[0] for name in report["failed"][:1] if name.startswith("tests/"))
        return named or tests

    def end(self):
        """Stop the process."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


def _verdict(report):
    return "survived" if report["code"] in (PASSED, NONE_FOUND) else "killed"


def by(report):
    """Return who noticed a mutant."""
    return (report["failed"] or ["time-out" if report["code"] is None else ""])[0]
