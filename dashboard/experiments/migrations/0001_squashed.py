"""All migrations up to the named one as one, for a new database; an earlier one is upgraded by those."""

from django.conf import settings
from django.db import migrations

from dashboard.core.squashed import models_after, names_until

NAMES = names_until('experiments', '0008_progressed_at')


class Migration(migrations.Migration):

    initial = True

    replaces = [('experiments', name) for name in NAMES]

    dependencies = [
        ('datasets', '0023_decided_options'),
        ('projects', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = models_after('experiments', NAMES)
