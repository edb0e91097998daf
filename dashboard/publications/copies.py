"""The copy that a publication keeps: what the release published without names of people and series, and its label."""

import json
from pathlib import Path
from typing import Any, BinaryIO

from dashboard.core.computing import computed
from dashboard.publications import limits
from dashboard.publications.common.public import publics
from dashboard.publications.models import Publication
from dashboard.releases import downloads
from dashboard.releases.common.release_data import read_release
from dashboard.releases.models import Release
from dashboard.storage import data_files
from dashboard.storage.stored_path import decoding
from privacy_engine.datatypes import datatypes
from privacy_engine.exports.base import format_named
from privacy_engine.releases.label import label_digest


def public_data(row: Release) -> Any:
    """What a finished release published, series and people named by numbers."""
    return publics[row.kind].without_names(read_release(row))


def write(publication: Publication, data: Any, label: dict[str, Any]) -> None:
    """Store the copy."""
    data_files.write_release(publication.kind, publication.data_path, data)
    with publication.label_path.written() as out:
        out.write(json.dumps(label, ensure_ascii=False, allow_nan=False).encode())


def label_of(row: Release, data: Any) -> dict[str, Any]:
    """The label of a release whose published data are ``data``: its digest is that of the copy."""
    return downloads.label(row, sha256=datatypes[row.kind].digest(data))


@computed
def matches_label(name: str, path: Path) -> bool | None:
    """Whether a stored copy has the digest of its label; None for its other files."""
    pk, file = name.split("/")[1:]
    publication = Publication.objects.filter(pk=pk).first()
    if publication is None or file not in (publication.data_path.name, publication.label_path.name):
        return None
    if file == publication.label_path.name:
        label = json.loads(path.read_bytes())
        return bool(label["label_sha256"] == label_digest(label)) if "label_sha256" in label else None
    data = data_files.read_release(publication.kind, path)
    return bool(datatypes[publication.kind].digest(data) == read_label(publication)["sha256"])


def read_data(publication: Publication) -> Any:
    """What the copy holds."""
    return data_files.cached_release(publication.kind, publication.data_path)


def read_label(publication: Publication) -> dict[str, Any]:
    """The label of the copy."""
    content = publication.label_path.read_bytes()
    with decoding(publication.label_path):
        label: dict[str, Any] = json.loads(content)
    return label


def export(publication: Publication, fmt: str) -> tuple[BinaryIO, str, str]:
    """The copy as an open file, its media type, and what to call it; rendered once and kept beside the copy.

    Raises
    ------
    ParameterError
        There is no such format.
    Busy
        Another file takes long to render.
    FileNotFoundError
        The link was revoked meanwhile.
    """
    form = format_named(publication.kind, fmt)
    file = publication.export_path(fmt).sound()
    if file is None:
        with limits.one_rendering():
            file = _rendered(publication, fmt)
            if not Publication.objects.filter(pk=publication.pk).exists():  # and its files may be gone already
                file.close()
                remove(publication)
                raise FileNotFoundError("the link was revoked")
    return file, form.media_type, publication.file_name(fmt)


@computed
def _rendered(publication: Publication, fmt: str) -> BinaryIO:
    def make(out: BinaryIO) -> None:
        datatypes[publication.kind].write(read_data(publication), fmt, out, label=read_label(publication))

    return publication.export_path(fmt).kept(make)


def remove(publication: Publication) -> None:
    """Delete the files of the copy."""
    publication.folder.remove_folder()
