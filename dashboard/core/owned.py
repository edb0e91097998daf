"""Rows that belong to a user: who may see them and who may change them, where no project extends it."""

from typing import Any, Self

from django.db import models


class OwnedQuerySet(models.QuerySet[Any]):
    """Rows with an ``owner``, who alone sees and changes them."""

    def visible_to(self, user: Any) -> Self:
        """Return those that ``user`` may read."""
        return self.filter(owner=user)

    def changeable_by(self, user: Any) -> Self:
        """Return those that ``user`` may change."""
        return self.filter(owner=user)
