"""A lineage has one budget for each unit of loss; datasets may be count streams or check-ins."""

from django.conf import settings
from django.db import IntegrityError, migrations, models
from django.db.models import Q

KINDS = [("trajectory", "Trajectories"), ("stream", "Count streams"), ("checkins", "Check-ins")]
UNITS = [
    ("event_per_m", "one event, by distance"),
    ("event", "one event of a stream"),
    ("user", "one user"),
    ("record", "one record"),
]


def lineages_of_budgets(apps, schema_editor):
    Lineage, Budget, SourceFile, LineageEntry = (
        apps.get_model("datasets", name) for name in ("Lineage", "Budget", "SourceFile", "LineageEntry")
    )
    for budget in Budget.objects.order_by("pk"):
        budget.lineage = Lineage.objects.create(owner_id=budget.owner_id)
        budget.save(update_fields=["lineage"])
        SourceFile.objects.filter(budget=budget).update(lineage=budget.lineage)
    for entry in LineageEntry.objects.all():
        entry.amounts = {"event_per_m": [entry.spent, entry.other_spent]}
        entry.save(update_fields=["amounts"])


def budgets_of_lineages(apps, schema_editor):
    """Fill the columns before from budgets by distance; the schema before has no other unit."""
    Budget, SourceFile, LineageEntry = (
        apps.get_model("datasets", name) for name in ("Budget", "SourceFile", "LineageEntry")
    )
    if Budget.objects.exclude(unit="event_per_m").exists():
        raise IntegrityError("the version before cannot store budgets of another unit than event_per_m")
    for budget in Budget.objects.select_related("lineage"):
        budget.owner_id = budget.lineage.owner_id
        budget.save(update_fields=["owner"])
    for file in SourceFile.objects.order_by("pk"):
        file.budget, _ = Budget.objects.get_or_create(lineage_id=file.lineage_id, defaults={"owner_id": file.owner_id})
        file.save(update_fields=["budget"])
    for entry in LineageEntry.objects.all():
        entry.spent, entry.other_spent = entry.amounts.get("event_per_m", [0, 0])
        entry.save(update_fields=["spent", "other_spent"])


def optional(related_name, to):
    return models.ForeignKey(null=True, on_delete=models.CASCADE, related_name=related_name, to=to)


class Migration(migrations.Migration):
    dependencies = [("datasets", "0007_rename_columns"), migrations.swappable_dependency(settings.AUTH_USER_MODEL)]

    operations = [
        migrations.CreateModel(
            name="Lineage",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "owner",
                    models.ForeignKey(on_delete=models.CASCADE, related_name="lineages", to=settings.AUTH_USER_MODEL),
                ),
            ],
        ),
        migrations.AddField(
            "budget",
            "lineage",
            models.ForeignKey(null=True, on_delete=models.CASCADE, related_name="budgets", to="datasets.lineage"),
        ),
        migrations.AddField("budget", "unit", models.CharField(choices=UNITS, default="event_per_m", max_length=20)),
        migrations.AddField(
            "sourcefile",
            "lineage",
            models.ForeignKey(null=True, on_delete=models.CASCADE, related_name="source_files", to="datasets.lineage"),
        ),
        migrations.AddField("lineageentry", "amounts", models.JSONField(default=dict)),
        # backwards, these columns come again without a value, which the function fills in
        migrations.AlterField("sourcefile", "budget", optional("source_files", "datasets.budget")),
        migrations.AlterField("budget", "owner", optional("budgets", settings.AUTH_USER_MODEL)),
        migrations.AlterField("lineageentry", "spent", models.BigIntegerField(null=True)),
        migrations.AlterField("lineageentry", "other_spent", models.BigIntegerField(null=True)),
        migrations.RunPython(lineages_of_budgets, budgets_of_lineages),
        migrations.AlterField(
            "budget",
            "lineage",
            models.ForeignKey(on_delete=models.CASCADE, related_name="budgets", to="datasets.lineage"),
        ),
        migrations.AlterField(
            "sourcefile",
            "lineage",
            models.ForeignKey(on_delete=models.CASCADE, related_name="source_files", to="datasets.lineage"),
        ),
        migrations.RemoveField("sourcefile", "budget"),
        migrations.RemoveField("budget", "owner"),
        migrations.RemoveField("lineageentry", "spent"),
        migrations.RemoveField("lineageentry", "other_spent"),
        migrations.AddConstraint(
            "budget",
            models.UniqueConstraint(fields=["lineage", "unit"], name="budget_one_per_lineage_and_unit"),
        ),
        migrations.AddConstraint(
            "budget",
            models.CheckConstraint(
                condition=Q(unit__in=["event_per_m", "event", "user", "record"]), name="budget_known_unit"
            ),
        ),
        migrations.AddField(
            "budgetentry", "unit", models.CharField(choices=UNITS, default="event_per_m", max_length=20)
        ),
        migrations.AlterField("budgetentry", "radius_m", models.FloatField(blank=True, null=True)),
        migrations.AddConstraint(
            "budgetentry",
            models.CheckConstraint(
                condition=Q(unit="event_per_m", radius_m__isnull=False)
                | ~Q(unit="event_per_m") & Q(radius_m__isnull=True),
                name="budget_entry_radius_where_by_distance",
            ),
        ),
        migrations.AddField(
            "sourcesketch", "kind", models.CharField(choices=KINDS, default="trajectory", max_length=20)
        ),
        migrations.AlterField("dataset", "kind", models.CharField(choices=KINDS, default="trajectory", max_length=20)),
        migrations.RemoveConstraint("dataset", "dataset_known_kind"),
        migrations.AddConstraint(
            "dataset",
            models.CheckConstraint(
                condition=Q(kind__in=["trajectory", "stream", "checkins"]), name="dataset_known_kind"
            ),
        ),
    ]
