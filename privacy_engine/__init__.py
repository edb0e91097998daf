"""Cairn's engine: data, mechanisms, accounting and formats. No Django, no network, no settings.

The names of :mod:`privacy_engine.fluent` are here too, for notebooks; they are imported when they are first used.
"""

from importlib import import_module
from typing import Any

from privacy_engine.errors import ChoiceNeeded, DataError, EngineError, FormatError, ParameterError, ParameterErrors

__version__ = "1.0"
_FLUENT = ("catalogue", "experiment", "read", "sample")
__all__ = [
    "ChoiceNeeded",
    "DataError",
    "EngineError",
    "FormatError",
    "ParameterError",
    "ParameterErrors",
    "__version__",
    *_FLUENT,
]


def __getattr__(name: str) -> Any:
    if name not in _FLUENT:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # by its name: modules below import __version__ from here, and may not depend on what is above them
    return getattr(import_module("privacy_engine.fluent"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_FLUENT})
