"""What the form of an experiment shows by the kind of data."""

from typing import Any, ClassVar

from django.http import Http404

from dashboard.core.by_kind import ByKind
from dashboard.datasets.models import Dataset
from privacy_engine.datatypes import datatypes
from privacy_engine.experiments import cells


class Pages:
    """As it stands the form of a kind whose mechanisms have parameters in common."""

    templates: ClassVar[str] = "experiments/common"
    """The folder of ``_about.html``, what such experiments measure, and ``_form.html``, what they sweep."""

    def choices(self, kind: str) -> dict[str, Any]:
        """What the form's script offers beside the datasets."""
        return {"items": datatypes[kind].items, "cell": cells[kind].own_fields()}

    def choice(self, dataset: Dataset) -> dict[str, Any]:
        """What the script is given of a dataset beside its name and size."""
        return {"box": (dataset.summary or {}).get("bounds")}

    def attacks_on(self, release: Any) -> dict[str, Any]:
        """An experiment that attacks such a release, as the form begins with it; 404 where there is none."""
        raise Http404


pages: ByKind[Pages] = ByKind("dashboard.experiments", "pages")
