"""Checks of the storage: what the rows name is there."""

import time
from collections.abc import Callable, Iterator

from django.db import DatabaseError
from django.utils import timezone

from dashboard.datasets.models import Dataset
from dashboard.jobs.models import State
from dashboard.maintenance import file_check, objects
from dashboard.maintenance.doctor.finding import Finding, error, warning
from dashboard.releases.models import Release
from dashboard.storage import installation, trash
from dashboard.storage.models import StoredFile

NEWEST = 200
REPORT_S = 2.0
LISTED = 20


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
    contents = trash.contents()
    if contents:
        listed = ", ".join(f"{folder}: {files}" for folder, files in contents.items())
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


def damage() -> Iterator[Finding]:
    """No stored file is known to be damaged, by the weekly check or by who read it."""
    try:
        names = list(StoredFile.objects.exclude(damaged_at=None).order_by("name").values_list("name", flat=True))
    except DatabaseError:
        return
    if names:
        yield _damaged(names)


def every_file(report: Callable[[str], None]) -> Iterator[Finding]:
    """Every stored file is what was stored, and every file that a row names is there; ``report`` receives progress."""
    by_state: dict[str, list[str]] = {"damaged": [], "missing": objects.missing(), "not read": []}
    done, size, reported = 0, 0, time.monotonic()
    for step in file_check.check(timezone.now()):
        size += step.size
        done += bool(step.state)
        if step.state in by_state:
            by_state[step.state].append(step.name)
        if time.monotonic() - reported > REPORT_S:
            report(f"{done:,} files checked, {size / 1e9:.1f} GB, {len(by_state['damaged'])} damaged")
            reported = time.monotonic()
    report(f"{done:,} files checked, {size / 1e9:.1f} GB, {len(by_state['damaged'])} damaged")
    if by_state["damaged"]:
        yield _damaged(by_state["damaged"])
    if missing := sorted(set(by_state["missing"])):
        yield error(
            "files-missing",
            f"{len(missing)} files that the database names are not there ({_some(missing)}).",
            "Restore them from a backup; all hosts must share CAIRN_HOME.",
        )
    if by_state["not read"]:
        yield warning(
            "files-not-read",
            f"{len(by_state['not read'])} files could not be read ({_some(by_state['not read'])}).",
            "Check again once the storage answers.",
        )


def _damaged(names: list[str]) -> Finding:
    return error(
        "files-damaged",
        f"{len(names)} stored files are damaged ({_some(names)}).",
        "Restore them from a backup, check the disk, and run manage.py doctor --files.",
    )


def _some(names: list[str]) -> str:
    return ", ".join(names[:LISTED]) + (", …" if names[LISTED:] else "")
