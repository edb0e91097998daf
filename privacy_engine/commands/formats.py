"""``cairn formats``: what is read and how, and what is written, as the page that docs/reference/formats.md is."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from privacy_engine.commands.base import Command
from privacy_engine.exports.reference_page import written
from privacy_engine.formats.reference_page import page


class Formats(Command):
    help = "Print the page about the formats that are read, or write it to a file."
    place = "page"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--page", type=Path, help="where to write it, such as docs/reference/formats.md")

    def execute(self, options: dict[str, Any]) -> None:
        if options["page"] is None:
            self.out.write(page() + written())
        else:
            options["page"].write_text(page() + written(), encoding="utf-8")
