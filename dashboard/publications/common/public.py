"""What depends on the kind of data of a publication; ``page.html`` in its folder extends ``page_base.html``."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from django.http import HttpRequest, HttpResponse

from dashboard.core.by_kind import ByKind
from dashboard.publications.models import Publication
from dashboard.releases.models import Release
from privacy_engine.accounting.promise import READING


class Public(ABC):
    """The copy that is published, and its page."""

    listed: ClassVar[tuple[str, ...]] = ()
    """Caveats of labels that the list of what is published as it was has already."""

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

    def not_hidden(self, label: dict[str, Any], facts: dict[str, Any]) -> list[str]:
        """Return what the promise does not cover of this release, in sentences, each fact once."""
        clear = f"What is published as it was: {', '.join(label['clear_fields'])}."
        uncovered = (one.partition(" (")[0] if one.startswith(READING) else one for one in label["not_covered"])
        caveats = (one for one in label["guarantee"]["caveats"] if one not in self.listed)
        return list(dict.fromkeys([clear, *(f"{one[:1].upper()}{one[1:]}." for one in uncovered), *caveats]))

    def track(self, publication: Publication) -> HttpResponse | None:
        """Return published positions for the map, thinned out evenly; None of a kind without tracks."""
        return None


publics: ByKind[Public] = ByKind("dashboard.publications", "public")
