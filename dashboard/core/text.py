"""Texts of users and files, made fit to show on a line or to store."""

import unicodedata
from collections.abc import Callable
from typing import Any

from privacy_engine.errors import ParameterError

_HIDDEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
_JOINERS = "\u200c\u200d"  # Persian and emoji need them, and they turn no text around


def one_line(text: str, limit: int = 200) -> str:
    """``text`` without control, direction and unassigned characters, at most ``limit`` characters.

    >>> one_line("photo\\u202egpj.csv\\n")
    'photogpj.csv'
    """
    if text.isascii() and text.isprintable():
        return text[:limit].strip()
    shown = "".join(
        " " if char in "\t\r\n" else char
        for char in text
        if char in "\t\r\n" or char in _JOINERS or unicodedata.category(char) not in _HIDDEN
    )
    return shown[:limit].strip()


def required_name(name: str) -> str:
    """``name`` on a single line.

    Raises
    ------
    ParameterError
        Nothing is left of it.
    """
    if not (line := one_line(name)):
        raise ParameterError("name must not be empty", field="name", rule="not empty", value=name)
    return line


def rename(row: Any, name: str) -> None:
    """Call a row something else; errors of :func:`required_name`."""
    row.name = required_name(name)
    row.save(update_fields=["name"])


def plain(text: str) -> str:
    """``text`` as every database and encoder takes it: no NUL, no half of a surrogate pair."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode()


def storable(value: Any, text: Callable[[str], str] = plain) -> Any:
    """JSON-ready ``value`` with ``text`` of each of its texts.

    >>> storable({"name": ["a\\0b", 1]})
    {'name': ['a\ufffdb', 1]}
    """
    if isinstance(value, str):
        return text(value)
    if isinstance(value, dict):
        return {text(key): storable(inner, text) for key, inner in value.items()}
    return [storable(inner, text) for inner in value] if isinstance(value, list | tuple) else value
