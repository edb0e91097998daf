"""The id of the installation: in the database, in ``CAIRN_HOME/installation``, and in the storage that hosts share.

A process that finds different ids, or any of them missing, ends before it writes anything. Where there is none yet it
is written: first to CAIRN_HOME, marked as not yet confirmed, then to the database, which decides between processes that
start at the same time, then to the other places. A process that is killed in between leaves a state that the next start
completes, since the id that is not confirmed equals that of the database or the database has none.
"""

import io
import logging
import os
import sys
import time
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import DatabaseError, OperationalError, connection, models
from django.db.backends.signals import connection_created
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from dashboard.core.storage_errors import StorageUnavailable
from dashboard.storage import local_files, removals
from dashboard.storage.local_storage import LocalFiles
from dashboard.storage.models import Installation
from dashboard.storage.stored_path import StoredFiles, StoredPath, stored_files

logger = logging.getLogger(__name__)

NAME = "installation"
SWEPT = "installation.swept"
UNCONFIRMED = "not yet confirmed"
BATCH = 500
TRIES = 4
PAUSE_S = 0.5
_required = False
"""Whether this process found that database and files belong together, or will."""


class Refused(Exception):
    """Database and files do not belong together: ``what`` differs, and what to ``do``."""

    def __init__(self, what: str, do: str) -> None:
        super().__init__(f"{what}\n{do}")
        self.what, self.do = what, do


class Unanswered(Exception):
    """The database, or the storage, does not answer: whether they belong together is not known."""


@dataclass(frozen=True)
class Ids:
    """What each place has; ``begun`` is an id in CAIRN_HOME that was never confirmed."""

    database: uuid.UUID | None
    home: uuid.UUID | None
    begun: uuid.UUID | None
    shared: uuid.UUID | None = None

    def known(self) -> dict[str, uuid.UUID]:
        """Those that are there, by what has them."""
        ids = {"database": self.database, "home": self.home, "shared": self.shared}
        return {place: value for place, value in ids.items() if value}


def require(*, whole: bool = False) -> None:
    """Let database and files belong together, and write their id if there is none yet.

    A storage that does not answer is not read where database and CAIRN_HOME agree, unless ``whole``.

    Raises
    ------
    Refused
        They do not belong together. Nothing was written.
    Unanswered
        One of them does not answer.
    """
    global _required
    for attempt in range(1, TRIES + 1):
        with _answering(), _closed_again():
            try:
                ids = read(whole=whole)
                _compare(ids)
                _complete(ids)
            except Refused:
                # another host may be between writing the first of its ids and the last
                if attempt == TRIES or not stored_files().shared:
                    raise
            else:
                _required = True
                return
        time.sleep(PAUSE_S)


def check() -> None:
    """As :func:`require`, and write nothing."""
    with _answering(), _closed_again():
        _compare(read())


def is_older_copy() -> bool:
    """Whether the database was swept last before its files were: it is an older copy, such as a restored backup."""
    row = Installation.objects.first()
    try:
        swept_at = parse_datetime((Path(settings.CAIRN_HOME) / SWEPT).read_text().strip())
    except (FileNotFoundError, ValueError):
        return False
    return row is not None and swept_at is not None and (row.swept_at is None or row.swept_at < swept_at)


def record_sweep() -> None:
    """Write the time to database and CAIRN_HOME, for :func:`is_older_copy`."""
    now = timezone.now()
    if Installation.objects.update(swept_at=now):
        with local_files.written(local_files.home() / SWEPT) as out:
            out.write(now.isoformat().encode())


def after_migration(**_: Any) -> None:
    """Handle ``post_migrate``: write the id, for which there was no table before."""
    if _required:
        require()


def require_in_server(exit_code: int = 1) -> None:
    """:func:`require` for a web server or worker, which ends; a process whose database is away waits for it."""
    try:
        require()
    except Refused as refused:
        sys.stderr.write(f"{refused}\n")
        sys.exit(exit_code)
    except Unanswered as away:
        logger.warning("%s", away)
        connection_created.connect(_require_before_use, dispatch_uid=NAME)


