"""Libraries that take a second to import, imported when a test uses them: collecting the tests uses none."""

import importlib


class _Later:
    def __init__(self, name):
        self._name = name

    def __getattr__(self, attribute):
        if attribute.startswith("_"):  # pytest looks for these in every object that it collects
            raise AttributeError(attribute)
        return getattr(importlib.import_module(self._name), attribute)


fitdecode = _Later("fitdecode")
geopandas = _Later("geopandas")
integrate = _Later("scipy.integrate")
matplotlib = _Later("matplotlib")
movingpandas = _Later("movingpandas")
nbformat = _Later("nbformat")
openpyxl = _Later("openpyxl")
optimize = _Later("scipy.optimize")
pandas = _Later("pandas")
pyogrio = _Later("pyogrio")
pyplot = _Later("matplotlib.pyplot")
stats = _Later("scipy.stats")
