"""What decided the landmarks of a set where an earlier release did."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("landmarks", "0003_count_per_person")]

    operations = [
        migrations.AddField("landmarkset", "earlier", models.JSONField(null=True, blank=True, editable=False)),
    ]
