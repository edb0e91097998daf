"""Actions of the API on datasets of a kind of data."""

from dashboard.core.by_kind import ByKind
from dashboard.datasets.models import Dataset
from dashboard.jobs.viewsets import JobViewSet

actions: ByKind[type[JobViewSet[Dataset]]] = ByKind("dashboard.datasets", "api")
