"""What scripts write below docs/results: tables in data/, and the parts of a page that lie between two comments."""

from __future__ import annotations

import csv
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "docs" / "results"
DATA = RESULTS / "data"


def commit() -> str:
    """The commit that is measured."""
    command = ["git", "rev-parse", "--short", "HEAD"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def write(page: Path, text: str, part: str = "measured") -> None:
    """Put ``text`` between ``<!-- part -->`` and ``<!-- /part -->``; a page that is not there has nothing else."""
    start, end = f"<!-- {part} -->", f"<!-- /{part} -->"
    whole = page.read_text() if page.exists() else f"{start}{end}\n"
    head, found, rest = whole.partition(start)
    if not found or end not in rest:
        raise SystemExit(f"{page.name} has no {start} … {end}")
    page.write_text(f"{head}{start}\n{text.strip()}\n{end}{rest.partition(end)[2]}")


def save(name: str, head: Sequence[str], rows: Iterable[Sequence[object]], data: Path = DATA) -> None:
    """Write a table as ``name.csv``."""
    data.mkdir(parents=True, exist_ok=True)
    with (data / f"{name}.csv").open("w", newline="", encoding="utf-8") as out:
        csv.writer(out, lineterminator="\n").writerows([head, *rows])


def saved(name: str, data: Path = DATA) -> list[dict[str, str]]:
    """The rows of a table, by column."""
    with (data / f"{name}.csv").open(newline="", encoding="utf-8") as rows:
        return list(csv.DictReader(rows))


def metres(value: float) -> str:
    """A distance as the tables have it."""
    return f"{value:.{0 if value >= 10 else 1}f}"
