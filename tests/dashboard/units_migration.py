"""``python -m tests.dashboard.units_migration``: migrate a filled database to budgets by unit, back and forth again.

It prints, as JSON, the ledger after each migration, by names that do not depend on the schema. CAIRN_HOME and
DATABASE_URL name the database, which must be empty.
"""

import json
import sys
import uuid

import django

from tests.earlier_migrations import one_by_one

BEFORE = (("releases", "0005_rename_columns"), ("datasets", "0007_rename_columns"))
LARGE = 2**62
"""The largest amount the ledger stores."""

LIMITED = {"a.csv": [100_000_000, 50_000_000, 5_000_000, -5_000_000], "b.csv": [30_000_000]}
USED_UP = {"d.csv": [LARGE - 1], "e.csv": [1], "f.csv": []}
LINEAGES = {
    "limited": {"owner": "anna", "budget": (180_000_000, 300_000_001, 60.0000002, 200.0), "files": LIMITED}
    | {"datasets": {"a": "a.csv", "a again": "a.csv", "b": "b.csv"}}
    | {"fact": ("a.csv", "b.csv", 0.8125, 150_000_000, 30_000_000)},
    "deleted": {"owner": "anna", "budget": (7, None, None, None), "files": {"c.csv": [7]}, "datasets": {}},
    "used up": {"owner": "ben", "budget": (LARGE, LARGE, 1e10, 1.0), "files": USED_UP}
    | {"datasets": {"d": "d.csv", "f": "f.csv"}, "fact": ("d.csv", "e.csv", 1.0, LARGE, 1)},
    "never released": {"owner": "ben", "budget": (0, 1, 1e-6, 1000.0), "files": {"g.csv": []}}
    | {"datasets": {"g": "g.csv"}},
}


def fill(apps, now):
    model = apps.get_model
    owners = {name: model("accounts", "User").objects.create(username=name) for name in ("anna", "ben")}
    for lineage in LINEAGES.values():
        owner = owners[lineage["owner"]]
        spent, total, epsilon, radius_m = lineage["budget"]
        budget = model("datasets", "Budget").objects.create(
            owner=owner, spent=spent, total=total, total_epsilon=epsilon, total_radius_m=radius_m
        )
        files = {}
        for name, amounts in lineage["files"].items():
            files[name] = model("datasets", "SourceFile").objects.create(owner=owner, budget=budget, file_digest=name)
            model("datasets", "SourceSketch").objects.create(
                source_file=files[name], digest=name, places=b"p", timed=b"t"
            )
            for amount in amounts:
                charge = {"release_id": uuid.uuid4(), "mechanism": "landmark-uniform", "level": "landmark"}
                charge |= {"amount": amount, "epsilon": abs(amount) / 1e9, "radius_m": 1.0, "stability": 3}
                model("datasets", "BudgetEntry").objects.create(source_file=files[name], **charge)
        if "fact" in lineage:
            one, other, share, spent, other_spent = lineage["fact"]
            fact = {"fact": "shared-events", "share": share, "spent": spent, "other_spent": other_spent}
            model("datasets", "LineageEntry").objects.create(source_file=files[one], other=files[other], **fact)
        for name, file in lineage["datasets"].items():
            _release(model, owner, _dataset(model, owner, files[file], name, now), now)


def _dataset(model, owner, file, name, now):
    return model("datasets", "Dataset").objects.create(
        owner=owner, source_file=file, name=name, file_name=file.file_digest, state="ready", progress=1,
        finished_at=now, points=8, points_file="points.parquet", content_digest="0" * 64, stability=3,
    )  # fmt: skip


def _release(model, owner, dataset, now):
    marks = model("landmarks", "LandmarkSet").objects.create(
        dataset=dataset, name=dataset.name, method={"name": "manual", "events": [1]}, packed=b"", points=8, count=1
    )
    model("releases", "Release").objects.create(
        owner=owner, dataset=dataset, landmark_set=marks, name=dataset.name, spec={}, spec_digest="0" * 64,
        mechanism="landmark-uniform", state="done", progress=1, finished_at=now, data_file="d", data_sha256="0" * 64,
    )  # fmt: skip


