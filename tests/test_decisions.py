"""Decisions in force are few and short, each number has its row, and whatever a text names below docs/ is there."""

import re
import subprocess
from pathlib import Path

from scripts.reference_pages import pages

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "decisions"
FILES = {int(path.name[:4]): path for path in FOLDER.glob("0*.md")}
ROWS = re.findall(r"^\| (\d+) \| (.+) \| (.*) \|$", (FOLDER / "index.md").read_text(), re.MULTILINE)


def _texts():
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in listed.splitlines():
        path = ROOT / name
        if path.is_file() and path.suffix in (".md", ".py", ".js", ".toml", ".yml", ".html", ".css", ""):
            yield path, path.read_text()


def test_at_most_forty_are_in_force_each_within_25_lines():
    assert len(FILES) <= 40
    lines = {path.name: path.read_text().splitlines() for path in FILES.values()}
    assert {name: len(text) for name, text in lines.items() if len(text) > 25} == {}
    assert {name for name, text in lines.items() if max(map(len, text)) > 160} == set()


def test_every_number_has_its_row():
    assert [int(number) for number, *_ in ROWS] == list(range(1, max(FILES) + 1))
    in_force = {int(number) for number, _, status in ROWS if status == "in force"}
    assert in_force == set(FILES)
    assert all(f"({FILES[int(number)].name})" in what for number, what, status in ROWS if status == "in force")


def test_whatever_is_named_below_docs_is_there():
    generated = set(pages())
    for path, text in _texts():
        named = set(re.findall(r"(?<![\w/])docs/[\w/-]+(?:\.\w+)+", text)) - {"docs/MISSING.md"}
        absent = {name for name in named if not (ROOT / name).exists() and name.removeprefix("docs/") not in generated}
        assert absent == set(), path
        assert not re.findall(r"docs/decisions/\d{4}(?!-)", text), path


def test_links_of_the_repository_lead_somewhere():
    for path, text in _texts():
        if path.suffix == ".md" and "docs" not in path.relative_to(ROOT).parts[0]:
            links = [link for link in re.findall(r"\]\(([^)#:]+)\)", text) if not link.startswith("/")]
            assert [link for link in links if not (path.parent / link).exists()] == [], path