def _require_before_use(**_: Any) -> None:
    """Refuse each new connection to the database until it is known that it belongs to the files."""
    try:
        require()
    except (Refused, Unanswered) as problem:
        logger.error("%s", problem)
        connection.close()  # it is open, and would be used the next time without this
        raise OperationalError(str(problem)) from None
    connection_created.disconnect(dispatch_uid=NAME)


@contextmanager
def _answering() -> Iterator[None]:
    try:
        yield
    except DatabaseError as error:
        raise Unanswered(f"The database does not answer ({_place('database')}): {type(error).__name__}.") from error
    except StorageUnavailable as error:
        raise Unanswered(f"The storage does not answer ({_place('shared')}): {error}.") from error


@contextmanager
def _closed_again() -> Iterator[None]:
    """Leave no connection behind for processes that are forked later."""
    was_open = connection.connection is not None
    try:
        yield
    finally:
        if not was_open and not connection.in_atomic_block:
            connection.close()


# Reading -----------------------------------------------------------------------------------------


def read(*, whole: bool = True) -> Ids:
    """Return the ids, without writing anything: a database of SQLite that is not there is not made."""
    database = Installation.objects.values_list("id", flat=True).first() if has_table() else None
    home, begun = _of_home()
    shared = None
    if stored_files().shared:
        try:
            shared = _of_storage()
        except StorageUnavailable:
            if whole or not database or database != home:
                raise
            shared = database
    return Ids(database, home, begun, shared)


def has_table(model: type[models.Model] = Installation) -> bool:
    """Whether the database has the table of a model; False where there is no database."""
    if connection.vendor == "sqlite" and not connection.connection and not _is_file(connection.settings_dict["NAME"]):
        return False
    with connection.cursor() as cursor:
        return model._meta.db_table in connection.introspection.table_names(cursor)


def _is_file(name: Any) -> bool:
    path = Path(str(name))
    return path.is_file() and path.stat().st_size > 0


def _of_home() -> tuple[uuid.UUID | None, uuid.UUID | None]:
    try:
        text, _, state = (Path(settings.CAIRN_HOME) / NAME).read_text().strip().partition(" ")
    except FileNotFoundError:
        return None, None
    parsed = _parsed(text)
    return (None, parsed) if state == UNCONFIRMED else (parsed, None)


def _of_storage() -> uuid.UUID | None:
    out = io.BytesIO()
    try:
        stored_files().fetch(NAME, out)
    except FileNotFoundError:
        return None
    return _parsed(out.getvalue().decode(errors="replace").strip())


def _parsed(text: str) -> uuid.UUID | None:
    with suppress(ValueError):
        return uuid.UUID(text)
    return None


# Comparing ---------------------------------------------------------------------------------------


def _compare(ids: Ids) -> None:
    known = ids.known()
    if len(set(known.values())) > 1:
        listed = "; ".join(f"{_place(place)} has {value}" for place, value in known.items())
        raise _refusal(f"Different installations: {listed}.", *known)
    if not known:
        _compare_contents()
        return
    lacking = {"database", "home", *(["shared"] if stored_files().shared else [])} - set(known)
    if ids.begun and ids.begun == ids.database:
        return  # this start was begun before
    there = (next(_names(LocalFiles(), folder), None) for folder in removals.folders())
    if lacking == {"home"} and stored_files().shared and not any(there):
        return  # a further host
    if lacking:
        own_id = next(iter(known.values()))
        has, lacks = (", ".join(_place(place) for place in sorted(places)) for places in (known, lacking))
        raise _refusal(f"{_sentence(has)} belongs to the installation {own_id}, and {lacks} to none.", *sorted(lacking))


def _compare_contents() -> None:
    """Without any id, as all installations were before: files and rows that know nothing of each other are refused."""
    files, match = False, False
    for folder, model in removals.folders().items():
        names = _names(stored_files(), folder)
        there = has_table(model)
        while some := list(islice(names, BATCH)):
            files = True
            if there and known_ids(model, some):
                match = True
                break
    if match:
        return
    if files:
        raise _refusal(f"There are files in {_files_place()} of which {_place('database')} names none.")
    if _rows_name_files():
        raise _refusal(
            f"The database ({_place('database')}) names files, and there are none in {_files_place()}.", "home"
        )


