"""What a live stream published so far, as files with its label."""

from typing import Any, BinaryIO

from dashboard.core.filenames import file_name, parameter_parts
from dashboard.storage import local_files
from dashboard.streams.models import LiveStream
from dashboard.streams.selectors import digest_so_far, release_so_far
from privacy_engine.datatypes import datatypes
from privacy_engine.exports.base import format_named
from privacy_engine.mechanisms.base.mechanism import NO_CONTEXT
from privacy_engine.releases.label import privacy_label

FORMATS = datatypes["stream"].exports


def label(row: LiveStream, sha256: str) -> dict[str, Any]:
    """The privacy label of what was published so far, of which ``sha256`` is the digest."""
    return privacy_label(
        row.parsed_spec, NO_CONTEXT, private=True, release_id=str(row.pk), sha256=sha256, cairn=row.engine_version
    )


def export(row: LiveStream, fmt: str) -> tuple[BinaryIO, str, str]:
    """An open file without a name on the disk, its media type, and what to call it.

    Raises
    ------
    ParameterError
        There is no such format.
    """
    form, release = format_named("stream", fmt), release_so_far(row)
    labelled = label(row, digest_so_far(release))
    out = local_files.unnamed(lambda out: datatypes["stream"].write(release, fmt, out, label=labelled))
    parts = row.name, row.mechanism, *parameter_parts(row.parsed_spec.mechanism), f"{row.published} timestamps"
    return out, form.media_type, file_name(*parts, extension=form.extension)
