"""Actions of the API on datasets of a kind of data."""

from collections.abc import Callable
from typing import Any

from dashboard.core.by_kind import ByKind
from dashboard.datasets.models import Dataset
from dashboard.datasets.selectors import require_ready_of
from dashboard.jobs.viewsets import JobViewSet

actions: ByKind[type[JobViewSet[Dataset]]] = ByKind("dashboard.datasets", "api")


def ready_of(kind: str) -> Callable[[Any], Dataset]:
    """Return what operations on ready datasets of a kind are called with: the dataset that a view's request names."""

    def ready(view: Any) -> Dataset:
        dataset: Dataset = view.get_object()
        require_ready_of(dataset, kind)
        return dataset

    return ready