def ledger(apps, *, by_unit):
    model, of = apps.get_model, "source_file__file_digest"

    def rows(app, name, *fields):
        return sorted(map(list, model(app, name).objects.values_list(*fields)))

    budgets = []
    for budget in model("datasets", "Budget").objects.all():
        held = budget.lineage if by_unit else budget
        files = sorted(file.file_digest for file in held.source_files.all())
        limits = [budget.spent, budget.total, budget.total_epsilon, budget.total_radius_m]
        unit = budget.unit if by_unit else "event_per_m"
        budgets.append({"files": files, "owner": held.owner.username, "unit": unit, "amounts": limits})
    facts = model("datasets", "LineageEntry").objects.all()
    sketches = model("datasets", "SourceSketch").objects.all()
    return {
        "budgets": sorted(budgets, key=lambda one: one["files"]),
        "entries": rows("datasets", "BudgetEntry", of, "amount", "epsilon", "radius_m", "stability", "level"),
        "facts": sorted(
            [row.fact, row.source_file.file_digest, row.other.file_digest, row.share, *_amounts(row, by_unit)]
            for row in facts
        ),
        "sketches": sorted(
            [row.source_file.file_digest, bytes(row.places).decode(), bytes(row.timed).decode()] for row in sketches
        ),
        "owners": rows("datasets", "SourceFile", "file_digest", "owner__username"),
        "datasets": rows("datasets", "Dataset", "name", of, "stability", "points"),
        "releases": rows("releases", "Release", "name", "dataset__name", "landmark_set__name", "mechanism", "state"),
    }


def _amounts(row, by_unit):
    return list(row.amounts["event_per_m"]) if by_unit else [row.spent, row.other_spent]


def main():
    django.setup()
    from django.core.management import call_command
    from django.db import connection
    from django.db.migrations.executor import MigrationExecutor
    from django.utils import timezone

    def to(*targets):
        for target in targets:
            call_command("migrate", *target, verbosity=0)
        loader = MigrationExecutor(connection).loader
        return loader.project_state(list(targets) if targets[0] else loader.graph.leaf_nodes()).apps

    apps = to(*BEFORE)
    fill(apps, timezone.now())
    found = {"filled": ledger(apps, by_unit=False)}
    apps = to(())
    found["migrated"] = ledger(apps, by_unit=True)
    rows = apps.get_model("datasets", "Dataset").objects
    found["kinds"] = sorted({*rows.values_list("kind", "requested_kind")})
    found["kinds of releases"] = sorted({*apps.get_model("releases", "Release").objects.values_list("kind", flat=True)})
    found["without a budget"] = apps.get_model("datasets", "Lineage").objects.filter(budgets=None).count()
    found["back"] = ledger(to(*BEFORE), by_unit=False)
    found["again"] = ledger(to(()), by_unit=True)
    found["refused"] = _refused(to)
    json.dump(found, sys.stdout)


def _refused(to):
    """Spend in a unit that the schema before does not have: it must not be forgotten by migrating back."""
    from dashboard.datasets.models import Budget, SourceFile

    lineage = SourceFile.objects.get(file_digest="g.csv").lineage
    Budget.objects.create(lineage=lineage, unit="user", spent=5)
    try:
        to(*BEFORE)
    except Exception as error:  # which one depends on the database
        message = f"{type(error).__name__}: {error}"
    else:
        message = ""
    kept = Budget.objects.filter(lineage=lineage).order_by("unit").values_list("unit", "spent", "total")
    return {"message": message, "kept": [list(one) for one in kept]}


if __name__ == "__main__":
    with one_by_one():
        main()
