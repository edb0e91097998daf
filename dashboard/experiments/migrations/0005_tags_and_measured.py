"""Tags of experiments, and what the table of runs shows of their results."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("experiments", "0004_rename_columns")]

    operations = [
        migrations.AddField(
            model_name="experiment",
            name="measured",
            field=models.JSONField(blank=True, default=list),
        ),
        migrations.AddField(
            model_name="experiment",
            name="stored_tags",
            field=models.CharField(blank=True, default="", max_length=311),
        ),
    ]
