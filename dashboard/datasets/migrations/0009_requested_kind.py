"""The kind of data that an upload is read as may be detected."""

from django.db import migrations, models

KINDS = [("trajectory", "Trajectories"), ("stream", "Count streams"), ("checkins", "Check-ins")]


def as_before(apps, schema_editor):
    apps.get_model("datasets", "Dataset").objects.update(requested_kind="trajectory")


class Migration(migrations.Migration):
    dependencies = [("datasets", "0008_budgets_by_unit")]

    operations = [
        migrations.AddField(
            "dataset", "requested_kind", models.CharField(blank=True, choices=KINDS, default="", max_length=20)
        ),
        migrations.RunPython(as_before, migrations.RunPython.noop),
    ]
