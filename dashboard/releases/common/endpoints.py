"""What releases of a kind of data have addresses for in the API, in the order of their actions, with a help text."""

from collections.abc import Mapping

from dashboard.core.by_kind import ByKind

endpoints: ByKind[Mapping[str, str]] = ByKind("dashboard.releases", "endpoints")
