"""The files of an experiment: its table, and the blocks it was made of."""

import contextlib
import uuid
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from dashboard.core.errors import require_format
from dashboard.core.filenames import file_name, title_parts
from dashboard.experiments.models import Experiment
from dashboard.jobs import parts
from dashboard.jobs.models import State
from dashboard.storage import local_files, parquet, removals, stored_path
from dashboard.storage.stored_path import StoredPath
from privacy_engine.experiments import FILES, ExperimentSpec

OLD_TABLE = "table.parquet"  # of experiments from before names had digests


def write(row: Experiment, spec: ExperimentSpec, table: Any) -> str:
    """Keep the table and return its SHA-256."""
    staged = local_files.home("tmp") / f"table-{uuid.uuid4().hex}"
    try:
        with local_files.written(staged) as out:
            FILES["parquet"].write(table, spec, out)
        digest = local_files.digest_of(staged)
        with contextlib.suppress(FileExistsError):  # objects never change: it is this table
            row.table_path(digest).take(staged)
    finally:
        local_files.remove(staged)
    return digest


def clear_after(draft: Experiment) -> None:
    """Remove what a worker stored of what was deleted meanwhile; else its parts if it is over, and earlier tables."""
    row = Experiment.objects.filter(pk=draft.pk).first()
    if row is None:
        forget(draft)
        return
    parts.delete_of_ended(row)
    if row.state == State.DONE:
        current = row.table_path(row.table_sha256)
        stored_path.remove_all(files=[path for path in row.folder.iterdir() if path != current])


def is_as_named(name: str, path: Path) -> bool | None:
    """Whether a stored table has the digest that its name states; None for a table from before names did."""
    stem = name.rpartition("/")[2].removeprefix("table-").removesuffix(".parquet")
    return local_files.digest_of(path) == stem if len(stem) == 64 else None


def read(row: Experiment) -> Any:
    """The table of a finished experiment."""
    try:
        return parquet.read_table(row.table_path(row.table_sha256))
    except FileNotFoundError:
        return parquet.read_table(row.folder / OLD_TABLE)


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
    table, *blocks = row.removed_with()
    removals.remove(table)
    for block in blocks:
        remove_unneeded_blocks(block)


def remove_unneeded_blocks(key: str) -> None:
    """Remove what is stored below ``blocks/OWNER/DIGEST OF DATA`` but the cells of experiments that exist."""
    _, owner, *digest = key.split("/")
    rows = Experiment.objects.filter(owner=owner, data_digest__in=digest)
    needed = {cell.digest for row in rows for cell in row.parsed_spec.cells()}
    if not needed:
        removals.remove(key)
        return
    for cell in {path.key.split("/")[3] for path in StoredPath(key).iterdir()} - needed:
        removals.remove(f"{key}/{cell}")
