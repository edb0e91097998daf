"""Cairn's engine: data, mechanisms, accounting and formats. No Django, no network, no settings."""

from privacy_engine.errors import ChoiceNeeded, DataError, EngineError, FormatError, ParameterError, ParameterErrors

__version__ = "0.1.0"
__all__ = [
    "ChoiceNeeded",
    "DataError",
    "EngineError",
    "FormatError",
    "ParameterError",
    "ParameterErrors",
    "__version__",
]
