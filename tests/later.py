"""Libraries that take a second to import, imported when a test uses them: collecting the tests uses none."""

import importlib
from typing import Any


class _Later:
    def __init__(self, name):
        self._name = name

    def __getattr__(self, attribute):
        if attribute.startswith("_"):  # pytest looks for these in every object that it collects
            raise AttributeError(attribute)
        return getattr(importlib.import_module(self._name), attribute)


fitdecode: Any = _Later("fitdecode")
geopandas: Any = _Later("geopandas")
integrate: Any = _Later("scipy.integrate")
matplotlib: Any = _Later("matplotlib")
movingpandas: Any = _Later("movingpandas")
nbformat: Any = _Later("nbformat")
openpyxl: Any = _Later("openpyxl")
optimize: Any = _Later("scipy.optimize")
pandas: Any = _Later("pandas")
pyogrio: Any = _Later("pyogrio")
pyplot: Any = _Later("matplotlib.pyplot")
stats: Any = _Later("scipy.stats")
