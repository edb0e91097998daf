"""What may be made of data of a kind: releases, counts of its events, check-ins of its stays."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from dashboard.core.by_kind import ByKind
from dashboard.datasets.models import Dataset


class Rules(ABC):
    """Of datasets that are ready. Where a person has one series alone ``users`` is True: series are not counted."""

    users: ClassVar[bool] = False

    def unreleasable(self, dataset: Dataset) -> tuple[str, str, str] | None:
        """What of the data every mechanism would refuse, what it must be, and why it is not; None where all is well."""
        return None

    @abstractmethod
    def uncountable(self, dataset: Dataset) -> str:
        """What they lack to be counted on a grid; empty where they lack nothing."""

    def has_stays(self, dataset: Dataset) -> bool:
        """Whether stays can be detected in them."""
        return False


rules: ByKind[Rules] = ByKind("dashboard.datasets", "rules")
