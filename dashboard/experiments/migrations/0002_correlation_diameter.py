"""Stored experiments say of each correlation how far apart its states lie: one radius, as they were computed."""

from typing import Any

from django.db import migrations

from privacy_engine.errors import ParameterErrors
from privacy_engine.experiments import ExperimentSpec


def say_distance(apps: Any, _editor: Any) -> None:
    model = apps.get_model("experiments", "Experiment")
    for row in model.objects.iterator():
        if with_distance(row.spec):
            try:
                row.spec_digest = ExperimentSpec.parse(row.spec).digest
            except ParameterErrors:
                continue  # another version's spec, which was not readable before either
            row.save(update_fields=["spec", "spec_digest"])


def with_distance(spec: dict[str, Any]) -> bool:
    """Add ``diameter_m`` None to every correlation of ``spec``; whether there was one without it."""
    grid = spec.get("grid", {})
    base = spec.get("base", {})
    found = [base.get("correlation"), *grid.get("correlation", [])]
    parts = any(path.startswith("correlation.") for axis in grid for path in axis.split(","))
    if parts and base.get("correlation") is None and "correlation" not in grid:
        found.append(base.setdefault("correlation", {}))  # every part of it is swept
    lacking = [one for one in found if isinstance(one, dict) and "diameter_m" not in one]
    for one in lacking:
        one["diameter_m"] = None
    return bool(lacking)


class Migration(migrations.Migration):
    dependencies = [("experiments", "0001_initial")]
    operations = [migrations.RunPython(say_distance, migrations.RunPython.noop)]
