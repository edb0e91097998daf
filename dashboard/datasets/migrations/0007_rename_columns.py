"""Columns named in standard words: when the job was enqueued."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("datasets", "0006_budget_without_content")]

    operations = [
        migrations.RenameField(model_name="dataset", old_name="rung_at", new_name="enqueued_at"),
    ]
