"""Columns named in standard words: when the job was enqueued, which version of the engine ran it."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("experiments", "0003_spec_says_the_series")]

    operations = [
        migrations.RenameField(model_name="part", old_name="rung_at", new_name="enqueued_at"),
        migrations.RenameField(model_name="experiment", old_name="cairn", new_name="engine_version"),
    ]
