"""Every notebook of ``examples/`` runs from top to bottom, and draws the figures that it describes."""

import base64
import os
from pathlib import Path

import pytest

from tests.later import nbformat
from tests.patience import patience

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"))
FIGURES = {"landmark-error": 2}
LEAST_BYTES = 10_000  # of a figure with lines; one of empty axes has 5,000


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_runs_from_top_to_bottom(notebook, monkeypatch, tmp_path):
    from nbclient import NotebookClient

    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    found = nbformat.read(notebook, as_version=4)
    NotebookClient(found, timeout=patience(300), resources={"metadata": {"path": str(tmp_path)}}).execute()
    outputs = [one for cell in found.cells for one in cell.get("outputs", [])]
    images = [base64.b64decode(one["data"]["image/png"]) for one in outputs if "image/png" in one.get("data", {})]
    assert [one["output_type"] for one in outputs if one["output_type"] in ("error", "stream")] == []
    assert len(images) == FIGURES[notebook.stem]
    assert min(map(len, images)) > LEAST_BYTES
    assert sum("<svg" in one["data"].get("text/html", "") for one in outputs if "data" in one) >= 3
    if folder := os.environ.get("NOTEBOOK_IMAGES"):
        for number, image in enumerate(images):
            Path(folder, f"{notebook.stem}-{number}.png").write_bytes(image)


def test_notebooks_are_stored_without_outputs():
    assert NOTEBOOKS
    for path in NOTEBOOKS:
        found = nbformat.read(path, as_version=4)
        nbformat.validate(found)
        assert [cell for cell in found.cells if cell.get("outputs") or cell.get("execution_count")] == []
