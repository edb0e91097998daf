from django.db import migrations

from dashboard.jobs.initial_columns import parts_of


class Migration(migrations.Migration):
    dependencies = [("datasets", "0024_series_of_points")]

    operations = [parts_of("datasets.dataset", "DatasetPart")]
