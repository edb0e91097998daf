"""All migrations up to the named ones as one, for a new database; an earlier one is upgraded by those."""

import django.db.models.deletion
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    replaces = [
        ('experiments', '0001_initial'),
        ('experiments', '0002_correlation_diameter'),
        ('experiments', '0003_spec_says_the_series'),
        ('experiments', '0004_rename_columns'),
        ('experiments', '0005_tags_and_measured'),
        ('experiments', '0006_project'),
        ('experiments', '0007_rows_in_order'),
        ('experiments', '0008_progressed_at'),
    ]

    dependencies = [
        ('datasets', '0023_decided_options'),
        ('projects', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Experiment',
            fields=[
                ('state', models.CharField(choices=[('queued', 'Waiting'), ('running', 'Running'), ('ready', 'Ready'), ('done', 'Done'), ('failed', 'Failed'), ('cancelled', 'Cancelled')], db_index=True, default='queued', max_length=10)),
                ('stage', models.CharField(blank=True, default='', max_length=60)),
                ('progress', models.FloatField(default=0.0)),
                ('attempt', models.PositiveSmallIntegerField(default=0)),
                ('error', models.JSONField(blank=True, null=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('started_at', models.DateTimeField(blank=True, null=True)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('dismissed', models.BooleanField(default=False)),
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('preset', models.JSONField(blank=True, null=True)),
                ('name', models.CharField(blank=True, default='', max_length=200)),
                ('spec', models.JSONField()),
                ('spec_digest', models.CharField(max_length=64)),
                ('lengths', models.JSONField()),
                ('work_s', models.FloatField(default=0.0)),
                ('kept_s', models.FloatField(default=0.0)),
                ('data_digest', models.CharField(blank=True, db_index=True, default='', max_length=64)),
                ('table_sha256', models.CharField(blank=True, default='', max_length=64)),
                ('measured', models.JSONField(blank=True, default=list)),
                ('stored_tags', models.CharField(blank=True, default='', max_length=311)),
                ('engine_version', models.CharField(blank=True, default='', max_length=40)),
                ('dataset', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='experiments', to='datasets.dataset')),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='experiments', to=settings.AUTH_USER_MODEL)),
                ('project', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='%(class)ss', to='projects.project')),
            ],
            options={
                'ordering': ['-created_at'],
            },
        ),
        migrations.CreateModel(
            name='Part',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('state', models.CharField(choices=[('queued', 'Waiting'), ('running', 'Running'), ('ready', 'Ready'), ('done', 'Done'), ('failed', 'Failed'), ('cancelled', 'Cancelled')], db_index=True, default='queued', max_length=10)),
                ('stage', models.CharField(blank=True, default='', max_length=60)),
                ('progress', models.FloatField(default=0.0)),
                ('attempt', models.PositiveSmallIntegerField(default=0)),
                ('error', models.JSONField(blank=True, null=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('started_at', models.DateTimeField(blank=True, null=True)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('dismissed', models.BooleanField(default=False)),
                ('token', models.UUIDField(blank=True, null=True)),
                ('lease_until', models.DateTimeField(blank=True, null=True)),
                ('cancel_requested', models.BooleanField(default=False)),
                ('enqueued_at', models.DateTimeField(blank=True, null=True)),
                ('progressed_at', models.DateTimeField(blank=True, null=True)),
                ('start', models.PositiveIntegerField(blank=True, null=True)),
                ('stop', models.PositiveIntegerField(default=0)),
                ('weight', models.FloatField(default=0.0)),
                ('experiment', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='parts', to='experiments.experiment')),
            ],
        ),
        migrations.AddIndex(
            model_name='experiment',
            index=models.Index(condition=models.Q(('project__isnull', False)), fields=['project', '-created_at', 'id', 'owner'], name='experiment_in_project'),
        ),
        migrations.AddIndex(
            model_name='experiment',
            index=models.Index(fields=['owner', '-created_at', 'id'], name='experiment_newest_of_owner'),
        ),
        migrations.AddConstraint(
            model_name='experiment',
            constraint=models.CheckConstraint(condition=models.Q(('progress__gte', 0), ('progress__lte', 1)), name='experiment_progress_share'),
        ),
        migrations.AddConstraint(
            model_name='experiment',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('finished_at__isnull', True), ('state__in', ['queued', 'running'])), models.Q(models.Q(('state__in', ['queued', 'running']), _negated=True), ('finished_at__isnull', False)), _connector='OR'), name='experiment_finished_when_over'),
        ),
        migrations.AddConstraint(
            model_name='experiment',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('state', 'done'), _negated=True), models.Q(('table_sha256', ''), _negated=True), _connector='OR'), name='experiment_done_has_table'),
        ),
        migrations.AddConstraint(
            model_name='part',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('state', 'running'), ('lease_until__isnull', False), ('token__isnull', False)), models.Q(models.Q(('state', 'running'), _negated=True), ('lease_until__isnull', True), ('token__isnull', True)), _connector='OR'), name='part_held_while_running'),
        ),
        migrations.AddConstraint(
            model_name='part',
            constraint=models.CheckConstraint(condition=models.Q(('progress__gte', 0), ('progress__lte', 1)), name='part_progress_share'),
        ),
        migrations.AddConstraint(
            model_name='part',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('finished_at__isnull', True), ('state__in', ['queued', 'running'])), models.Q(models.Q(('state__in', ['queued', 'running']), _negated=True), ('finished_at__isnull', False)), _connector='OR'), name='part_finished_when_over'),
        ),
        migrations.AddConstraint(
            model_name='part',
            constraint=models.UniqueConstraint(fields=('experiment', 'start'), name='part_one_per_start'),
        ),
    ]
