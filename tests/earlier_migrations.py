"""Databases of earlier versions, and the one set of migrations that makes a new database at once."""

import json
import re
import sys
from contextlib import contextmanager

from django.db.migrations.loader import MigrationLoader


@contextmanager
def one_by_one():
    """Migrate by the migrations that the squashed ones replace, as an installation of an earlier version does."""
    load = MigrationLoader.load_disk

    def load_others(self):
        load(self)
        found = self.disk_migrations.items()
        self.disk_migrations = {key: migration for key, migration in found if not migration.replaces}

    MigrationLoader.load_disk = load_others
    try:
        yield
    finally:
        MigrationLoader.load_disk = load


def schema():
    """Columns and constraints of every table, without names that a database makes up."""
    from django.db import connection

    with connection.cursor() as cursor:
        found = {}
        for table in connection.introspection.table_names(cursor):
            columns = connection.introspection.get_table_description(cursor, table)
            constraints = connection.introspection.get_constraints(cursor, table)
            found[table] = {
                "columns": sorted(str((c.name, c.type_code, c.display_size, c.null_ok, c.default)) for c in columns),
                "constraints": sorted(
                    str(("" if is_made_up(name) else name, sorted(facts.items(), key=str)))
                    for name, facts in constraints.items()
                ),
            }
    return found


def is_made_up(name):
    """Whether a database numbered the constraint, or Django named it by a hash."""
    return re.match(r"(fk_\d+$|__unnamed|.*_[0-9a-f]{8})", name) is not None


def main(how):
    import django
    from django.core.management import call_command

    django.setup()
    if how == "squashed":
        call_command("migrate", verbosity=0)
    else:
        with one_by_one():
            call_command("migrate", verbosity=0)
        call_command("migrate", verbosity=0)  # records that the squashed ones are applied
    from django.db.migrations.recorder import MigrationRecorder

    applied = sorted(MigrationRecorder.Migration.objects.values_list("app", "name"))
    sys.stdout.write(json.dumps({"schema": schema(), "applied": applied}))


if __name__ == "__main__":
    main(*sys.argv[1:])
