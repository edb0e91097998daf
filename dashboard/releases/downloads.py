"""A stored release on its way out: its privacy label, and files that carry it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, BinaryIO

from dashboard import storage
from dashboard.landmarks.promise import promise_context
from dashboard.releases.models import Release
from privacy_engine import exports
from privacy_engine.cleaning import parse_cleaning
from privacy_engine.label import Source, privacy_label
from privacy_engine.promise import ONE_SERIES, Context


def label(row: Release) -> dict[str, Any]:
    """The privacy label: one for the API, the pages and the downloads; ``guarantee`` is None for a seeded release."""
    return privacy_label(
        row.parsed_spec,
        context_of(row),
        private=not row.seeded,
        release_id=str(row.pk),
        sha256=row.data_sha256,
        derived_from=Source(**row.source) if row.source else None,
        cairn=row.cairn,
        cleaning=parse_cleaning(row.dataset.cleaning),
    )


def context_of(row: Release) -> Context:
    """What the promise of a release depends on; one drawn before people were known is about each of its series."""
    summary = row.summary or {}
    found = promise_context(row.landmark_set, landmarks=summary.get("landmarks_per_person"))
    if summary and "landmarks_per_person" not in summary:
        return replace(found, unit=ONE_SERIES, landmarks=row.landmark_set.count)
    return replace(found, whole_trace=summary.get("whole_trace"))


def export(row: Release, fmt: str) -> tuple[BinaryIO, str, str]:
    """The release as an open file without a name on the disk, its media type, and what to call it.

    Raises
    ------
    ParameterError
        There is no such format.
    """
    out = storage.unnamed(lambda out: exports.write(storage.read_points(row.data_path), fmt, out, label=label(row)))
    kind = exports.FORMATS[fmt]
    return out, kind.media_type, f"{row.mechanism}-{row.pk.hex[:8]}.{kind.extension.lstrip('.')}"
