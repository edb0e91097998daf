"""What a worker does for an export, without Celery."""

import errno
import hashlib
import os
import shutil
import zipfile
from pathlib import Path
from typing import Any

from dashboard.account_data import archive
from dashboard.account_data.models import AccountExport
from dashboard.jobs import leases
from dashboard.storage import local_files
from dashboard.storage.uploads import SPARE_BYTES
from privacy_engine.core.progress import advance, reported

CHUNK = 1 << 20


def run(pk: Any) -> bool:
    """Pack an export that waits, and return whether it did."""
    return leases.run(AccountExport, pk, packed) is not None


def packed(row: AccountExport, lease: leases.Lease) -> dict[str, Any]:
    """Write the ZIP and return what the row stores as it succeeds. The progress is the share of members.

    Raises
    ------
    OSError
        The originals alone are larger than the free space of the disk, less what uploads leave free.
    """
    members = archive.members(row.owner)
    if archive.bytes_of_originals(row.owner) > shutil.disk_usage(local_files.home("tmp")).free - SPARE_BYTES:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    row.path.parent.remove_folder()  # what an attempt stored that was killed before the row named it
    sums, left_out = [], []
    with (
        row.path.written() as out,
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file,
    ):
        for i, member in enumerate(reported(members)):
            lease.report("Packing", i / len(members))
            try:
                source = member.open()
            except FileNotFoundError:  # it was deleted meanwhile
                left_out.append(member.path)
                continue
            digest = hashlib.sha256()
            with source, file.open(member.path, "w", force_zip64=True) as target:
                while piece := source.read(CHUNK):
                    advance()
                    digest.update(piece)
                    target.write(piece)
                    lease.report("Packing", i / len(members))
            sums.append(f"{digest.hexdigest()}  {member.path}\n")
        file.writestr("SHA256SUMS", "".join(sums))
    with row.path.local() as path:
        return {"size_bytes": path.stat().st_size, "sha256": local_files.digest_of(path), "left_out": left_out}


def is_as_recorded(name: str, path: Path) -> bool | None:
    """Whether a stored export has the digest that its row states; None while it states none."""
    sha256 = AccountExport.objects.filter(pk=name.split("/")[1]).values_list("sha256", flat=True).first()
    return local_files.digest_of(path) == sha256 if sha256 else None
