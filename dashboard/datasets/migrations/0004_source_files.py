"""Source files, their sketches and what is recorded of them; existing budgets move in the next migration."""

from django.conf import settings
from django.db import migrations, models
from django.db.models import F, Q

CASCADE = models.CASCADE
FACTS = [("shared-events", "shares most of its events"), ("other-people", "is of other people, its owner says")]


def key():
    return models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")


class Migration(migrations.Migration):

    dependencies = [
        ("datasets", "0003_uploads_and_cleaning"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="SourceFile",
            fields=[
                ("id", key()),
                ("file_digest", models.CharField(blank=True, default="", max_length=64)),
                ("content_digest", models.CharField(blank=True, default="", max_length=64)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("owner", models.ForeignKey(on_delete=CASCADE, related_name="source_files", to=settings.AUTH_USER_MODEL)),
                ("budget", models.ForeignKey(on_delete=CASCADE, related_name="source_files", to="datasets.budget")),
            ],
            options={
                "ordering": ["created_at", "pk"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=["owner", "file_digest"], condition=~Q(file_digest=""), name="source_file_one_per_bytes"
                    ),
                    models.UniqueConstraint(
                        fields=["owner", "content_digest"],
                        condition=Q(file_digest=""),
                        name="source_file_one_per_content",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="SourceSketch",
            fields=[
                ("id", key()),
                ("digest", models.CharField(max_length=64)),
                ("timed", models.BinaryField(default=bytes)),
                ("places", models.BinaryField()),
                ("source_file", models.ForeignKey(on_delete=CASCADE, related_name="sketches", to="datasets.sourcefile")),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=["source_file", "digest"], name="source_sketch_one_per_reading")
                ]
            },
        ),
        migrations.CreateModel(
            name="LineageEntry",
            fields=[
                ("id", key()),
                ("fact", models.CharField(choices=FACTS, max_length=20)),
                ("share", models.FloatField(blank=True, null=True)),
                ("spent", models.BigIntegerField()),
                ("other_spent", models.BigIntegerField()),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "source_file",
                    models.ForeignKey(on_delete=CASCADE, related_name="lineage_entries", to="datasets.sourcefile"),
                ),
                ("other", models.ForeignKey(on_delete=CASCADE, related_name="+", to="datasets.sourcefile")),
            ],
            options={
                "ordering": ["created_at", "pk"],
                "constraints": [
                    models.CheckConstraint(condition=~Q(source_file=F("other")), name="lineage_entry_of_two"),
                    models.CheckConstraint(
                        condition=Q(fact__in=[fact for fact, _ in FACTS]), name="lineage_entry_known_fact"
                    ),
                ],
            },
        ),
        migrations.AddField("dataset", "stability", models.PositiveBigIntegerField(default=1)),
        migrations.AddField(
            "dataset",
            "source_file",
            models.ForeignKey(
                blank=True,
                null=True,
                on_delete=models.SET_NULL,
                related_name="datasets",
                to="datasets.sourcefile",
            ),
        ),
        migrations.AddField("budgetentry", "stability", models.PositiveBigIntegerField(default=1)),
        migrations.AddField(
            "budgetentry",
            "source_file",
            models.ForeignKey(null=True, on_delete=CASCADE, related_name="+", to="datasets.sourcefile"),
        ),
    ]