def known_ids(model: type[models.Model], names: Iterable[str]) -> set[str]:
    """Those of the names that are ids of rows."""
    ids = [parsed for parsed in map(_parsed, names) if parsed]
    rows, known = model._base_manager.order_by().values_list("pk", flat=True), set()
    for start in range(0, len(ids), BATCH):
        known |= {str(pk) for pk in rows.filter(pk__in=ids[start : start + BATCH])}
    return known


def _rows_name_files() -> bool:
    return any(
        has_table(model) and model._base_manager.exclude(**{model.FILE_COLUMN: ""}).order_by().values("pk").exists()
        for model in removals.folders().values()
        if hasattr(model, "FILE_COLUMN")
    )


def _names(files: StoredFiles, folder: str) -> Iterator[str]:
    """Names of the files and folders that are in a folder and hold something, each once."""
    last = ""
    for file in files.listed(f"{folder}/"):
        name = file.name.split("/")[1]
        if name != last:
            yield (last := name)


def _place(place: str) -> str:
    if place == "home":
        return f"CAIRN_HOME ({settings.CAIRN_HOME})"
    if place == "shared":
        storage: Any = stored_files()
        return f"CAIRN_STORAGE (s3://{storage.bucket_name}/{storage.location})".replace("/)", ")")
    options = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"the database {options['NAME']}"
    return f"the database {options['NAME']} at {options['HOST'] or 'this host'}"


def _files_place() -> str:
    return _place("shared" if stored_files().shared else "home")


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


ADVICE = {
    "database": "Set DATABASE_URL to the database of these files, or restore it from a backup (deploy/restore).",
    "home": "Set CAIRN_HOME to the folder of these files, and mount its volume, or restore it from a backup "
    "(deploy/restore).",
    "shared": "Set CAIRN_STORAGE to the bucket and prefix of these files.",
}


def _refusal(what: str, *places: str) -> Refused:
    advice = " ".join(ADVICE[place] for place in ADVICE if place in (places or ("database", "home")))
    do = f"{advice} If they do belong together, declare it: manage.py adopt."
    return Refused(f"{what} Nothing was written.", do)


# Writing -----------------------------------------------------------------------------------------


def _complete(ids: Ids) -> None:
    """Complete what was compared: every place gets the id that the database has, or will have."""
    if ids.database and ids.database == ids.home and (ids.shared or not stored_files().shared):
        return
    if not ids.home and not ids.begun:
        begin(ids.database or uuid.uuid4())
    if not has_table():
        return
    home, begun = _of_home()
    chosen = ids.database or home or begun or uuid.uuid4()
    Installation.objects.bulk_create([Installation(id=chosen)], ignore_conflicts=True)
    chosen = Installation.objects.values_list("id", flat=True).get()
    share(chosen)
    confirm(chosen)


def begin(chosen: uuid.UUID) -> None:
    """Write the id to CAIRN_HOME unless another process of this host has done so."""
    path = local_files.home() / NAME
    fresh = path.with_name(f".{NAME}.{uuid.uuid4().hex}.part")
    try:
        with local_files.written(fresh) as out:
            out.write(f"{chosen} {UNCONFIRMED}\n".encode())
        with suppress(FileExistsError):
            os.link(fresh, path)
    finally:
        fresh.unlink(missing_ok=True)


def share(chosen: uuid.UUID) -> None:
    if not stored_files().shared:
        return
    with suppress(FileExistsError), StoredPath(NAME).written() as out:
        out.write(f"{chosen}\n".encode())
    if (other := _of_storage()) != chosen:
        raise _refusal(f"Different installations: the database has {chosen}; {_place('shared')} has {other}.", "shared")


def confirm(chosen: uuid.UUID) -> None:
    with local_files.written(local_files.home() / NAME) as out:
        out.write(f"{chosen}\n".encode())
