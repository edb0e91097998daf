"""What the database needs before people come: its tables, the local user, the samples, a way in."""

import os
from pathlib import Path
from typing import Any

from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.db import DEFAULT_DB_ALIAS, connection
from django.db.migrations.executor import MigrationExecutor

DEFAULT_USER = "researcher"


def needs_migrations() -> bool:
    executor = MigrationExecutor(connection)
    return bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))


def migrate() -> None:
    call_command("migrate", database=DEFAULT_DB_ALIAS, interactive=False, verbosity=0)


def local_user():  # type: ignore[no-untyped-def]  # the user model is a setting
    """Return the person at this machine, who enters by one-time links and has no password."""
    users = get_user_model().objects
    name = os.environ.get("CAIRN_USER", DEFAULT_USER)
    user = users.filter(username=name).first()
    return user or users.create_user(username=name)


def load_samples(user: Any) -> None:
    """Give the user the samples of trajectories, for a worker to read: the first page shows it at work."""
    from dashboard.landmarks.generated_samples import load_trajectories

    load_trajectories(owner=user, queued=True)


def load_more_samples(user: Any, mark: Path) -> None:
    """Give the user the samples of other kinds too, after the first page, and write ``mark``: they are given once."""
    from dashboard.landmarks.generated_samples import load_tables

    os.nice(10)
    load_tables(owner=user, queued=True)
    mark.touch()


def login_path(user: Any) -> str:
    from dashboard.accounts.services import make_login_link

    return make_login_link(user=user)
