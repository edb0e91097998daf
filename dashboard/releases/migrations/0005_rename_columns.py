"""Columns named in standard words: when the job was enqueued, which version of the engine ran it."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("releases", "0004_release_cairn")]

    operations = [
        migrations.RenameField(model_name="release", old_name="rung_at", new_name="enqueued_at"),
        migrations.RenameField(model_name="release", old_name="cairn", new_name="engine_version"),
    ]
