"""Notebooks of releases: valid, about what is published alone, and run from top to bottom beside the CSV export."""

import base64
import re
from pathlib import Path

import nbformat
import pytest

from dashboard.releases import kinds
from privacy_engine import formats
from privacy_engine.exports.notebook import notebook
from tests.dashboard.api_helpers import release_url
from tests.dashboard.test_releases_kind_report import SECRET, released
from tests.patience import patience

LEAST_BYTES = 10_000  # of a figure with points; one of empty axes has 5,000

every_kind = pytest.mark.parametrize("kind", ["trajectory", "stream", "checkins"])


@pytest.fixture
def release(request, owner_api, kind):
    return request.getfixturevalue("done") if kind == "trajectory" else released(owner_api, kind)


def saved(api, address, folder, **query):
    """The download, under the name it has as an attachment."""
    answer = api.get(address, query)
    assert answer.status_code == 200, answer.content
    (name,) = re.findall(r'filename="(.*)"', answer.headers["Content-Disposition"])
    path = folder / name
    path.write_bytes(answer.getvalue())
    return path


def size_of(row, table):
    """What the first cell counts: positions, counts or cells."""
    if row.kind == "trajectory":
        return sum(len(one) for one in formats.read(table).series)
    published = kinds.read_release(row)
    return int(published.counts.size) if row.kind == "stream" else len(published.grid)


@pytest.mark.slow
@every_kind
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_runs_beside_the_export(owner_api, release, tmp_path, monkeypatch):
    from nbclient import NotebookClient

    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).resolve().parents[2]))
    monkeypatch.setenv("PYTHONWARNINGS", "ignore::UserWarning:movingpandas")  # of packages it would also use
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    table = saved(owner_api, release_url(release, "data"), tmp_path, format="csv")
    path = saved(owner_api, release_url(release, "notebook"), tmp_path)
    found = nbformat.read(path, as_version=4)
    NotebookClient(found, timeout=patience(120), resources={"metadata": {"path": str(tmp_path)}}).execute()
    outputs = [one for cell in found.cells for one in cell.get("outputs", [])]
    assert [one for one in outputs if one["output_type"] == "error" or one.get("name") == "stderr"] == []
    images = [base64.b64decode(one["data"]["image/png"]) for one in outputs if "image/png" in one.get("data", {})]
    assert len(images) == (2 if release.kind == "trajectory" else 1)
    assert len(images[0]) > LEAST_BYTES
    text = "".join(one["text"] for one in outputs if one["output_type"] == "stream")
    assert str(size_of(release, table)) in re.findall(r"\d+", text.splitlines()[0])
    assert "ε" in text
    assert "EPSG:4326" in text or "WGS 84" in text or release.kind == "stream"


@every_kind
def test_is_valid_about_the_csv_export_and_has_nothing_of_the_original(owner_api, release, tmp_path):
    table = saved(owner_api, release_url(release, "data"), tmp_path, format="csv")
    path = saved(owner_api, release_url(release, "notebook"), tmp_path)
    assert (path.stem, path.suffix) == (table.stem, ".ipynb")
    found = nbformat.read(path, as_version=4)
    nbformat.validate(found)
    assert (found.nbformat, found.nbformat_minor) == (4, 5)
    assert len({cell.id for cell in found.cells}) == len(found.cells)
    assert f'FILE = "{table.name}"' in found.cells[1].source
    text = path.read_text().replace(r"\\_", "_").replace(path.stem, "")  # its name begins with that of the dataset
    assert SECRET not in text
    assert str(release.dataset_id) not in text
    for value in (release.owner_view or {}).values():
        assert len(repr(value)) < 8 or repr(value) not in text  # a short number may be a parameter's


def test_text_of_a_title_stays_text():
    title = 'A "title" with $dollar, *stars* and <b>tags</b>\nε 1'
    found = nbformat.reads(notebook("stream", title=title, file_name='a"b$c.csv', label={"text": "x"}), as_version=4)
    nbformat.validate(found)
    assert found.cells[0].source.startswith(r'# A "title" with \$dollar, \*stars\* and \<b\>tags\</b\> ε 1')
    opened = {}
    exec(re.findall(r"^FILE = .*$", found.cells[1].source, re.MULTILINE)[0], opened)
    assert opened["FILE"] == 'a"b$c.csv'
