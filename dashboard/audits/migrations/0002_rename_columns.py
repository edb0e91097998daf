"""Columns named in standard words: when the job was enqueued."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("audits", "0001_initial")]

    operations = [
        migrations.RenameField(model_name="audit", old_name="rung_at", new_name="enqueued_at"),
    ]
