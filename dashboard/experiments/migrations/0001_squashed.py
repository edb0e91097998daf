"""All migrations up to the named ones as one, for a new database; an earlier one is upgraded by those."""

from django.conf import settings
from django.db import migrations

from dashboard.core.squashed import models_after

NAMES = [
    '0001_initial',
    '0002_correlation_diameter',
    '0003_spec_says_the_series',
    '0004_rename_columns',
    '0005_tags_and_measured',
    '0006_project',
    '0007_rows_in_order',
    '0008_progressed_at',
]


class Migration(migrations.Migration):

    initial = True

    replaces = [('experiments', name) for name in NAMES]

    dependencies = [
        ('datasets', '0023_decided_options'),
        ('projects', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = models_after('experiments', NAMES)
