"""Releases of count streams and check-ins have no landmark set."""

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [
        ("datasets", "0008_budgets_by_unit"),
        ("landmarks", "0004_earlier_release"),
        ("releases", "0005_rename_columns"),
    ]

    operations = [
        migrations.AddField(
            "release",
            "kind",
            models.CharField(
                choices=[("trajectory", "Trajectories"), ("stream", "Count streams"), ("checkins", "Check-ins")],
                default="trajectory",
                max_length=20,
            ),
        ),
        migrations.AlterField(
            "release",
            "landmark_set",
            models.ForeignKey(
                blank=True,
                null=True,
                on_delete=models.RESTRICT,
                related_name="releases",
                to="landmarks.landmarkset",
            ),
        ),
        migrations.AddConstraint(
            "release",
            models.CheckConstraint(
                condition=Q(kind="trajectory", landmark_set__isnull=False)
                | Q(kind__in=["stream", "checkins"], landmark_set__isnull=True),
                name="release_landmark_set_of_trajectories",
            ),
        ),
    ]
