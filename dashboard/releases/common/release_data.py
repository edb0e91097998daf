"""What a finished release published, and the upload that it is of."""

from typing import Any

from dashboard.releases.models import Release
from dashboard.storage import data_files


def read_release(row: Release) -> Any:
    """Return what a finished release published."""
    return data_files.read_release(row.kind, row.data_path)


def original_of(row: Release) -> Any:
    """Return the upload of a release: for its owner."""
    return data_files.cached_data(row.kind, row.dataset.points_path)
