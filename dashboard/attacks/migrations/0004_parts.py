from django.db import migrations

from dashboard.jobs.initial_columns import parts_of


class Migration(migrations.Migration):
    dependencies = [("attacks", "0003_progressed_at")]

    operations = [parts_of("attacks.attack", "AttackPart")]
