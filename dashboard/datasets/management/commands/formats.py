"""``manage.py formats``: what is read and how, as the page that docs/formats.md is."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from privacy_engine.formats.reference_page import page


class Command(BaseCommand):
    help = "Print the page about the formats that are read, or write it to a file."
    requires_system_checks: list[str] = []
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--page", type=Path, help="where to write it, such as docs/formats.md")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["page"] is None:
            self.stdout.write(page())
        else:
            options["page"].write_text(page(), encoding="utf-8")
