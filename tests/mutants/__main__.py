"""Run the mutants: ``python -m tests.mutants [PART OF A FILE'S NAME ...]``, as ``make mutants`` does for all.

Every mutant is made in a copy of the tree, and its tests are run until one fails. The tests pass without it, which is
checked first. The exit code is 1 where fewer than 95 % are killed.
"""

from __future__ import annotations

import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from tests.mutants import ROOT, Mutant, listed
from tests.patience import patience
from tests.server import copy_kernels

KILLED = 0.95
"""The least share of the mutants that some test must notice."""
LIMIT_S = patience(300)
PASSED, FAILED, INTERRUPTED = 0, 1, 2
"""Exit codes of pytest; tests that cannot be imported interrupt it."""
QUIET = ("-q", "-x", "-n", "0", "-p", "no:randomly", "-p", "no:cacheprovider", "--no-header", "--tb", "no", "-rfE")
ARGUMENTS = (*QUIET, "--no-migrations", "-m", "not slow and not thorough")


class Copy:
    """A copy of the tree, and a process that runs its tests."""

    def __init__(self, folder: Path) -> None:
        self.folder, self._runs = folder, itertools.count(1)
        listed_files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True)
        for name in filter(None, listed_files.stdout.split("\0")):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
        (folder / ".venv").symlink_to(sys.prefix)
        copy_kernels(folder)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.mutants.process"],
            cwd=folder,
            env=os.environ | {"PYTHONDONTWRITEBYTECODE": "", "HYPOTHESIS_STORAGE_DIRECTORY": str(folder / "examples")},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, tests: tuple[str, ...]) -> dict[str, Any]:
        """Return what the process reports of the tests."""
        assert self.process.stdin
        assert self.process.stdout
        print(json.dumps({"arguments": [*ARGUMENTS, *tests], "limit_s": LIMIT_S}), file=self.process.stdin, flush=True)
        found: dict[str, Any] = json.loads(self.process.stdout.readline())
        return found

    def mutated(self, mutant: Mutant) -> dict[str, Any]:
        """Return what the process reports of a mutant's tests; the source is restored."""
        path = self.folder / mutant.file
        path.write_text(mutant.source())
        os.utime(path, times=(next(self._runs),) * 2)  # bytecode is known by time and size: these are never the same
        try:
            return self.run(mutant.tests)
        finally:
            shutil.copy2(ROOT / mutant.file, path)  # with its time

    def end(self) -> None:
        """Stop the process."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


def run_all(mutants: list[Mutant], copies: list[Copy]) -> list[tuple[Mutant, dict[str, Any]]]:
    """Run each mutant in the next free copy, and report it as it is done."""
    free: SimpleQueue[Copy] = SimpleQueue()
    for copy in copies:
        free.put(copy)

    def one(mutant: Mutant) -> tuple[Mutant, dict[str, Any]]:
        copy = free.get()
        try:
            found = copy.mutated(mutant)
        finally:
            free.put(copy)
        by = (found["failed"] or ["time-out" if found["code"] is None else ""])[0]
        print(f"{verdict(found):8} {found['seconds']:6.1f} s  {mutant}  {by}", flush=True)
        return mutant, found

    with ThreadPoolExecutor(len(copies)) as pool:
        return list(pool.map(one, mutants))


def verdict(found: dict[str, Any]) -> str:
    """Return whether the tests noticed; a mutant that never ends is noticed too."""
    if found["failed"] or found["code"] in (FAILED, INTERRUPTED, None):
        return "killed"
    return "survived" if found["code"] == PASSED else "error"


def main(names: list[str]) -> int:
    """Run the mutants of the files that contain one of ``names``, or all."""
    mutants = [one for one in listed() if not names or any(name in one.file for name in names)]
    began = time.monotonic()
    folder = Path(tempfile.mkdtemp(prefix="cairn-mutants-"))
    copies = [Copy(folder / str(i)) for i in range(min(os.cpu_count() or 1, 4))]
    try:
        tests = tuple(dict.fromkeys(test for one in mutants for test in one.tests))
        plain = copies[0].run(tests)
        if plain["code"] != PASSED:
            print("The tests do not pass without a mutant:", *plain["end"], sep="\n")
            return 1
        print(f"{len(tests)} tests or files of tests pass without a mutant, {plain['seconds']:.0f} s", flush=True)
        done = run_all(mutants, copies)
    finally:
        for copy in copies:
            copy.end()
        shutil.rmtree(folder)
    count = {name: sum(verdict(found) == name for _, found in done) for name in ("killed", "survived", "error")}
    share = count["killed"] / max(len(done), 1)
    summary = ", ".join(f"{number} {name}" for name, number in count.items())
    print(f"{len(done)} mutants: {summary}; {share:.1%} killed in {time.monotonic() - began:.0f} s")
    return int(share < KILLED or count["error"] > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
