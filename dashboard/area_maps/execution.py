"""A worker's work on a map of an area; no Celery in here."""

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

from dashboard.area_maps.models import AreaMap
from dashboard.area_maps.selectors import archive, kept_map
from dashboard.core.database_errors import patiently
from dashboard.jobs import leases
from dashboard.jobs.models import State
from dashboard.maps.area_extract import MOST_BYTES, File, KeptFile, extract
from dashboard.maps.pmtiles_file import open_archive
from dashboard.maps.remote_archive import ArchiveChanged, RemoteFile
from dashboard.storage import local_files


def run(pk: Any) -> bool:
    """Fetch a map, and leave no file of an attempt that came to nothing; False if it did not wait."""
    if draft := leases.run(AreaMap, pk, fetched):
        patiently(lambda: _clear_after(draft))
    return draft is not None


def fetched(row: AreaMap, lease: leases.Lease) -> dict[str, Any]:
    """Fetch the region, write it under a name that carries the lease's token; what the row stores as it succeeds.

    Raises
    ------
    EngineError
        The host or its archive is not as it must be, or the map is too large.
    """
    row.data_file = f"{lease.token.hex}.pmtiles"
    now: list[Any] = ["Waiting for the host", 0.0]

    def report(stage: str, share: float) -> None:
        now[:] = stage, share
        lease.report(stage, share)

    staged = local_files.home("tmp") / f"area-map-{row.data_file}"
    try:
        with ExitStack() as stack:
            file = _opened(row, stack, lambda: lease.report(*now))
            bounds = extract(file, row.requested, stack.enter_context(local_files.written(staged)), report)
        made = open_archive(staged)
        made.check()
        row.data_path.take(staged)
    finally:
        local_files.remove(staged)
    facts = {name: getattr(made, name) for name in ("zooms", "size", "attribution", "vector")}
    return facts | {"bounds": bounds, "data_file": row.data_file, "host": file.host}


def _opened(row: AreaMap, stack: ExitStack, watch: Callable[[], None]) -> File:
    """The archive of the host that was agreed to; without any a map of the same owner that holds the region."""
    if row.host:
        source = archive()
        if source is None or source.host != row.host:
            raise ArchiveChanged(f"{row.host} was agreed to, and is no longer the archive of this Cairn.")
        return stack.enter_context(RemoteFile(source.url, MOST_BYTES, watch=watch))
    kept = kept_map(row.requested, AreaMap.objects.filter(owner=row.owner_id))
    if kept is None:
        raise ArchiveChanged("The map of another dataset, which was to be used, is gone.")
    return KeptFile(stack.enter_context(kept.data_path.open()), kept.host, kept.size)


def _clear_after(draft: AreaMap) -> None:
    """Remove what an attempt left behind unless it is the row's file."""
    row = AreaMap.objects.filter(pk=draft.pk).first()
    if row is None:
        draft.folder.remove_folder()
    elif draft.data_file and (row.state != State.DONE or row.data_file != draft.data_file):
        draft.data_path.unlink()
