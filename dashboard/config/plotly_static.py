"""plotly.js out of the plotly wheel, as a static file at ``plotly/plotly.min.js``."""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from django.contrib.staticfiles.finders import BaseFinder
from django.core.files.storage import FileSystemStorage

NAME = "plotly/plotly.min.js"


def _package_data() -> Path:
    spec = find_spec("plotly")  # found, not imported: the Python side of plotly is never used
    if spec is None or spec.origin is None:
        raise FileNotFoundError("the plotly package is not installed")
    return Path(spec.origin).parent / "package_data"


class PlotlyFinder(BaseFinder):
    """Finds exactly one file."""

    def find(self, path: str, find_all: bool = False, **_: Any) -> Any:
        found = [str(_package_data() / "plotly.min.js")] if path == NAME else []
        return found if find_all else (found[0] if found else [])

    def list(self, ignore_patterns: Any) -> Any:
        storage = FileSystemStorage(location=str(_package_data()))
        storage.prefix = "plotly"
        yield "plotly.min.js", storage
