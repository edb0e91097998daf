"""Hand-made mutants: single changes of the sources that some test must notice; ``make mutants`` runs them.

The lists beside this file name the source, the text to replace (it occurs once), what replaces it, and the tests. A
mutant that survives is a missing test: write the test and name it, or take the mutant out where it changes nothing.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Mutant:
    """A changed source: ``old`` in ``file`` becomes ``new``; one of ``tests`` must fail."""

    file: str
    old: str
    new: str
    tests: tuple[str, ...]

    def source(self) -> str:
        """Return the changed source.

        Raises
        ------
        ValueError
            The text to replace does not occur exactly once.
        """
        text = (ROOT / self.file).read_text()
        if text.count(self.old) != 1:
            raise ValueError(f"{self.file}: {self.old!r} occurs {text.count(self.old)} times, not once")
        return text.replace(self.old, self.new)

    def __str__(self) -> str:
        return f"{self.file}: {' '.join(self.old.split()):.70} → {' '.join(self.new.split()) or 'nothing':.70}"


def listed() -> list[Mutant]:
    """Every mutant of the lists beside this file, in their order."""
    found = []
    for path in sorted(Path(__file__).parent.glob("*.toml")):
        for file, rows in tomllib.loads(path.read_text()).items():
            found += [Mutant(file, row["old"], row["new"], tuple(row["tests"])) for row in rows]
    return found
