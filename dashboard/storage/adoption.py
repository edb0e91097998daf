"""What database and files do not know of each other, and the declaration that they belong together all the same."""

import uuid
from dataclasses import dataclass

from dashboard.storage import installation, removals
from dashboard.storage.models import Installation
from dashboard.storage.stored_path import StoredPath, stored_files


def adopt() -> uuid.UUID:
    """Give database and files the same id, whatever they have: the only id, or a new id."""
    known = set(installation.read().known().values())
    chosen = known.pop() if len(known) == 1 else uuid.uuid4()
    if stored_files().shared:
        StoredPath(installation.NAME).unlink()
    Installation.objects.update_or_create(number=1, defaults={"id": chosen})
    installation.share(chosen)
    installation.confirm(chosen)
    return chosen


@dataclass(frozen=True)
class Strangers:
    """How many files no row names, and how many rows lack their file."""

    files: int
    rows: int


def strangers() -> Strangers:
    """Count what database and files do not know of each other."""
    files = rows = 0
    for folder, model in removals.folders().items():
        names = [file.name for file in stored_files().listed(f"{folder}/")]
        there = installation.has_table(model)
        known = installation.known_ids(model, {name.split("/")[1] for name in names}) if there else set()
        files += sum(name.split("/")[1] not in known for name in names)
        if there and hasattr(model, "FILE_COLUMN"):
            stored = set(names)
            named = model._base_manager.exclude(**{model.FILE_COLUMN: ""}).order_by()
            rows += sum(
                f"{folder}/{pk}/{name}" not in stored for pk, name in named.values_list("pk", model.FILE_COLUMN)
            )
    return Strangers(files, rows)
