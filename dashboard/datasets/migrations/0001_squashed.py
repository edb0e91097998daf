"""All migrations up to the named ones as one, for a new database; an earlier one is upgraded by those."""

import django.db.models.deletion
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    replaces = [
        ('datasets', '0001_initial'),
        ('datasets', '0002_dismissed'),
        ('datasets', '0003_uploads_and_cleaning'),
        ('datasets', '0004_source_files'),
        ('datasets', '0005_budgets_by_lineage'),
        ('datasets', '0006_budget_without_content'),
        ('datasets', '0007_rename_columns'),
        ('datasets', '0008_budgets_by_unit'),
        ('datasets', '0009_requested_kind'),
        ('datasets', '0010_counted_events'),
        ('datasets', '0011_stay_detection'),
        ('datasets', '0012_tags_and_thumbnails'),
        ('datasets', '0013_project'),
        ('datasets', '0014_newest_of_owner'),
        ('datasets', '0015_tombstones'),
        ('datasets', '0016_upload_pieces'),
        ('datasets', '0017_rows_in_order'),
        ('datasets', '0018_search_by_index'),
        ('datasets', '0019_progressed_at'),
        ('datasets', '0020_upload_checksum'),
        ('datasets', '0021_count_by_event'),
        ('datasets', '0022_earlier_charges'),
        ('datasets', '0023_decided_options'),
    ]

    dependencies = [
        ('projects', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Lineage',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('owner', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='lineages', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='SourceFile',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('file_digest', models.CharField(blank=True, default='', max_length=64)),
                ('content_digest', models.CharField(blank=True, default='', max_length=64)),
                ('whole', models.JSONField(default=list)),
                ('inherited', models.BooleanField(default=False)),
                ('hashing_at', models.DateTimeField(blank=True, null=True)),
                ('hashing_attempts', models.PositiveSmallIntegerField(default=0)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('lineage', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='source_files', to='datasets.lineage')),
                ('owner', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='source_files', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['created_at', 'pk'],
            },
        ),
        migrations.CreateModel(
            name='Reading',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('digest', models.CharField(max_length=64)),
                ('kind', models.CharField(choices=[('trajectory', 'Trajectories'), ('stream', 'Count streams'), ('checkins', 'Check-ins')], max_length=20)),
                ('sort', models.CharField(max_length=20)),
                ('events', models.PositiveBigIntegerField()),
                ('sampled', models.BooleanField(default=False)),
                ('classes', models.JSONField(default=list)),
                ('labels_file', models.CharField(blank=True, default='', max_length=80)),
                ('source_file', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='readings', to='datasets.sourcefile')),
            ],
        ),
        migrations.CreateModel(
            name='LineageEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('fact', models.CharField(choices=[('shared-events', 'shares events'), ('other-people', 'is of other people, its owner says')], max_length=20)),
                ('share', models.FloatField(blank=True, null=True)),
                ('how', models.CharField(choices=[('same', 'the same events'), ('zone', 'the same events in another time zone'), ('moved', 'moved copies of events (within about 50 m and a minute)'), ('whole', 'most events, as a sample shows: all of them count as shared')], default='whole', max_length=10)),
                ('amounts', models.JSONField(default=dict)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('other', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='datasets.sourcefile')),
                ('source_file', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='lineage_entries', to='datasets.sourcefile')),
            ],
            options={
                'ordering': ['created_at', 'pk'],
            },
        ),
        migrations.CreateModel(
            name='EventLoss',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('unit', models.CharField(choices=[('event_per_m', 'one event, by distance'), ('event', 'one event of a stream'), ('user', 'one user'), ('record', 'one record')], max_length=20)),
                ('spent', models.BigIntegerField()),
                ('carried', models.BigIntegerField(default=0)),
                ('events', models.PositiveBigIntegerField(blank=True, null=True)),
                ('releases', models.PositiveBigIntegerField(default=0)),
                ('source_file', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='losses', to='datasets.sourcefile')),
            ],
        ),
        migrations.CreateModel(
            name='Dataset',
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
                ('name', models.CharField(max_length=200)),
                ('kind', models.CharField(choices=[('trajectory', 'Trajectories'), ('stream', 'Count streams'), ('checkins', 'Check-ins')], default='trajectory', max_length=20)),
                ('requested_kind', models.CharField(blank=True, choices=[('trajectory', 'Trajectories'), ('stream', 'Count streams'), ('checkins', 'Check-ins')], default='', max_length=20)),
                ('file_name', models.CharField(blank=True, default='', max_length=255)),
                ('size_bytes', models.BigIntegerField(default=0)),
                ('original_removed_at', models.DateTimeField(blank=True, null=True)),
                ('options', models.JSONField(blank=True, default=dict)),
                ('cleaning', models.JSONField(blank=True, default=list)),
                ('report', models.JSONField(blank=True, null=True)),
                ('decided', models.JSONField(blank=True, default=dict)),
                ('points', models.PositiveBigIntegerField(default=0)),
                ('summary', models.JSONField(blank=True, null=True)),
                ('points_file', models.CharField(blank=True, default='', max_length=80)),
                ('content_digest', models.CharField(blank=True, db_index=True, default='', max_length=64)),
                ('stability', models.PositiveBigIntegerField(default=1)),
                ('sample', models.BooleanField(default=False)),
                ('stored_tags', models.CharField(blank=True, default='', max_length=311)),
                ('thumbnail', models.TextField(blank=True, default='')),
                ('aggregation', models.JSONField(blank=True, null=True)),
                ('stay_detection', models.JSONField(blank=True, null=True)),
                ('counted_from', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='counted_datasets', to='datasets.dataset')),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='datasets', to=settings.AUTH_USER_MODEL)),
                ('project', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='%(class)ss', to='projects.project')),
                ('source_file', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='datasets', to='datasets.sourcefile')),
            ],
            options={
                'ordering': ['-created_at'],
            },
        ),
        migrations.CreateModel(
            name='BudgetEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('release_id', models.UUIDField(db_index=True)),
                ('mechanism', models.CharField(max_length=60)),
                ('level', models.CharField(max_length=20)),
                ('unit', models.CharField(choices=[('event_per_m', 'one event, by distance'), ('event', 'one event of a stream'), ('user', 'one user'), ('record', 'one record')], default='event_per_m', max_length=20)),
                ('amount', models.BigIntegerField()),
                ('epsilon', models.FloatField()),
                ('radius_m', models.FloatField(blank=True, null=True)),
                ('stability', models.PositiveBigIntegerField(default=1)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('source_file', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='entries', to='datasets.sourcefile')),
            ],
            options={
                'ordering': ['created_at'],
            },
        ),
        migrations.CreateModel(
            name='SourceSketch',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('digest', models.CharField(max_length=64)),
                ('kind', models.CharField(choices=[('trajectory', 'Trajectories'), ('stream', 'Count streams'), ('checkins', 'Check-ins')], default='trajectory', max_length=20)),
                ('timed', models.BinaryField(default=bytes)),
                ('places', models.BinaryField()),
                ('reading', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='sketches', to='datasets.reading')),
                ('source_file', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='sketches', to='datasets.sourcefile')),
            ],
        ),
        migrations.CreateModel(
            name='Upload',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('file_name', models.CharField(blank=True, default='', max_length=255)),
                ('length', models.PositiveBigIntegerField()),
                ('received', models.PositiveBigIntegerField(default=0)),
                ('touched_at', models.DateTimeField(auto_now_add=True, db_index=True)),
                ('pieces', models.JSONField(blank=True, default=list)),
                ('crc32', models.PositiveBigIntegerField(blank=True, null=True)),
                ('finishing_until', models.DateTimeField(blank=True, null=True)),
                ('dataset', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='datasets.dataset')),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='uploads', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='Budget',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('unit', models.CharField(choices=[('event_per_m', 'one event, by distance'), ('event', 'one event of a stream'), ('user', 'one user'), ('record', 'one record')], default='event_per_m', max_length=20)),
                ('spent', models.BigIntegerField(default=0)),
                ('version', models.PositiveBigIntegerField(default=0)),
                ('total', models.BigIntegerField(blank=True, null=True)),
                ('total_epsilon', models.FloatField(blank=True, null=True)),
                ('total_radius_m', models.FloatField(blank=True, null=True)),
                ('lineage', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='budgets', to='datasets.lineage')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('lineage', 'unit'), name='budget_one_per_lineage_and_unit'), models.CheckConstraint(condition=models.Q(('unit__in', ['event_per_m', 'event', 'user', 'record'])), name='budget_known_unit'), models.CheckConstraint(condition=models.Q(('spent__gte', 0)), name='budget_spent_not_negative')],
            },
        ),
        migrations.AddConstraint(
            model_name='sourcefile',
            constraint=models.UniqueConstraint(condition=models.Q(('file_digest', ''), _negated=True), fields=('owner', 'file_digest'), name='source_file_one_per_bytes'),
        ),
        migrations.AddConstraint(
            model_name='sourcefile',
            constraint=models.UniqueConstraint(condition=models.Q(('file_digest', '')), fields=('owner', 'content_digest'), name='source_file_one_per_content'),
        ),
        migrations.AddConstraint(
            model_name='reading',
            constraint=models.UniqueConstraint(fields=('source_file', 'digest'), name='reading_one_per_events'),
        ),
        migrations.AddConstraint(
            model_name='lineageentry',
            constraint=models.CheckConstraint(condition=models.Q(('source_file', models.F('other')), _negated=True), name='lineage_entry_of_two'),
        ),
        migrations.AddConstraint(
            model_name='lineageentry',
            constraint=models.CheckConstraint(condition=models.Q(('fact__in', ['shared-events', 'other-people'])), name='lineage_entry_known_fact'),
        ),
        migrations.AddConstraint(
            model_name='eventloss',
            constraint=models.UniqueConstraint(fields=('source_file', 'unit'), name='event_loss_one_per_file_and_unit'),
        ),
        migrations.AddConstraint(
            model_name='eventloss',
            constraint=models.CheckConstraint(condition=models.Q(('unit__in', ['event_per_m', 'event', 'user', 'record'])), name='event_loss_known_unit'),
        ),
        migrations.AddIndex(
            model_name='dataset',
            index=models.Index(condition=models.Q(('project__isnull', False)), fields=['project', '-created_at', 'id', 'owner', 'name', 'kind', 'state', 'stored_tags', 'file_name'], name='dataset_in_project'),
        ),
        migrations.AddIndex(
            model_name='dataset',
            index=models.Index(fields=['owner', '-created_at', 'id', 'name', 'kind', 'state', 'stored_tags', 'file_name'], name='dataset_newest_of_owner'),
        ),
        migrations.AddConstraint(
            model_name='dataset',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('state', 'running'), ('lease_until__isnull', False), ('token__isnull', False)), models.Q(models.Q(('state', 'running'), _negated=True), ('lease_until__isnull', True), ('token__isnull', True)), _connector='OR'), name='dataset_held_while_running'),
        ),
        migrations.AddConstraint(
            model_name='dataset',
            constraint=models.CheckConstraint(condition=models.Q(('progress__gte', 0), ('progress__lte', 1)), name='dataset_progress_share'),
        ),
        migrations.AddConstraint(
            model_name='dataset',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('finished_at__isnull', True), ('state__in', ['queued', 'running'])), models.Q(models.Q(('state__in', ['queued', 'running']), _negated=True), ('finished_at__isnull', False)), _connector='OR'), name='dataset_finished_when_over'),
        ),
        migrations.AddConstraint(
            model_name='dataset',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('state', 'ready'), _negated=True), models.Q(models.Q(('points_file', ''), _negated=True), models.Q(('content_digest', ''), _negated=True), ('points__gt', 0)), _connector='OR'), name='dataset_ready_has_points_file'),
        ),
        migrations.AddConstraint(
            model_name='dataset',
            constraint=models.CheckConstraint(condition=models.Q(('kind__in', ['trajectory', 'stream', 'checkins'])), name='dataset_known_kind'),
        ),
        migrations.AddConstraint(
            model_name='budgetentry',
            constraint=models.CheckConstraint(condition=models.Q(('amount', 0), _negated=True), name='budget_entry_not_zero'),
        ),
        migrations.AddConstraint(
            model_name='budgetentry',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('radius_m__isnull', False), ('unit', 'event_per_m')), models.Q(models.Q(('unit', 'event_per_m'), _negated=True), ('radius_m__isnull', True)), _connector='OR'), name='budget_entry_radius_where_by_distance'),
        ),
        migrations.AddConstraint(
            model_name='budgetentry',
            constraint=models.UniqueConstraint(condition=models.Q(('amount__gt', 0)), fields=('release_id',), name='budget_entry_one_charge_per_release'),
        ),
        migrations.AddConstraint(
            model_name='budgetentry',
            constraint=models.UniqueConstraint(condition=models.Q(('amount__lt', 0)), fields=('release_id',), name='budget_entry_one_refund_per_release'),
        ),
        migrations.AddConstraint(
            model_name='sourcesketch',
            constraint=models.UniqueConstraint(fields=('source_file', 'digest'), name='source_sketch_one_per_reading'),
        ),
        migrations.AddConstraint(
            model_name='upload',
            constraint=models.CheckConstraint(condition=models.Q(('received__lte', models.F('length'))), name='upload_received_within_length'),
        ),
    ]
