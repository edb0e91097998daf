"""All migrations up to the named one as one, for a new database; an earlier one is upgraded by those."""

from django.conf import settings
from django.db import migrations

from dashboard.core.squashed import models_after, names_until

NAMES = names_until('releases', '0009_progressed_at')


class Migration(migrations.Migration):

    initial = True

    replaces = [('releases', name) for name in NAMES]

    dependencies = [
        ('datasets', '0023_decided_options'),
        ('landmarks', '0004_earlier_release'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = models_after('releases', NAMES)
