"""Budgets are found by their source files alone."""

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
            models.ForeignKey(on_delete=models.CASCADE, related_name="entries", to="datasets.sourcefile"),
        ),
    ]
