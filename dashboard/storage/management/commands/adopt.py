"""``manage.py adopt``: declare that this database and these files belong together."""

import uuid
from dataclasses import dataclass
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser

from dashboard.storage import installation, removals
from dashboard.storage.models import Installation
from dashboard.storage.stored_path import StoredPath, stored_files
from privacy_engine.core.plurals import quantity


def adopt() -> uuid.UUID:
    """Give database, shared storage and this host's files one id: the only one that any has, or a new id."""
    ids = set(installation.read().known().values())
    chosen = ids.pop() if len(ids) == 1 else uuid.uuid4()
    if stored_files().shared:
        StoredPath(installation.NAME).unlink()  # which share() would keep
    Installation.objects.update_or_create(number=1, defaults={"id": chosen})
    installation.share(chosen)
    installation.confirm(chosen)
    return chosen


@dataclass(frozen=True)
class Strangers:
    """How many files no row names, and how many rows lack their file."""

    files: int
    rows: int


def strangers() -> Strangers:
    """Count what database and files do not know of each other."""
    files = rows = 0
    for folder, model in removals.folders().items():
        names = [file.name for file in stored_files().listed(f"{folder}/")]
        there = installation.has_table(model)
        known = installation.known_ids(model, {name.split("/")[1] for name in names}) if there else set()
        files += sum(name.split("/")[1] not in known for name in names)
        if there and hasattr(model, "FILE_COLUMN"):
            stored = set(names)
            named = model._base_manager.exclude(**{model.FILE_COLUMN: ""}).order_by()
            rows += sum(
                f"{folder}/{pk}/{name}" not in stored for pk, name in named.values_list("pk", model.FILE_COLUMN)
            )
    return Strangers(files, rows)


class Command(BaseCommand):
    """Prints what database and files do not know of each other; with --yes they have the same id from then on."""

    help = "Declare that this database and these files belong together."
    requires_system_checks: list[str] = []
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--yes", action="store_true", help="really do it")

    def handle(self, *args: Any, yes: bool, **options: Any) -> None:
        unknown = strangers()
        self.stdout.write(
            f"{quantity(unknown.files, 'file')} that no row of the database names; "
            f"{quantity(unknown.rows, 'row')} without the file."
        )
        if not yes:
            raise CommandError(
                "Nothing was changed. Stop web, workers and sweep, back up both, and repeat it with --yes. The sweep "
                "then removes files that no row names; more than 20 at once it keeps in the trash for a week."
            )
        if not installation.has_table():
            call_command("migrate", interactive=False, verbosity=0)
        chosen = adopt()
        self.stdout.write(f"Database and files belong to the installation {chosen} now.")
