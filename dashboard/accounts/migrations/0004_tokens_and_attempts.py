import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import dashboard.accounts.models


def take_over_tokens(apps, schema_editor):
    """Existing tokens stay valid, with every scope and no name."""
    earlier = apps.get_model('knox', 'AuthToken').objects.using(schema_editor.connection.alias)
    tokens = apps.get_model('accounts', 'ApiToken').objects.using(schema_editor.connection.alias)
    for row in earlier.all():
        tokens.create(digest=row.digest, token_key=row.token_key, user_id=row.user_id, expiry=row.expiry)
        tokens.filter(digest=row.digest).update(created=row.created)  # not the moment of the migration
    earlier.all().delete()


def give_tokens_back(apps, schema_editor):
    """Tokens with every scope are valid in the earlier version too, which knows no scopes; the others end."""
    earlier = apps.get_model('knox', 'AuthToken').objects.using(schema_editor.connection.alias)
    for row in apps.get_model('accounts', 'ApiToken').objects.using(schema_editor.connection.alias).all():
        if set(row.scopes) == set(dashboard.accounts.models.all_scopes()):
            earlier.create(digest=row.digest, token_key=row.token_key, user_id=row.user_id, expiry=row.expiry)
            earlier.filter(digest=row.digest).update(created=row.created)


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0003_base_map'),
        ('knox', '0009_extend_authtoken_field'),
    ]

    operations = [
        migrations.CreateModel(
            name='AttemptCount',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('digest', models.CharField(max_length=64, unique=True)),
                ('attempts', models.PositiveIntegerField(default=0)),
                ('ends_at', models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name='ApiToken',
            fields=[
                ('digest', models.CharField(max_length=128, primary_key=True, serialize=False)),
                ('token_key', models.CharField(db_index=True, max_length=25)),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('expiry', models.DateTimeField(blank=True, null=True)),
                ('name', models.CharField(blank=True, max_length=100)),
                ('scopes', models.JSONField(default=dashboard.accounts.models.all_scopes)),
                ('last_used_at', models.DateTimeField(blank=True, null=True)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='auth_token_set', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.RunPython(take_over_tokens, give_tokens_back),
    ]
