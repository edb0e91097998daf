from django.db import migrations


def count_series(apps, schema_editor):
    """The series are read from the points from now on: rows keep their number, and reports their totals."""
    rows = apps.get_model('datasets', 'Dataset').objects.filter(summary__isnull=False)
    for key in rows.values_list('pk', flat=True):  # one at a time: its list may be long
        row = rows.only('summary', 'report').get(pk=key)
        if 'series' in row.summary:
            row.summary['series_count'] = len(row.summary.pop('series'))
        (row.report or {}).pop('series', None)
        row.save(update_fields=['summary', 'report'])


class Migration(migrations.Migration):

    dependencies = [
        ('datasets', '0023_decided_options'),
    ]

    operations = [
        migrations.RunPython(count_series, migrations.RunPython.noop, elidable=True),
    ]
