"""All migrations up to the named ones as one, for a new database; an earlier one is upgraded by those."""

import django.db.models.deletion
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    replaces = [
        ('releases', '0001_initial'),
        ('releases', '0002_derived_releases'),
        ('releases', '0003_dismissed'),
        ('releases', '0004_release_cairn'),
        ('releases', '0005_rename_columns'),
        ('releases', '0006_release_kind'),
        ('releases', '0007_newest_of_dataset'),
        ('releases', '0008_trajectories_without_landmarks'),
        ('releases', '0009_progressed_at'),
    ]

    dependencies = [
        ('datasets', '0023_decided_options'),
        ('landmarks', '0004_earlier_release'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Release',
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
                ('token', models.UUIDField(blank=True, null=True)),
                ('lease_until', models.DateTimeField(blank=True, null=True)),
                ('cancel_requested', models.BooleanField(default=False)),
                ('enqueued_at', models.DateTimeField(blank=True, null=True)),
                ('progressed_at', models.DateTimeField(blank=True, null=True)),
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('kind', models.CharField(choices=[('trajectory', 'Trajectories'), ('stream', 'Count streams'), ('checkins', 'Check-ins')], default='trajectory', max_length=20)),
                ('name', models.CharField(blank=True, default='', max_length=200)),
                ('spec', models.JSONField()),
                ('spec_digest', models.CharField(max_length=64)),
                ('mechanism', models.CharField(db_index=True, max_length=60)),
                ('seeded', models.BooleanField(default=False)),
                ('idempotency_key', models.CharField(blank=True, default='', max_length=100)),
                ('data_file', models.CharField(blank=True, default='', max_length=80)),
                ('data_sha256', models.CharField(blank=True, default='', max_length=64)),
                ('engine_version', models.CharField(blank=True, default='', max_length=40)),
                ('summary', models.JSONField(blank=True, null=True)),
                ('owner_view', models.JSONField(blank=True, null=True)),
                ('source', models.JSONField(blank=True, null=True)),
                ('dataset', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='releases', to='datasets.dataset')),
                ('derived_from', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='derived', to='releases.release')),
                ('landmark_set', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.RESTRICT, related_name='releases', to='landmarks.landmarkset')),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='releases', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-created_at'],
                'indexes': [models.Index(fields=['dataset', '-created_at', 'id'], name='release_newest_of_dataset')],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('state', 'running'), ('lease_until__isnull', False), ('token__isnull', False)), models.Q(models.Q(('state', 'running'), _negated=True), ('lease_until__isnull', True), ('token__isnull', True)), _connector='OR'), name='release_held_while_running'), models.CheckConstraint(condition=models.Q(('progress__gte', 0), ('progress__lte', 1)), name='release_progress_share'), models.CheckConstraint(condition=models.Q(models.Q(('finished_at__isnull', True), ('state__in', ['queued', 'running'])), models.Q(models.Q(('state__in', ['queued', 'running']), _negated=True), ('finished_at__isnull', False)), _connector='OR'), name='release_finished_when_over'), models.CheckConstraint(condition=models.Q(('kind', 'trajectory'), ('landmark_set__isnull', True), _connector='OR'), name='release_landmark_set_of_trajectories_alone'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'done'), _negated=True), models.Q(models.Q(('data_file', ''), _negated=True), models.Q(('data_sha256', ''), _negated=True)), _connector='OR'), name='release_done_has_data'), models.UniqueConstraint(condition=models.Q(('idempotency_key', ''), _negated=True), fields=('owner', 'idempotency_key'), name='release_one_per_idempotency_key')],
            },
        ),
    ]
