"""Experiments are jobs, and their parts those of jobs; the blocks that are stored stay, so open ones are cut again."""

from django.db import migrations

from dashboard.jobs.initial_columns import LEASE, columns, job_constraints, parts_of

OPEN = ["queued", "running"]


def queue_open(apps, _):
    rows = apps.get_model("experiments", "Experiment").objects.filter(state__in=OPEN)
    rows.update(state="queued", stage="", attempt=0)


class Migration(migrations.Migration):
    dependencies = [("experiments", "0008_progressed_at")]

    operations = [
        migrations.DeleteModel("Part"),
        *(
            migrations.AddField("experiment", *column)
            for column in columns(*LEASE, "enqueued_at", "progressed_at")
        ),
        migrations.RunPython(queue_open, migrations.RunPython.noop),
        migrations.AddConstraint("experiment", job_constraints("experiment")[0]),
        parts_of("experiments.experiment", "ExperimentPart"),
    ]
