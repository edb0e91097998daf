"""The files of an experiment: its table, and the blocks it was made of."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from django.conf import settings

from dashboard.core.errors import require_format
from dashboard.core.filenames import file_name, title_parts
from dashboard.experiments.models import Experiment
from dashboard.jobs.models import State
from dashboard.storage import local_files
from privacy_engine.experiments import FILES, ExperimentSpec
from privacy_engine.formats.arrow import read_parquet

TABLE = "table.parquet"


def write(row: Experiment, spec: ExperimentSpec, table: Any) -> str:
    """Keep the table and return its SHA-256."""
    path = row.folder / TABLE
    with local_files.written(path) as out:
        FILES["parquet"].write(table, spec, out)
    return local_files.digest_of(path)


def read(row: Experiment) -> Any:
    """The table of a finished experiment."""
    return read_parquet(row.folder / TABLE)


def export(row: Experiment, fmt: str) -> tuple[BinaryIO, str, str]:
    """One of its files, open and without a name on the disk; its media type, and what to call it.

    Raises
    ------
    ParameterError
        There is no such format.
    """
    require_format(fmt, FILES)
    table = read(row) if row.state == State.DONE else None
    out = local_files.unnamed(partial(FILES[fmt].write, table, row.parsed_spec))
    name = file_name("experiment", *title_parts(row.name), row.pk.hex[:8], extension=Path(FILES[fmt].name).suffix)
    return out, FILES[fmt].media_type, name


def forget(row: Experiment) -> None:
    """Remove its table, and those of its blocks that no other experiment of the owner stands on."""
    local_files.remove(Path(settings.CAIRN_HOME, "experiments", str(row.pk)))
    if not row.data_digest:
        return
    blocks = Path(settings.CAIRN_HOME, "blocks", str(row.owner_id), row.data_digest)
    others = Experiment.objects.filter(owner=row.owner_id, data_digest=row.data_digest).exclude(pk=row.pk)
    needed = {cell.digest for other in others for cell in other.parsed_spec.cells()}
    if not needed:
        local_files.remove(blocks)
        return
    for cell in row.parsed_spec.cells():
        if cell.digest not in needed:
            local_files.remove(blocks / cell.digest)


def forget_after_commit(instance: Experiment, **_: Any) -> None:
    """:func:`forget` with the row, whatever it went with: its dataset, its owner."""
    local_files.gone_after_commit(instance, forget)
