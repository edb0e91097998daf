"""Objects of a storage that hosts share which no row names: of attempts and requests that were killed."""

import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Any

from dashboard.account_data.models import AccountExport
from dashboard.accounts.models import MapFile
from dashboard.area_maps.models import AreaMap
from dashboard.attacks.models import Attack
from dashboard.datasets.models import Dataset, Reading, Upload
from dashboard.experiments.files import OLD_TABLE
from dashboard.experiments.models import Experiment
from dashboard.jobs.models import State
from dashboard.publications.models import Publication
from dashboard.releases.models import Release
from dashboard.storage.stored_path import stored_files
from privacy_engine.core import progress

STALE_S = 3600.0  # twice the longest job: the row that names it is there by now, or will never be
BATCH = 500


def orphans() -> Iterator[str]:
    """Names of the objects that are an hour old, of an app, and named by no row.

    Raises
    ------
    StorageUnavailable
        The list cannot be had now.
    """
    storage = stored_files()
    if not storage.shared:
        return
    for app in FOLDERS:
        old = (file.name for file in storage.listed(f"{app}/") if file.age_s > STALE_S)
        while names := list(islice(old, BATCH)):
            progress.advance()
            yield from sorted(set(names) - set(_NAMES[app](names)))


def named(names: Iterable[str]) -> set[str]:
    """Those of the objects that a row names."""
    by_app: dict[str, list[str]] = {}
    for name in names:
        by_app.setdefault(name.partition("/")[0], []).append(name)
    return {name for app, some in by_app.items() if app in _NAMES for name in _NAMES[app](some)}


def missing() -> list[str]:
    """Files that finished rows cannot do without, and that are not there."""
    there = {file.name for folder in FOLDERS for file in stored_files().listed(f"{folder}/")}
    absent = [name for name in _needed() if name not in there]
    return [name for name in absent if name in named([name]) and not stored_files().exists(name)]  # by now


def _needed() -> Iterator[str]:
    yield from (str(row.points_path) for row in Dataset.objects.filter(state=State.READY).only("pk", "points_file"))
    for model in (Release, AreaMap, Attack):
        yield from (str(row.data_path) for row in model.objects.filter(state=State.DONE).only("pk", "data_file"))
    yield from (str(row.path) for row in AccountExport.objects.filter(state=State.DONE).only("pk"))
    yield from (str(row.path) for row in MapFile.objects.only("pk"))
    for reading in Reading.objects.only("pk", "labels_file"):
        yield from _files_of(reading)
    for row in Experiment.objects.filter(state=State.DONE).only("pk", "table_sha256"):
        if not (row.folder / OLD_TABLE).exists():
            yield str(row.table_path(row.table_sha256))
    for copy in Publication.objects.only("pk"):
        yield from (str(copy.data_path), str(copy.label_path))


def _ids(names: Iterable[str], part: int = 1) -> Iterator[uuid.UUID]:
    for name in names:
        try:
            yield uuid.UUID(name.split("/")[part])
        except (ValueError, IndexError):
            continue


def _of_datasets(names: list[str]) -> Iterator[str]:
    rows = Dataset.objects.filter(pk__in=set(_ids(names)))
    for row in rows.only("pk", "points_file", "state"):
        yield str(row.original_path)
        yield from (name for name in names if row.file_token and row.file_token in name)
        yield from (name for name in names if row.open and name.startswith(f"{row.folder}/part-"))
    errors = {name.partition("/errors-")[2][:36] for name in names}
    known = [uuid.UUID(pk) for pk in errors if _is_id(pk)]
    columns = ("pk", "data_file", "dataset_id", "state")
    for release in Release.objects.filter(pk__in=known).select_related("dataset").only(*columns):
        yield from (name for name in names if release.file_token and release.file_token in name)
        yield from (name for name in names if release.open and f"/errors-{release.pk}-part-" in name)


def _files_of(reading: Reading) -> list[str]:
    return [str(reading.hashes_path), *([str(reading.labels_path)] if reading.labels_file else [])]


def _of_publications(names: list[str]) -> Iterator[str]:
    known = {str(pk) for pk in Publication.objects.in_bulk(set(_ids(names)))}
    yield from (name for name in names if name.split("/")[1] in known)


def _of_blocks(names: list[str]) -> Iterator[str]:
    """Blocks on data that an experiment of their owner is about."""
    rows = Experiment.objects.filter(owner__in=set(_ids(names))).values_list("owner", "data_digest")
    known = {f"blocks/{owner}/{digest}" for owner, digest in rows.distinct()}
    yield from (name for name in names if "/".join(name.split("/")[:3]) in known)


def _is_id(text: str) -> bool:
    try:
        return str(uuid.UUID(text)) == text
    except ValueError:
        return False


def _of_rows(
    names: list[str], model: Any, columns: Sequence[str], files: Callable[[Any], Iterable[Any]]
) -> Iterator[str]:
    """The ``files`` of the rows whose ids the names have, by these columns of theirs."""
    for row in model.objects.filter(pk__in=set(_ids(names))).only("pk", *columns):
        yield from map(str, files(row))


_OF_ROWS: dict[str, tuple[Any, Sequence[str], Callable[[Any], Iterable[Any]]]] = {
    "accountexports": (AccountExport, (), lambda row: [row.path]),
    "area-maps": (AreaMap, ["data_file"], lambda row: [row.data_path]),
    "attacks": (Attack, ["data_file"], lambda row: [row.data_path]),
    "base-maps": (MapFile, (), lambda row: [row.path]),
    "events": (Reading, ["labels_file"], _files_of),
    "experiments": (
        Experiment,
        ["table_sha256"],
        lambda row: [row.table_path(row.table_sha256), row.folder / OLD_TABLE],
    ),
    "releases": (Release, ["data_file"], lambda row: [row.data_path, row.budgets_path]),
    "uploads": (Upload, ["pieces"], lambda row: [row.folder / name for name in row.pieces]),
}
_NAMES: dict[str, Callable[[list[str]], Iterator[str]]] = {
    "blocks": _of_blocks,
    "datasets": _of_datasets,
    "publications": _of_publications,
    **{app: partial(_of_rows, model=of[0], columns=of[1], files=of[2]) for app, of in _OF_ROWS.items()},
}
FOLDERS = tuple(sorted(_NAMES))
"""The folders of all that is stored."""
