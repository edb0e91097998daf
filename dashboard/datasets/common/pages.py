"""What a dataset's page shows by its kind of data, in ``templates/datasets/<kind>/``."""

from collections.abc import Mapping
from typing import Any, ClassVar

from dashboard.core.by_kind import ByKind
from dashboard.datasets.models import Dataset


class Page:
    """Of a dataset that is ready.

    ``compares_selected`` is True where releases are selected in the table of its releases for a comparison;
    ``actions`` is the template of further links of a release.
    """

    compares_selected: ClassVar[bool] = False
    actions: ClassVar[str] = ""

    def context(self, dataset: Dataset) -> dict[str, Any]:
        """What its template ``detail.html`` needs beside what all kinds show."""
        return {}

    def facts(self, dataset: Dataset) -> list[dict[str, str]]:
        """The facts of the data, each with a ``label`` and a ``text``."""
        listed = self.listed(dataset.summary or {})
        return [{"label": label, "text": str(text)} for label, text in listed if text is not None]

    def listed(self, known: Mapping[str, Any]) -> list[tuple[str, Any]]:
        """Each fact's label and its text, None where it is left out, by the summary of a dataset."""
        return []


pages: ByKind[Page] = ByKind("dashboard.datasets", "pages")
