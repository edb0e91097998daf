"""The parts of a page that scripts write: what lies between two comments; the rest is left as it is."""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


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


def metres(value: float | None) -> str:
    """A distance as the tables have it."""
    return "–" if value is None else f"{value:,.{0 if value >= 10 else 1}f}"
