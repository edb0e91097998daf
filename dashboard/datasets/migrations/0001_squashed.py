"""All migrations up to the named ones as one, for a new database; an earlier one is upgraded by those."""

from django.conf import settings
from django.db import migrations

from dashboard.core.squashed import models_after

NAMES = [
    '0001_initial',
    '0002_dismissed',
    '0003_uploads_and_cleaning',
    '0004_source_files',
    '0005_budgets_by_lineage',
    '0006_budget_without_content',
    '0007_rename_columns',
    '0008_budgets_by_unit',
    '0009_requested_kind',
    '0010_counted_events',
    '0011_stay_detection',
    '0012_tags_and_thumbnails',
    '0013_project',
    '0014_newest_of_owner',
    '0015_tombstones',
    '0016_upload_pieces',
    '0017_rows_in_order',
    '0018_search_by_index',
    '0019_progressed_at',
    '0020_upload_checksum',
    '0021_count_by_event',
    '0022_earlier_charges',
    '0023_decided_options',
]


class Migration(migrations.Migration):

    initial = True

    replaces = [('datasets', name) for name in NAMES]

    dependencies = [
        ('projects', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = models_after('datasets', NAMES)
