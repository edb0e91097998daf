"""All migrations up to the named ones as one, for a new database; an earlier one is upgraded by those."""

from django.conf import settings
from django.db import migrations

from dashboard.core.squashed import models_after

NAMES = [
    '0001_initial',
    '0002_derived_releases',
    '0003_dismissed',
    '0004_release_cairn',
    '0005_rename_columns',
    '0006_release_kind',
    '0007_newest_of_dataset',
    '0008_trajectories_without_landmarks',
    '0009_progressed_at',
]


class Migration(migrations.Migration):

    initial = True

    replaces = [('releases', name) for name in NAMES]

    dependencies = [
        ('datasets', '0023_decided_options'),
        ('landmarks', '0004_earlier_release'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = models_after('releases', NAMES)
