"""Pages and lists of an account with 10 and with 10,000 datasets: queries, CPU time, and the ratio of both.

python -m benchmarks.many_datasets
python -m benchmarks.many_datasets --rows 10000 --rounds 15 --postgresql

A database of its own (SQLite, or PostgreSQL) has both accounts, and a third one that is a viewer of a project with the
10,000. Pages and answers of the API have 25 rows, where no ``page_size`` is given. Accounts take turns within a
round; of each the median CPU time of the process is reported.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests import postgres

FEW = 10
PAGES = (
    "/",
    "/?search=run",
    "/?search=run+7",
    "/experiments/",
    "/projects/",
    "/api/v1/datasets/?page_size=10",
    "/api/v1/datasets/?page_size=10&ordering=name",
    "/api/v1/datasets/",
    "/api/v1/releases/?page_size=10",
    "/api/v1/experiments/",
    "/api/v1/jobs/",
)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--experiments", type=int, default=10, help="of each account (%(default)s)")
    parser.add_argument("--postgresql", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, _database(options.postgresql) as url:
        os.environ |= {"CAIRN_HOME": folder, "DJANGO_SETTINGS_MODULE": "dashboard.config.settings"} | url
        import django

        django.setup()
        _measure(options.rows, options.rounds, options.experiments)


@contextmanager
def _database(postgresql: bool) -> Iterator[dict[str, str]]:
    if not postgresql:
        yield {}
        return
    found = postgres.programs()
    assert found is not None, "PostgreSQL is not installed"
    with postgres.cluster(found) as url:
        yield {"DATABASE_URL": url}


def _measure(rows: int, rounds: int, experiments: int) -> None:
    from django.conf import settings
    from django.core.management import call_command
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    settings.ALLOWED_HOSTS = ["testserver"]
    call_command("migrate", verbosity=0)
    clients: dict[str, Any] = {}
    for user in _accounts(rows, experiments):
        clients[user.username] = Client()
        clients[user.username].force_login(user)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    print(f"{connection.vendor}; medians of {rounds} rounds; milliseconds of CPU time of the web process alone")
    print(f"{'page':46} {'queries':>16} {'few':>8} {'many':>8} {'member':>8} {'ratio':>6}")
    for page in PAGES:
        times: dict[str, list[float]] = {name: [] for name in clients}
        counts = {}
        for name, client in clients.items():
            client.get(page)
            with CaptureQueriesContext(connection) as queries:
                assert client.get(page).status_code == 200, page
            counts[name] = len(queries)
        for _ in range(rounds):
            for name, client in clients.items():
                before = time.process_time()
                client.get(page)
                times[name].append(time.process_time() - before)
        few, many, member = (1000 * statistics.median(times[name]) for name in ("few", "many", "member"))
        queries_text = "/".join(str(counts[name]) for name in clients)
        print(f"{page:46} {queries_text:>16} {few:8.1f} {many:8.1f} {member:8.1f} {many / few:6.2f}")
        sys.stdout.flush()


def _accounts(rows: int, experiments: int) -> list[Any]:
    """``few`` has 10 datasets, ``many`` has ``rows`` in a project, ``member`` none, but is its viewer."""
    from django.utils import timezone

    from dashboard.accounts.models import User
    from dashboard.datasets.models import Dataset, Kind
    from dashboard.experiments.models import Experiment
    from dashboard.projects.models import Role
    from dashboard.projects.services import add_member, create_project
    from dashboard.releases.models import Release
    from privacy_engine.releases.spec import ReleaseSpec

    now = timezone.now()
    few, many, member = (User.objects.create_user(name) for name in ("few", "many", "member"))
    project = create_project(owner=many, name="All")
    add_member(project=project, username="member", role=Role.VIEWER)
    summary = _summary()
    stream = {"name": "stream-uniform", "epsilon": 1.0, "window": 7, "sensitivity": 1}
    released = ReleaseSpec(mechanism=stream).model_dump()
    for user, count in ((few, FEW), (many, rows)):
        over = {"state": "ready", "progress": 1.0, "finished_at": now, "points_file": "x", "content_digest": "x"}
        place = {"owner": user, "project": project if user == many else None}
        datasets = Dataset.objects.bulk_create(
            Dataset(name=f"Run {i}", points=10_000, summary=summary, thumbnail="M0 0", kind=Kind.TRAJECTORY,
                    stored_tags=",pilot," if i % 3 == 0 else "", report={"format_title": "CSV"}, **place, **over)
            for i in range(count)
        )  # fmt: skip
        done = {"state": "done", "progress": 1.0, "finished_at": now}
        Release.objects.bulk_create(
            Release(owner=user, dataset=one, kind=Kind.STREAM, mechanism="stream-uniform", spec_digest="x",
                    spec=released, data_file="x", data_sha256="x", **done)
            for one in datasets
        )  # fmt: skip
        spec, ended = _spec(), {"state": "cancelled", "finished_at": now}
        Experiment.objects.bulk_create(
            Experiment(name=f"Trial {i}", spec=spec, spec_digest="x", lengths=[10], **place, **ended)
            for i in range(experiments)
        )
    return [few, many, member]


def _summary() -> dict[str, Any]:
    """Of a dataset of 20 tracks of 500 points."""
    import numpy as np

    from privacy_engine.data import Trajectory
    from privacy_engine.datatypes import datatypes

    walk, hours = np.random.default_rng(0).normal(0, 1e-3, (20, 2, 500)).cumsum(axis=2), np.arange(500) / 60
    tracks = [
        Trajectory(2.3 + lon, 48.8 + lat, 1.7e9 + 3600 * (hours + 10 * i), f"track {i}")
        for i, (lon, lat) in enumerate(walk)
    ]
    found: dict[str, Any] = datatypes["trajectory"].facts(tracks).model_dump()
    return found


def _spec() -> dict[str, Any]:
    from dashboard.experiments.services import plan
    from privacy_engine.experiments import presets

    preset = presets.parse({"name": "temporal-distance", "repetitions": 2})
    found: dict[str, Any] = plan(dataset=None, preset=preset, spec=None).spec.model_dump()
    return found


if __name__ == "__main__":
    main()
