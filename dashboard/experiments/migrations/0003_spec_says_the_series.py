"""The spec may say what generates the series, so a row needs neither a dataset nor a preset."""

from typing import ClassVar

from django.db import migrations


class Migration(migrations.Migration):
    dependencies: ClassVar = [("experiments", "0002_correlation_diameter")]

    operations: ClassVar = [migrations.RemoveConstraint(model_name="experiment", name="experiment_has_data")]
