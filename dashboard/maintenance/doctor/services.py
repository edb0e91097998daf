"""Checks of what runs: database, broker, workers, sweep, clocks."""

import time
from collections.abc import Iterator

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor

from dashboard.accounts.models import User
from dashboard.core.broker_ping import broker_answers, broker_refuses
from dashboard.jobs import reaper, workers
from dashboard.maintenance import cleanup
from dashboard.maintenance.doctor.finding import Finding, error, warning

SWEEP_LATE_S = 60.0
CLOCK_S = 5.0


def database_is_there() -> bool:
    """Whether the database answers at all."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return False
    return True


def database() -> Iterator[Finding]:
    """It answers, and has the tables of this version."""
    if not database_is_there():
        where = settings.DATABASES["default"]
        place = where["HOST"] or where["NAME"]
        yield error(
            "database-away",
            f"The database does not answer ({connection.vendor}, {place}).",
            "Start it, and check DATABASE_URL and DATABASE_PASSWORD_FILE: host, name, user and password.",
        )
        return
    executor = MigrationExecutor(connection)
    missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if missing:
        names = ", ".join(f"{migration.app_label}.{migration.name}" for migration, _ in missing[:3])
        yield error(
            "not-migrated",
            f"The database lacks {len(missing)} migrations of this version ({names}{', …' if missing[3:] else ''}).",
            "Back up, stop web and workers, run manage.py migrate, and start them again.",
        )
    unknown = set(executor.loader.applied_migrations) - set(executor.loader.disk_migrations)
    if unknown:
        names = ", ".join(f"{app}.{name}" for app, name in sorted(unknown)[:3])
        yield error(
            "newer-database",
            f"The database was migrated by a newer version ({names}).",
            "Install that version again, or restore the backup made before the upgrade.",
        )


def users() -> Iterator[Finding]:
    """Someone may log in."""
    if database_is_there() and not User.objects.filter(is_active=True).exists():
        yield warning("no-user", "There is no user.", "Make one: manage.py createsuperuser.")


def broker() -> Iterator[Finding]:
    """It answers, and takes the password."""
    if not broker_answers(settings.CELERY_BROKER_URL):
        address = settings.REDIS_URL.rpartition("@")[2]
        yield error(
            "broker-away",
            f"The message broker does not answer ({address}): jobs wait until it does.",
            "Start Redis, and check REDIS_URL.",
        )
    elif refusal := broker_refuses(settings.CELERY_BROKER_URL):
        yield error(
            "broker-refuses",
            f"The message broker refuses the password: {refusal[:120]}",
            "Give Cairn and Redis the same password: REDIS_PASSWORD_FILE, or the one in REDIS_URL.",
        )


def workers_of_each_queue() -> Iterator[Finding]:
    """Every queue has a worker that answers. Nothing is known of them while the broker is away."""
    if next(broker(), None):
        return
    for queue, n in workers.answering_by_queue().items():
        if not n:
            yield error(
                "no-worker",
                f"No worker takes jobs of the queue {queue}: they wait for ever.",
                f"Start one: celery --app dashboard.config.celery:app worker --queues {queue}; "
                "if one runs, its log has the reason why it does not answer, and it must have the same REDIS_URL.",
            )


def stalled_queues() -> Iterator[Finding]:
    """In every queue jobs are begun, or running ones make progress, while jobs wait."""
    for queue in reaper.stalled_queues(workers.latest()) if database_is_there() else ():
        yield error(
            "queue-stalled",
            f"Jobs of the queue {queue} have waited for {reaper.quiet_s():g} s in which none was begun, and no running "
            "one made progress.",
            f"Processes that hang are replaced after {settings.CAIRN_STALL_S:g} s without progress (CAIRN_STALL_S). "
            "If it stays so, look for other findings, and at the workers' logs; then restart the workers.",
        )


def sweep() -> Iterator[Finding]:
    """It ran lately. Nothing is known of it while the broker is away."""
    if next(broker(), None):
        return
    age = cleanup.last_sweep_s()
    if age is None or age > max(SWEEP_LATE_S, 5 * settings.CAIRN_SWEEP_S):
        when = "did not run in the last hour" if age is None else f"last ran {age:,.0f} s ago"
        yield error(
            "no-sweep",
            f"The sweep {when}: jobs of a worker that was killed, and lost messages, stay where they are.",
            "Start it and keep it running: manage.py sweep.",
        )


def clocks() -> Iterator[Finding]:
    """This host's clock and the database's agree, and the files' too."""
    if database_is_there() and connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT extract(epoch FROM clock_timestamp())")
            apart = abs(float(cursor.fetchone()[0]) - time.time())
        if apart > CLOCK_S:
            yield error(
                "clock",
                f"The clocks of this host and of the database are {apart:,.0f} s apart: leases and links are wrong.",
                "Let every host take its time from the network (systemd-timesyncd, chrony).",
            )
