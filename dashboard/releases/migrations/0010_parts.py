from django.db import migrations

from dashboard.jobs.initial_columns import parts_of


class Migration(migrations.Migration):
    dependencies = [("releases", "0009_progressed_at")]

    operations = [parts_of("releases.release", "ReleasePart")]
