"""Fill an installation, and print what of it must survive: scripts/populate_installation.py populate|hashes|snapshot

With ``hashes`` those of uploads of an earlier version are computed first.

It works on the source tree of the working directory, which may be of an earlier version, with the settings of the
environment.
A snapshot has users, the SHA-256 of every dataset's and release's file, every budget with its total, what is spent and
its entries, and with --exports the SHA-256 of every release's CSV export.
"""

import hashlib
import json
import os
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path.cwd()))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.config.settings")
os.environ.setdefault("REDIS_URL", "redis://127.0.0.1:1/0")  # none: the jobs are run here

import django

django.setup()

from django.contrib.auth import get_user_model  # noqa: E402
from django.core.files.base import ContentFile  # noqa: E402
from django.core.management import call_command  # noqa: E402

from dashboard.datasets import ledger  # noqa: E402
from dashboard.datasets.models import Budget, BudgetEntry, Dataset  # noqa: E402
from dashboard.datasets.services import import_dataset, set_budget  # noqa: E402
from dashboard.landmarks.services import mark_landmarks  # noqa: E402
from dashboard.releases import execution, services  # noqa: E402
from dashboard.releases.models import Release  # noqa: E402

try:
    from privacy_engine.releases.spec import ReleaseSpec
except ModuleNotFoundError:  # in trees of before 2026-11-28
    from privacy_engine.spec import ReleaseSpec  # type: ignore[import-not-found,no-redef]

MECHANISMS = [
    {"name": "landmark-uniform", "epsilon": 1.0, "radius_m": 200.0},
    {"name": "event-level", "epsilon": 0.5, "radius_m": 1000.0},
    {"name": "landmark-adaptive", "epsilon": 2.0, "radius_m": 200.0},
]


def populate() -> None:
    """A user with the samples, a limited budget, releases with and without a seed, one failed, one discarded."""
    owner = get_user_model().objects.create_user("researcher", password="a long enough phrase")  # noqa: S106
    get_user_model().objects.create_user("colleague")
    call_command("loadsamples", "researcher", verbosity=0, stdout=sys.stderr)
    datasets = Dataset.objects.filter(owner=owner, kind="trajectory").order_by("name")
    for dataset in datasets[:2]:
        landmark_set = dataset.landmark_sets.first()
        if landmark_set is None:
            continue
        set_budget(dataset=dataset, epsilon=50.0, radius_m=1000.0)
        for mechanism in MECHANISMS:
            submit(owner, dataset, landmark_set, mechanism)
        submit(owner, dataset, landmark_set, MECHANISMS[0], seed=7)
        discarded = submit(owner, dataset, landmark_set, MECHANISMS[1])
        services.discard_release(release=discarded)  # its charge stays: the tombstone of the ledger
        waiting = submit(owner, dataset, landmark_set, MECHANISMS[1], run=False)
        assert waiting.state == "queued"
    overlapping(owner)
    assert Release.objects.filter(state="done").count() >= 9


def overlapping(owner: Any) -> None:
    """Three uploads, each of which shares most events with the next, and a fourth that shares a few with the third."""
    for name, start in {"first": 0, "second": 25, "third": 50, "fourth": 90}.items():
        rows = [
            f"2024-06-01T{i // 60:02}:{i % 60:02}:00Z,48.{8000 + i},2.{3000 + 7 * i}" for i in range(start, start + 50)
        ]
        body = "\n".join(["time,lat,lon", *rows, ""]).encode()
        dataset = import_dataset(owner=owner, upload=ContentFile(body, name=f"{name}.csv"), name=name)
        marks = mark_landmarks(owner=owner, dataset=dataset, method={"name": "manual", "events": [1]})
        submit(owner, dataset, marks, MECHANISMS[0])


def submit(
    owner: Any, dataset: Any, landmark_set: Any, mechanism: Any, seed: int | None = None, run: bool = True
) -> Any:
    spec = ReleaseSpec.parse({"mechanism": mechanism, "seed": seed, "postprocess": []})
    release = services.submit_release(
        owner=owner, dataset=dataset, landmark_set=landmark_set, spec=spec, name="Rehearsal"
    )
    if run:
        execution.run(release.pk)
        release.refresh_from_db()
        assert release.state == "done", release.error
    return release


def snapshot(exports: bool) -> dict[str, Any]:
    """What must survive, by id."""
    found: dict[str, Any] = {
        "users": sorted(get_user_model().objects.values_list("username", "password")),
        "datasets": {str(row.pk): [sha(row.points_path), sha(row.original_path)] for row in Dataset.objects.all()},
        "releases": {
            str(row.pk): [row.state, row.data_sha256, row.spec, sha(row.data_path) if row.state == "done" else None]
            for row in Release.objects.all()
        },
        "budgets": {str(row.pk): [row.unit, str(row.total), str(row.spent)] for row in Budget.objects.all()},
        "spent": {
            str(row.pk): {unit: ledger.spent(row, unit)["per_km"] for unit in row.units}
            for row in Dataset.objects.all()
        },
        "entries": sorted(
            [str(one.source_file_id), str(one.release_id), one.mechanism, one.unit, one.amount]
            for one in BudgetEntry.objects.all()
        ),
    }
    for budget in Budget.objects.all():
        amount = sum(budget.entries.values_list("amount", flat=True))
        assert amount >= budget.spent > 0, f"the entries of {budget} add up to {amount}, not {budget.spent}"
    if exports:
        found["exports"] = {str(row.pk): export(row) for row in Release.objects.filter(state="done")}
    return found


def sha(path: Path) -> str | None:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else None


def export(row: Any) -> str:
    from dashboard.releases import downloads

    with downloads.export(row, "csv")[0] as file:
        return hashlib.sha256(file.read()).hexdigest()


if __name__ == "__main__":
    if sys.argv[1] == "populate":
        populate()
    elif sys.argv[1] == "hashes":
        from dashboard.datasets import earlier_readings

        while (file := earlier_readings.next_file()) is not None:
            earlier_readings.add_hashes(file)
    print(json.dumps(snapshot("--exports" in sys.argv), sort_keys=True))
