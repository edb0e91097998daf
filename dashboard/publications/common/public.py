"""What depends on the kind of data of a publication; ``page.html`` in its folder extends ``page_base.html``."""

from abc import ABC, abstractmethod
from typing import Any

from django.http import HttpRequest, HttpResponse

from dashboard.core.by_kind import ByKind
from dashboard.publications.models import Publication
from dashboard.releases.models import Release


class Public(ABC):
    """The copy that is published, and its page."""

    def without_names(self, data: Any) -> Any:
        """Return what a release published, people and series named by numbers."""
        return data

    @abstractmethod
    def facts(self, row: Release, data: Any) -> dict[str, Any]:
        """Return what the page shows beside the label, JSON-ready, of a release that publishes ``data``.

        It follows from these and from the release's description.
        """

    @abstractmethod
    def context(self, request: HttpRequest, publication: Publication) -> dict[str, Any]:
        """Return what the page shows of the copy, and with ``drawn`` what its script draws."""

    def track(self, publication: Publication) -> HttpResponse | None:
        """Return published positions for the map, thinned out evenly; None of a kind without tracks."""
        return None


publics: ByKind[Public] = ByKind("dashboard.publications", "public")
