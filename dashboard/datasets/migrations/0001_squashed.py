"""All migrations up to the named one as one, for a new database; an earlier one is upgraded by those."""

from django.conf import settings
from django.db import migrations

from dashboard.core.squashed import models_after, names_until

NAMES = names_until('datasets', '0023_decided_options')


class Migration(migrations.Migration):

    initial = True

    replaces = [('datasets', name) for name in NAMES]

    dependencies = [
        ('projects', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = models_after('datasets', NAMES)
