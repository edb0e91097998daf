"""Releases as a ZIP: the data in several formats, the label, the configuration, checksums. Only what may go out.

The same releases give the same bytes: fixed times and rights, sorted names, no host and no text of the owner. A bundle
is written while it is sent; a single file of a release at a time is on the disk.
"""

import hashlib
import json
import zipfile
import zlib
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import suppress
from io import BytesIO
from typing import Any, BinaryIO

from dashboard.core.errors import must_be, require_state
from dashboard.core.filenames import file_name
from dashboard.jobs.models import State
from dashboard.releases import downloads, reproduce
from dashboard.releases.models import Release
from privacy_engine import __version__
from privacy_engine.core.progress import advance
from privacy_engine.datatypes import datatypes
from privacy_engine.errors import DataError, ParameterError
from privacy_engine.formats.arrow import pa
from privacy_engine.releases.label import NOT_PRIVATE

MEDIA_TYPE = "application/zip"
MOST = 20
"""Releases in a bundle."""
LAYOUT = 1  # counts up when the same releases are packed in another way
EPOCH = (1980, 1, 1, 0, 0, 0)  # the first moment a ZIP can represent
CHUNK = 1 << 18
COMPRESSED_FORMATS = ("parquet", "geoparquet")
SUMS = "SHA256SUMS"


def chosen(releases: Sequence[Release]) -> list[Release]:
    """The releases of a bundle in the order of their folders.

    Raises
    ------
    Conflict
        One of them is not done.
    ParameterError
        They are none, or more than :data:`MOST`.
    """
    if not 1 <= len(releases) <= MOST:
        rule = f"1 to {MOST} releases"
        raise ParameterError(f"release must be {rule}, got {len(releases)}", field="release", rule=rule)
    for row in releases:
        require_state(row, State.DONE, "release")
    if len({row.kind for row in releases}) > 1:
        raise must_be("release", "releases of one kind of data")
    return sorted(releases, key=lambda row: (row.public_stem, row.pk))


def formats(requested: Sequence[str], rows: Sequence[Release]) -> list[str]:
    """Names of the requested formats, each once, in the order of the data type; the bundled ones where none is.

    Raises
    ------
    ParameterError
        There is no such format.
    DataError
        One of the releases cannot be written in a requested format.
    """
    known = datatypes[rows[0].kind].exports
    for fmt in requested:
        for row in rows:
            downloads.require_exportable(row, fmt)
    return [name for name, export in known.items() if (name in requested if requested else export.bundled)]


def name(rows: Sequence[Release]) -> str:
    """What to call the file."""
    if len(rows) == 1:
        return rows[0].file_name("zip")
    datasets = {row.dataset.name for row in rows}
    return file_name(*(datasets if len(datasets) == 1 else ["cairn"]), f"{len(rows)} releases", extension="zip")


def etag(rows: Sequence[Release], fmts: Sequence[str]) -> str:
    """A strong validator: all that the bytes depend on."""
    made_by = [LAYOUT, __version__, pa.__version__, zlib.ZLIB_RUNTIME_VERSION]
    content = [made_by, list(fmts), [[row.data_sha256, downloads.label(row)] for row in rows]]
    return f'"{hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:32]}"'


def stream(rows: Sequence[Release], fmts: Sequence[str]) -> Iterator[bytes]:
    """The ZIP in pieces: releases as :func:`chosen` gives them, in formats of the names ``fmts``, and checksums."""
    out, sums = _Unsent(), []
    with zipfile.ZipFile(out, "w") as archive:  # type: ignore[call-overload]
        for path, file, compressed in _members(rows, fmts):
            with file:
                digest = yield from _add_member(archive, out, path, file, compressed)
            sums.append(f"{digest}  {path}\n")
        yield from _add_member(archive, out, SUMS, BytesIO("".join(sums).encode()), False)
    yield out.take()


class _Unsent:
    """What the archive wrote and was not sent yet; it cannot be sought in, so sizes follow the members."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def write(self, part: Any) -> int:
        self._parts.append(bytes(part))
        return len(part)

    def flush(self) -> None:
        """Nothing is held back here."""

    def take(self) -> bytes:
        parts, self._parts = self._parts, []
        return b"".join(parts)


def _add_member(
    archive: zipfile.ZipFile, out: _Unsent, path: str, file: BinaryIO, compressed: bool
) -> Generator[bytes, None, str]:
    """Pieces of the archive while ``file`` goes into it; returns the file's SHA-256."""
    info = zipfile.ZipInfo(path, EPOCH)
    info.create_system = 3  # Unix, wherever this runs
    info.external_attr = 0o100644 << 16
    info.compress_type = zipfile.ZIP_STORED if compressed else zipfile.ZIP_DEFLATED
    info.file_size = file.seek(0, 2)
    file.seek(0)
    digest = hashlib.sha256()
    with archive.open(info, "w") as member:
        while part := file.read(CHUNK):
            advance()
            digest.update(part)
            member.write(part)
            yield out.take()
    return digest.hexdigest()


def _members(rows: Sequence[Release], fmts: Sequence[str]) -> Iterator[tuple[str, BinaryIO, bool]]:
    """Path, content, and whether it is compressed already, in the order of the paths (README first)."""
    yield "README.txt", _text(readme(rows)), False
    for row in rows:
        known = datatypes[row.kind].exports
        files = {f"{row.public_stem}.{known[fmt].extension}": fmt for fmt in fmts if _exportable(row, fmt)}
        for file in sorted([*files, *_TEXTS]):
            exported = files.get(file)
            content = downloads.export(row, exported)[0] if exported else _text(_TEXTS[file](row))
            yield f"{row.public_stem}/{file}", content, exported in COMPRESSED_FORMATS


def _exportable(row: Release, fmt: str) -> bool:
    with suppress(DataError):
        downloads.require_exportable(row, fmt)
        return True
    return False


def _text(text: str) -> BytesIO:
    return BytesIO(text.encode())


def _as_json(value: Any) -> str:
    return json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n"


_TEXTS: Mapping[str, Callable[[Release], str]] = {
    "configuration.json": lambda row: reproduce.configuration([row]),
    "label.json": lambda row: _as_json(downloads.label(row)),
    "label.txt": lambda row: f"{downloads.label(row)['text']}\n",
}

_README = """\
{title}
{line}

{content}

In each folder
  {names:<36} the released data; every file carries its privacy label
  label.txt, label.json                the label: what is protected, how much, against whom, what is in clear
  configuration.json                   how it was made; "Load configuration" on the page of a new release reads it

Check the files:   sha256sum -c SHA256SUMS

The same configuration over the same points gives other noise from the same distribution. Only a seed gives the same
bits again, and it ends privacy: whoever knows it can take the noise away.

Packed by Cairn {version}; each label names the version that drew its release.
"""


def readme(rows: Sequence[Release]) -> str:
    """The README of the bundle: what is in it."""
    title = "A release" if len(rows) == 1 else f"{len(rows)} releases"
    content = "\n\n".join(f"{row.public_stem}\n  {row.title}\n  {_sentence(row)}" for row in rows)
    names = ", ".join(f"*.{export.extension}" for export in datatypes[rows[0].kind].exports.values() if export.bundled)
    return _README.format(title=title, line="=" * len(title), content=content, names=names, version=__version__)


def _sentence(row: Release) -> str:
    guarantee = downloads.label(row)["guarantee"]
    return str(guarantee["statement"]) if guarantee else f"{NOT_PRIVATE} (seed {row.spec['seed']}). Do not publish."
