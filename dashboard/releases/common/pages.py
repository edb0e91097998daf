"""What pages of releases have of the kind of data; the templates are in the folder of the kind."""

from abc import ABC, abstractmethod
from typing import Any

from django.http import HttpRequest

from dashboard.core.by_kind import ByKind
from dashboard.datasets.models import Dataset


class Pages(ABC):
    """Contexts of the pages of a dataset that is ready."""

    @abstractmethod
    def form(self, request: HttpRequest, dataset: Dataset) -> dict[str, Any]:
        """Return the context of ``new.html``, the form that requests releases."""

    @abstractmethod
    def comparison(self, request: HttpRequest, dataset: Dataset) -> dict[str, Any]:
        """Return the context of ``compare.html``, the original beside its releases."""


pages: ByKind[Pages] = ByKind("dashboard.releases", "pages")
