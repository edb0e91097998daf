"""Mutants: single changes of the sources that some test must notice; ``make mutants`` runs those listed by hand.

The lists beside this file name the source, the text to replace (it occurs once), what replaces it, and the tests. A
mutant that survives is a missing test: write the test and name it. One that changes nothing is marked: ``equivalent``.
"""

import subprocess
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NODE = ROOT / ".venv" / "bin" / "node"


@dataclass(frozen=True)
class Mutant:
    """A changed source: ``old`` in ``file`` becomes ``new``; one of ``tests`` must fail.

    ``old`` begins at ``at`` where that is given, and occurs once otherwise. Of an ``equivalent`` mutant no test can
    fail, for the reason that it gives.
    """

    file: str
    old: str
    new: str
    tests: tuple[str, ...]
    equivalent: str = ""
    at: int | None = None

    def source(self):
        """Return the changed source.

        Raises
        ------
        ValueError
            The text to replace does not occur exactly once, or not at its place.
        """
        text = (ROOT / self.file).read_text()
        if self.at is not None:
            if not text.startswith(self.old, self.at):
                raise ValueError(f"{self.file}: {self.old!r} is not at {self.at}")
            return text[: self.at] + self.new + text[self.at + len(self.old) :]
        if text.count(self.old) != 1:
            raise ValueError(f"{self.file}: {self.old!r} occurs {text.count(self.old)} times, not once")
        return text.replace(self.old, self.new)

    def __str__(self):
        change = f"{' '.join(self.old.split()):.70} → {' '.join(self.new.split()) or 'nothing':.70}"
        if self.at is None:
            return f"{self.file}: {change}"
        number = (ROOT / self.file).read_text().count("\n", 0, self.at)
        line = (ROOT / self.file).read_text().split("\n")[number]
        return f"{self.file}:{number + 1}: {change} in: {line.strip()}"


def listed():
    """Every mutant of the lists beside this file, in their order."""
    found = []
    for path in sorted(Path(__file__).parent.glob("*.toml")):
        for file, rows in tomllib.loads(path.read_text()).items():
            found += [
                Mutant(file, row["old"], row["new"], tuple(row.get("tests", ())), row.get("equivalent", ""))
                for row in rows
            ]
    return found


def git(*arguments):
    """Return the names of files that a command of git prints, of those that are there."""
    run = subprocess.run(["git", *arguments, "-z"], cwd=ROOT, check=True, capture_output=True, text=True)
    return {name for name in run.stdout.replace("\n", "\0").split("\0") if name and (ROOT / name).is_file()}
