"""``manage.py trash``: what the sweep found without a row, and the way back."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from dashboard.storage import trash
from privacy_engine.core.plurals import quantity


class Command(BaseCommand):
    """Lists the folders of the trash, or moves what is in a folder back to where it was."""

    help = "List what the sweep moved to the trash; --restore moves it back."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--restore", metavar="FOLDER", help="one that the list has, such as trash/TIME")

    def handle(self, *args: Any, restore: str | None, **options: Any) -> None:
        contents = trash.contents()
        if restore is None:
            for folder, files in contents.items():
                self.stdout.write(f"{folder}  {quantity(files, 'file')}")
            return
        if restore not in contents:
            rule = f"one of {', '.join(contents)}" if contents else "left out, as the trash is empty"
            raise CommandError(f"--restore must be {rule}, got {restore!r}")
        self.stdout.write(f"{quantity(trash.restore(restore), 'file')} restored.")
