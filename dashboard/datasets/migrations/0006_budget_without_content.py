"""Budgets are found by their source files alone."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [("datasets", "0005_budgets_by_lineage")]

    operations = [
        migrations.RemoveConstraint("budget", "budget_one_per_content"),
        migrations.RemoveField("budget", "content_digest"),
        migrations.RemoveField("budgetentry", "budget"),
        migrations.AlterField(
            "budgetentry",
            "source_file",
            models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="entries", to="datasets.sourcefile"
            ),
        ),
    ]
