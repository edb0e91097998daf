"""Large packages, imported when something of them is used: a process that needs none does without 60 MB."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any


class OnDemand(ModuleType):
    """A module that is imported when something of it is used."""

    def __getattr__(self, name: str) -> Any:
        value = getattr(import_module(self.__name__), name)
        if not name.startswith("__"):
            setattr(self, name, value)
        return value


if TYPE_CHECKING:
    import scipy as scipy
else:
    scipy = OnDemand("scipy")
