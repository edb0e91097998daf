"""``manage.py`` and ``cairn``: commands that end before they write where database and files do not belong together."""

import sys
from collections.abc import Sequence

from django.core.management import ManagementUtility
from django.core.management.base import BaseCommand

FREE = {"check", "collectstatic", "compilemessages", "diffsettings", "doctor", "makemessages", "makemigrations"}
FREE |= {"adopt", "spectacular", "startapp", "startproject", "test"}
"""Commands that neither read nor write what people stored, and the two that help where it does not belong together."""
WAIT = {"run", "sweep"}
"""Commands that go on where the database does not answer, and find out later."""


class Commands(ManagementUtility):
    """Django's commands, checked."""

    def fetch_command(self, subcommand: str) -> BaseCommand:
        """Return the command; exit with 1 where database and files do not belong together."""
        from dashboard.core.cli import EngineCommand  # now that the apps are loaded
        from dashboard.storage import installation

        command = super().fetch_command(subcommand)
        is_run = self.argv[1:2] == [subcommand] and not {"-h", "--help"} & set(self.argv)
        if not is_run or subcommand in FREE or isinstance(command, EngineCommand):
            return command
        try:
            installation.require()
        except installation.Refused as refused:
            sys.stderr.write(f"{refused}\n")
            sys.exit(1)
        except installation.Unanswered as away:
            if subcommand not in WAIT:
                sys.stderr.write(f"{away}\n")
                sys.exit(1)
        return command


def execute(arguments: Sequence[str]) -> None:
    """Run the command that ``arguments`` name after the program's name."""
    Commands(list(arguments)).execute()
