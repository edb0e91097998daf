"""What decided the landmarks of a set where an earlier release did."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("landmarks", "0002_dummies")]

    operations = [
        migrations.AddField("landmarkset", "earlier", models.JSONField(null=True, blank=True, editable=False)),
    ]
