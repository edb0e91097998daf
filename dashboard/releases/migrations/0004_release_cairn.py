"""Which version drew a release. Of those drawn before nobody kept it: they say so, and are not given a guess."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("releases", "0003_dismissed"),
    ]

    operations = [
        migrations.AddField(
            model_name="release",
            name="cairn",
            field=models.CharField(blank=True, default="", max_length=40),
        ),
    ]
