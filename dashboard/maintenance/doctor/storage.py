"""Checks of the storage: what the rows name is there."""

from __future__ import annotations

from collections.abc import Iterator

from django.db import DatabaseError

from dashboard.datasets.models import Dataset
from dashboard.jobs.models import State
from dashboard.maintenance.doctor.finding import Finding, error, warning
from dashboard.releases.models import Release
from dashboard.storage import installation, trash

NEWEST = 200


def installation_id() -> Iterator[Finding]:
    """Database and files have the same id, or none yet."""
    try:
        installation.check()
    except installation.Refused as refused:
        yield error("installation", refused.what, refused.do)
    except installation.Unanswered:
        return  # which other checks report


def trash_of_the_sweep() -> Iterator[Finding]:
    """Nothing is in the trash."""
    found = trash.contents()
    if found:
        listed = ", ".join(f"{folder}: {files}" for folder, files in found.items())
        yield warning(
            "trash",
            f"The sweep found more files without a row than failed jobs leave, and moved them to the trash ({listed}).",
            "If database or files are an older copy, stop web, workers and sweep, restore the newer one, and move the "
            "files back: manage.py trash --restore FOLDER. Otherwise leave them: each folder is removed after "
            f"{trash.KEPT.days} days.",
        )


def storage() -> Iterator[Finding]:
    """The files of the newest datasets and releases are there, as they are not in a home that is not shared."""
    try:
        datasets = list(Dataset.objects.filter(state=State.READY).order_by("-created_at")[:NEWEST])
        releases = list(Release.objects.filter(state=State.DONE).order_by("-created_at")[:NEWEST])
    except DatabaseError:
        return
    missing = [row for row in datasets if not row.points_path.exists()]
    missing += [row for row in releases if not row.data_path.exists()]
    if missing:
        names = ", ".join(f"{type(row).__name__.lower()} {row.pk}" for row in missing[:3])
        yield error(
            "files-missing",
            f"{len(missing)} of the newest {len(datasets) + len(releases)} datasets and releases have no file here "
            f"({names}{', …' if missing[3:] else ''}).",
            "All hosts must share CAIRN_HOME; after a restore, restore the files of the same backup too.",
        )
