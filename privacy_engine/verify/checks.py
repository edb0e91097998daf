"""What must hold of an exported file, check by check."""

import hashlib
import io
import json
import zipfile
import zlib
from collections.abc import Iterator
from typing import Any, Literal

from pydantic import ValidationError

from privacy_engine.core.params import Frozen
from privacy_engine.exports.base import ExportFormat, all_formats
from privacy_engine.exports.contents import Contents, PartOfRelease, Unreadable
from privacy_engine.releases.label import Label, label_digest

SUMS = "SHA256SUMS"
ZIP = b"PK\x03\x04"
LARGEST = 2_000_000_000
"""Bytes of a bundle's members together, unpacked."""

Name = Literal["readable", "label", "grid", "digest", "checksums", "same label"]


class Check(Frozen):
    """One thing that must hold, of one file, and whether it does."""

    file: str
    name: Name
    holds: bool
    message: str


class Verification(Frozen):
    """All checks of a file; ``holds`` only where every one of them does."""

    holds: bool
    checks: list[Check]


def verify(data: bytes, file: str = "") -> Verification:
    """Check an export of any format, or a bundle (ZIP) of exports, by its first bytes.

    Nothing raises: a file that cannot be read fails its check. ``file`` is what to call it.
    """
    checks = list(_bundle(data, file) if data.startswith(ZIP) else _single(data, file))
    return Verification(holds=all(check.holds for check in checks), checks=checks)


def _single(data: bytes, file: str) -> Iterator[Check]:
    try:
        contents, name = _read(data)
    except Unreadable as error:
        yield _unreadable(file, error.message)
        return
    yield from _whole(contents, name, file)


def _read(data: bytes) -> tuple[Contents, str]:
    """The contents of an exported file, and the name of its format; Unreadable where it is none."""
    fmt = _format_of(data)
    if fmt is None:
        raise Unreadable("The file begins like none that Cairn exports.")
    return fmt.read(data), fmt.name


def _format_of(data: bytes) -> ExportFormat | None:
    return next((fmt for fmt in all_formats() if fmt.begins(data)), None)


def _unreadable(file: str, message: str) -> Check:
    return Check(file=file, name="readable", holds=False, message=message)


def _whole(contents: Contents, format: str, file: str) -> Iterator[Check]:
    yield Check(file=file, name="readable", holds=True, message=f"{format}, {contents.size}")
    yield _label(contents, file)
    yield _grid(contents, file)
    yield _digest(contents, file)


def _label(contents: Contents, file: str) -> Check:
    wrong = _wrong_label(contents)
    message = wrong or "complete, as it was written, the same in text and JSON"
    return Check(file=file, name="label", holds=not wrong, message=message)


def _wrong_label(contents: Contents) -> str:
    try:
        label = Label.model_validate(contents.label)
    except ValidationError as error:
        first = error.errors()[0]
        return f"{'.'.join(map(str, first['loc'])) or 'label'}: {first['msg']}"
    if label.kind != contents.kind:
        return f"it is of the kind {label.kind:.40}, the file of the kind {contents.kind}"
    if label.label_sha256 != label_digest(contents.label):
        return "its JSON is not what was written: label_sha256 differs"
    if contents.text is not None and label.text.split() != contents.text.split():
        return "its text is not that of its JSON"
    return ""


def _grid(contents: Contents, file: str) -> Check:
    wrong = contents.wrong_grid()
    if not wrong and contents.off_grid:
        count, first = len(contents.off_grid), contents.off_grid[0]
        wrong = f"{count:,} numbers are no {contents.grid_text}, such as {first:.40}"
    message = wrong or f"{contents.on_grid} {contents.grid_text.replace('multiples', 'multiple')}"
    return Check(file=file, name="grid", holds=not wrong, message=message)


def _digest(contents: Contents, file: str) -> Check:
    declared = contents.label.get("sha256") if isinstance(contents.label, dict) else None
    digest = contents.digest()
    holds = declared == digest and not contents.off_grid
    stated = f"the {contents.numbers} have sha256 {digest}, the label states {declared!s:.64}"
    message = f"sha256 {digest}" if holds else stated
    return Check(file=file, name="digest", holds=holds, message=message)


# Bundles -----------------------------------------------------------------------------------------


def _bundle(data: bytes, file: str) -> Iterator[Check]:
    try:
        members = dict(_members(data))
    except (Unreadable, zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError) as error:
        message = error.message if isinstance(error, Unreadable) else f"The bundle is damaged: {error}."
        yield _unreadable(file, message)
        return
    yield _sums(members, file)
    exported = [check for name, data in members.items() if _is_export(name, data) for check in _member(members, name)]
    yield from exported or [_unreadable(file, "The bundle holds no released file.")]


def _is_export(name: str, data: bytes) -> bool:
    """Whether a member is named like an export; the label and the configuration are JSON too."""
    extensions = tuple(f".{fmt.extension}" for fmt in all_formats())
    return name.endswith(extensions) and (not name.endswith(".json") or _format_of(data) is not None)


def _member(members: dict[str, bytes], name: str) -> Iterator[Check]:
    try:
        contents, format = _read(members[name])
    except PartOfRelease:  # the whole is beside it
        return
    except Unreadable as error:
        yield _unreadable(name, error.message)
    else:
        yield from _whole(contents, format, name)
        yield _same_label(members, name, contents.label)


def _members(data: bytes) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        infos = archive.infolist()
        if sum(info.file_size for info in infos) > LARGEST:
            raise Unreadable(f"The bundle unpacks to more than {LARGEST:,} bytes.")
        if len({info.filename for info in infos}) < len(infos):
            raise Unreadable("The bundle holds two files of one name.")
        for info in infos:
            yield info.filename, archive.read(info)


def _sums(members: dict[str, bytes], file: str) -> Check:
    declared = {}
    for line in members.get(SUMS, b"").decode("utf-8", "replace").splitlines():
        digest, _, name = line.partition("  ")
        declared[name] = digest
    sums = {name: hashlib.sha256(data).hexdigest() for name, data in members.items() if name != SUMS}
    wrong = sorted(name for name in declared | sums if declared.get(name) != sums.get(name))
    message = f"{len(sums)} files" if not wrong else f"{wrong[0]:.80} is not what {SUMS} lists"
    return Check(file=file, name="checksums", holds=not wrong and bool(sums), message=message)


def _same_label(members: dict[str, bytes], name: str, inside: Any) -> Check:
    """The label inside a file is that of its folder."""
    beside = f"{name.rpartition('/')[0]}/label.json"
    try:
        holds = beside in members and json.loads(members[beside]) == inside
    except (ValueError, RecursionError):
        holds = False
    message = f"that of {beside:.80}" if holds else f"it is not that of {beside:.80}"
    return Check(file=name, name="same label", holds=holds, message=message)
