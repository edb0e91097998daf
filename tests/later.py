"""Libraries that take a second to import, imported when a test uses them: collecting the tests uses none."""

import importlib
from typing import Any


class _Later:
    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        return getattr(importlib.import_module(self._name), attribute)


geopandas: Any = _Later("geopandas")
matplotlib: Any = _Later("matplotlib")
movingpandas: Any = _Later("movingpandas")
pandas: Any = _Later("pandas")
pyogrio: Any = _Later("pyogrio")
pyplot: Any = _Later("matplotlib.pyplot")
stats: Any = _Later("scipy.stats")
