"""Stored count streams and check-ins as charts and maps read them; the last ones read are cached."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from dashboard.storage import parquet
from privacy_engine.datatypes import datatypes


@lru_cache(maxsize=8)
def read_data(kind: str, path: Path) -> Any:
    """Return the data of a kind that are stored at ``path``; files of data never change."""
    return datatypes[kind].from_table(parquet.read_table(path))
