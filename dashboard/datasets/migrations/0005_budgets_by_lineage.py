"""Existing budgets belong to the uploaded files: what was spent stays, also of datasets that are deleted.

Of every dataset with points the source file is found by the bytes of its upload, or by its stored points where the
upload is gone. Budgets of the same bytes, and of files that share most of their events, become one; budgets of deleted
datasets are kept under the digest of their points, by which another upload of the same points still finds them.
"""

from pathlib import Path

from django.conf import settings
from django.db import migrations

from dashboard.datasets import lineage

LARGEST = 2**62


def move(apps, schema_editor):
    for owner in apps.get_model("datasets", "Dataset").objects.order_by().values_list("owner", flat=True).distinct():
        _move_datasets(apps, owner)
    Budget, Entry, SourceFile = (apps.get_model("datasets", name) for name in ("Budget", "BudgetEntry", "SourceFile"))
    for budget in Budget.objects.filter(source_files=None):
        file = SourceFile.objects.create(owner_id=budget.owner_id, budget=budget, content_digest=budget.content_digest)
        Entry.objects.filter(budget=budget).update(source_file=file)


def _move_datasets(apps, owner):
    Dataset, SourceFile = apps.get_model("datasets", "Dataset"), apps.get_model("datasets", "SourceFile")
    for row in Dataset.objects.filter(owner=owner).exclude(points_file="").order_by("created_at", "pk"):
        evidence, row.stability = _read(row)
        budget = _budget(apps, row)
        key = {"file_digest": evidence.file_digest} if evidence and evidence.file_digest else None
        key = key or {"file_digest": "", "content_digest": row.content_digest}
        row.source_file, _ = SourceFile.objects.get_or_create(owner_id=owner, **key, defaults={"budget": budget})
        apps.get_model("datasets", "BudgetEntry").objects.filter(budget=budget, source_file=None).update(
            source_file=row.source_file
        )
        row.save(update_fields=["source_file", "stability"])
        _join(apps, row.source_file, budget, evidence)


def _budget(apps, row):
    return apps.get_model("datasets", "Budget").objects.get_or_create(
        owner_id=row.owner_id, content_digest=row.content_digest
    )[0]


def _join(apps, file, budget, evidence):
    """Connect the file with those that had its budget, and with those it shares most events with."""
    Budget, Entry, SourceFile, SourceSketch = (
        apps.get_model("datasets", name) for name in ("Budget", "BudgetEntry", "SourceFile", "SourceSketch")
    )
    found = dict.fromkeys(budget.source_files.exclude(pk=file.pk).values_list("pk", flat=True), 1.0)
    if evidence:
        sketch, new = SourceSketch.objects.get_or_create(
            source_file=file, digest=evidence.digest, defaults={"timed": evidence.timed, "places": evidence.places}
        )
        others = SourceSketch.objects.filter(source_file__owner=file.owner_id).exclude(source_file=file)
        found |= lineage.matches(sketch, others) if new else {}
    budgets = {file.budget_id, budget.pk, *SourceFile.objects.filter(pk__in=found).values_list("budget_id", flat=True)}
    _record(apps, file, found)
    if len(budgets) > 1:
        first = min(budgets)
        Entry.objects.filter(budget__in=budgets).update(budget=first)
        _merge(Budget.objects.filter(pk__in=budgets).order_by("pk"))


def _merge(budgets):
    """Make several budgets the oldest: spent adds up, the smallest limit holds, but never below what is spent."""
    first, *others = list(budgets)
    limits = [one for one in (first, *others) if one.total is not None]
    first.spent = min(sum(one.spent for one in (first, *others)), LARGEST)
    if limits:
        least = min(limits, key=lambda one: one.total)
        first.total, first.total_epsilon, first.total_radius_m = least.total, least.total_epsilon, least.total_radius_m
        if first.total < first.spent:  # nothing is left of it
            first.total = first.spent
            first.total_epsilon = first.spent / 1e6 * first.total_radius_m / 1000
    first.save()
    for one in others:
        one.source_files.update(budget=first)
        one.delete()


def _record(apps, file, found):
    LineageEntry, SourceFile = apps.get_model("datasets", "LineageEntry"), apps.get_model("datasets", "SourceFile")
    for other in SourceFile.objects.filter(pk__in=found).select_related("budget"):
        pair = {"source_file": file, "other": other}
        if not (
            LineageEntry.objects.filter(**pair).exists()
            or LineageEntry.objects.filter(source_file=other, other=file).exists()
        ):
            spent = {"spent": file.budget.spent, "other_spent": other.budget.spent}
            LineageEntry.objects.create(fact="shared-events", share=round(found[other.pk], 4), **pair, **spent)


def _read(row):
    """What identifies the upload (None where nothing is left of it), and the stability of its cleaning."""
    from dashboard.datasets import execution
    from dashboard.storage.data_files import read_data
    from privacy_engine.errors import EngineError

    folder = Path(settings.CAIRN_HOME, "datasets", str(row.pk))
    original, points = folder / "original", folder / row.points_file
    if row.cleaning and original.exists():
        try:
            found = execution.read(
                original, name=row.file_name, options=row.options, cleaning=row.cleaning, kind="trajectory"
            )
            return found.evidence, execution.read_columns(found)["stability"]
        except EngineError:
            pass  # it could be read once, by an earlier version
    # without its times before resampling: one record decides at most all events
    bound = row.points if any(step.get("name") == "resample" for step in row.cleaning) else 1
    if not points.exists():
        return None, bound
    data = read_data("trajectory", points)
    return lineage.evidence_of(original if original.exists() else None, data, "trajectory"), bound


class Migration(migrations.Migration):

    dependencies = [("datasets", "0004_source_files")]

    operations = [migrations.RunPython(move)]
