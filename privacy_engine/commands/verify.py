"""``cairn verify FILE …``: whether exported files match their labels; no server, no database."""

import json
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from privacy_engine.commands.base import Command, CommandFailed
from privacy_engine.verify import Verification, verify

EXAMPLE = """\
Checks the label, the digest and the grid of exported files of every format and of bundles (ZIP). Exit code 0
only if everything holds, 1 if not, 2 if a file cannot be opened. It detects damage or other data; labels are unsigned,
so it cannot detect forgery.
"""


class Verify(Command):
    help = "Check that exported files match their labels."
    example = EXAMPLE
    place = "files"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("files", metavar="FILE", nargs="+", type=Path, help="exported by Cairn, in any format")
        parser.add_argument("--json", action="store_true", help="print the checks as JSON")

    def execute(self, options: dict[str, Any]) -> None:
        verdicts = {str(path): _verified(path) for path in options["files"]}
        if options["json"]:
            text = json.dumps({path: verdict.model_dump() for path, verdict in verdicts.items()}, indent=2)
        else:
            text = "\n".join(line for path, verdict in verdicts.items() for line in _lines(path, verdict))
        self.out.write(f"{text}\n")
        if not all(verdict.holds for verdict in verdicts.values()):
            sys.exit(1)


def _verified(path: Path) -> Verification:
    try:
        return verify(path.read_bytes(), path.name)
    except OSError as error:
        raise CommandFailed(f"{path}: {error.strerror or type(error).__name__}", code=2) from None


def _lines(path: str, result: Verification) -> list[str]:
    verdict = f"{path}: {'verified' if result.holds else 'NOT VERIFIED'}"
    return [verdict, *(_line(check.file, check.name, check.message, check.holds) for check in result.checks)]


def _line(file: str, name: str, message: str, holds: bool) -> str:
    return f"  {'holds ' if holds else 'FAILS '} {file}  {name}: {message}"
