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
from privacy_engine.releases.label import Label, label_digest
from privacy_engine.verify.contents import Contents, Unreadable
from privacy_engine.verify.files import ZIP, kind_and_format

SUMS = "SHA256SUMS"
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
    """Check an export: CSV, GeoJSON, GPX, JSON, Parquet or a bundle (ZIP), by its first bytes.

    Nothing raises: a file that cannot be read fails its check. ``file`` is what to call it.
    """
    checks = list(_bundle(data, file) if data.startswith(ZIP) else _single(data, file))
    return Verification(holds=all(check.holds for check in checks), checks=checks)


def _single(data: bytes, file: str) -> Iterator[Check]:
    kind, format = kind_and_format(data)
    try:
        contents = kind.readers[format](data)
    except Unreadable as error:
        yield Check(file=file, name="readable", holds=False, message=error.message)
        return
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
    if " ".join(label.text.split()) != " ".join(contents.text.split()):
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
        yield Check(file=file, name="readable", holds=False, message=message)
        return
    yield _sums(members, file)
    exported = [name for name, data in members.items() if _is_export(name, data)]
    if not exported:
        yield Check(file=file, name="readable", holds=False, message="The bundle holds no released file.")
    for name in exported:
        yield from _single(members[name], name)
        yield _same_label(members, name)


def _is_export(name: str, data: bytes) -> bool:
    kind, _ = kind_and_format(data)
    return name.rpartition(".")[2] in kind.endings and not kind.is_part(data)


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


def _same_label(members: dict[str, bytes], name: str) -> Check:
    """The label inside a file is that of its folder."""
    beside = f"{name.rpartition('/')[0]}/label.json"
    try:
        kind, format = kind_and_format(members[name])
        inside: Any = kind.readers[format](members[name]).label
        holds = beside in members and json.loads(members[beside]) == inside
    except (Unreadable, ValueError, RecursionError, KeyError):
        holds = False
    message = f"that of {beside:.80}" if holds else f"it is not that of {beside:.80}"
    return Check(file=name, name="same label", holds=holds, message=message)
