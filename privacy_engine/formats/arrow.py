"""PyArrow, imported in one place: it ships no types, so the engine's type check stops here.

Its modules beside the core are imported at their first use: a process that reads none of the formats that need them
(as a web process) does without 8 MB of compute functions.
"""

from importlib import import_module
from types import ModuleType
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped, unused-ignore]


class _OnDemand(ModuleType):
    """A module that is imported when something of it is used."""

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(self.__name__), name)


pc: Any = _OnDemand("pyarrow.compute")
pacsv: Any = _OnDemand("pyarrow.csv")
pq: Any = _OnDemand("pyarrow.parquet")


__all__ = ["pa", "pacsv", "pc", "pq"]
