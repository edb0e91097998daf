"""``manage.py adopt``: declare that this database and these files belong together."""

from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser

from dashboard.storage import adoption, installation
from privacy_engine.core.plurals import counted


class Command(BaseCommand):
    """Prints what database and files do not know of each other; with --yes they have the same id from then on."""

    help = "Declare that this database and these files belong together."
    requires_system_checks: list[str] = []
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--yes", action="store_true", help="really do it")

    def handle(self, *args: Any, yes: bool, **options: Any) -> None:
        strangers = adoption.strangers()
        self.stdout.write(
            f"{counted(strangers.files, 'file')} that no row of the database names; "
            f"{counted(strangers.rows, 'row')} without the file."
        )
        if not yes:
            raise CommandError(
                "Nothing was changed. Stop web, workers and sweep, back up both, and repeat it with --yes. The sweep "
                "then removes files that no row names; more than 20 at once it keeps in the trash for a week."
            )
        if not installation.has_table():
            call_command("migrate", interactive=False, verbosity=0)
        chosen = adoption.adopt()
        self.stdout.write(f"Database and files belong to the installation {chosen} now.")
