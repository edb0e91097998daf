"""Packages of the extras, which may be missing."""

import importlib
from typing import Any

from privacy_engine.errors import EngineError


class MissingPackage(EngineError, ImportError):
    """Something needs a package that is not installed."""

    code = "missing-package"


def required(package: str, what: str, *, extra: str = "notebook") -> Any:
    """The module of an optional package; MissingPackage names it, what needs it and how to install it."""
    try:
        return importlib.import_module(package)
    except ImportError as error:
        name = package.partition(".")[0]
        rule = f"installed: pip install {name}, or the extra {extra} of cairn-privacy"
        raise MissingPackage(f"{name} must be {rule}; {what} needs it", field=name, rule=rule) from error
