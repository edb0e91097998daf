"""``cairn formats``: what is read and how, and what is written, as the page of the documentation."""

from typing import Any

from privacy_engine.commands.base import Command
from privacy_engine.exports.reference_page import written
from privacy_engine.formats.reference_page import page


class Formats(Command):
    help = "Print the page about the formats that are read and written."

    def execute(self, options: dict[str, Any]) -> None:
        self.out.write(page() + written())
