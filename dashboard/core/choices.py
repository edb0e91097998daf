"""Django's TextChoices, typed: Django ships no types, and its members would be pairs to a type checker."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from enum import StrEnum

    class TextChoices(StrEnum):
        """A value that is text, with a label."""

        choices: list[tuple[str, str]]
        values: list[str]
        labels: list[str]
        label: str
        value: str

        def __new__(cls, value: str, label: str) -> TextChoices: ...
else:
    from django.db.models import TextChoices

__all__ = ["TextChoices"]
