"""Bundles and notebooks: their content, equal bytes for equal releases, and no private data of the owner."""

import base64
import gzip
import io
import json
import re
import uuid
import zipfile
from io import BytesIO
from pathlib import Path

import nbformat
import numpy as np
import pytest

from dashboard.releases import bundle, downloads, execution
from dashboard.releases.common.release_data import read_release
from dashboard.releases.models import Release
from dashboard.storage.data_files import read_data
from privacy_engine import __version__, formats
from privacy_engine.data import Trajectory
from privacy_engine.exports import FORMATS as EVERY
from privacy_engine.exports.notebook import notebook
from privacy_engine.releases import label, spec
from tests.dashboard.api_helpers import RELEASES, first_error, refused, release_url
from tests.dashboard.release_runs import drawn, executed, secretive_release
from tests.dashboard.test_releases_report import SECRET, released
from tests.patience import patience

pytestmark = pytest.mark.django_db


FORMATS = [name for name, one in EVERY.items() if one.bundled]
BUNDLE = f"{RELEASES}bundle/"


def opened(answer):
    assert answer.status_code == 200, answer.content
    return zipfile.ZipFile(io.BytesIO(answer.getvalue()))


@pytest.fixture
def run(submit):
    return lambda *given, **more: executed(submit(*given, **more))


class TestContents:
    def test_data_label_configuration_and_checksums_in_one_folder(self, owner_api, done):
        answer = owner_api.get(release_url(done, "bundle"))
        stem = f"landmark-skip_eps1_D200m_gap_{done.pk.hex[:8]}"
        name = f"{done.dataset.name}_landmark-skip_eps1_D200m_gap.zip".replace(" ", "-")
        assert answer.headers["Content-Disposition"] == f'attachment; filename="{name}"'
        assert answer.headers["Content-Type"] == "application/zip"
        archive = opened(answer)
        inside = ["configuration.json", "label.json", "label.txt", *(f"{stem}.{fmt}" for fmt in FORMATS)]
        assert archive.namelist() == ["README.txt", *(f"{stem}/{name}" for name in sorted(inside)), "SHA256SUMS"]
        assert archive.read(f"{stem}/label.txt").decode() == f"{downloads.label(done)['text']}\n"
        assert json.loads(archive.read(f"{stem}/label.json")) == downloads.label(done)
        assert downloads.label(done)["guarantee"]["statement"] in archive.read("README.txt").decode()
        archive = opened(owner_api.get(release_url(done, "bundle")))
        for fmt in FORMATS:
            (name,) = (one for one in archive.namelist() if one.endswith(f".{fmt}"))
            assert archive.read(name) == owner_api.get(release_url(done, "data"), {"format": fmt}).getvalue()
            read = formats.read(io.BytesIO(archive.read(name)), name=name)
            assert sum(map(len, read.series)) == done.summary["published"]
        for info in archive.infolist():
            assert info.date_time == (1980, 1, 1, 0, 0, 0)
            assert (info.create_system, info.external_attr, info.comment) == (3, 0o100644 << 16, b"")
        names = opened(owner_api.get(f"{release_url(done, 'bundle')}?format=gpx&format=csv&format=csv")).namelist()
        assert sorted(name.rsplit(".")[-1] for name in names if done.pk.hex[:8] + "." in name) == ["csv", "gpx"]

    def test_several_releases_each_in_its_folder_whatever_the_order(self, owner_api, done, run, monkeypatch):
        other = run("landmark-uniform")
        query = [str(done.pk), str(other.pk)]
        answer = owner_api.get(BUNDLE, {"release": query, "format": "csv"})
        name = f"{done.dataset.name}_2-releases.zip".replace(" ", "-")
        assert answer.headers["Content-Disposition"] == f'attachment; filename="{name}"'
        archive = opened(answer)
        stems = {done.public_stem, other.public_stem}
        assert {name.split("/")[0] for name in archive.namelist() if "/" in name} == stems
        assert done.public_stem in archive.read("README.txt").decode()
        backwards = owner_api.get(BUNDLE, {"release": query[::-1] + query, "format": "csv"})
        assert backwards.getvalue() == owner_api.get(BUNDLE, {"release": query, "format": "csv"}).getvalue()
        monkeypatch.setattr(bundle, "MOST", 1)
        answer = owner_api.get(BUNDLE, {"release": query})
        assert (answer.status_code, first_error(answer)["rule"]) == (400, "1 to 1 releases")

    def test_seeded_ones_state_it_and_what_is_not_done_or_not_there_is_refused(self, owner_api, run, submit, done):
        archive = opened(owner_api.get(release_url(run(seed=7), "bundle")))
        assert "NOT PRIVATE: seeded simulation (seed 7). Do not publish." in archive.read("README.txt").decode()
        for name in archive.namelist():
            assert b"leak at most" not in archive.read(name)
        waiting = submit()
        for query, status, value in (
            ({"release": [str(done.pk), str(waiting.pk)]}, 409, "queued"),
            ({"release": [str(done.pk), str(uuid.uuid4())]}, 404, None),
            ({"release": "x"}, 404, None),
            ({}, 400, None),
            *(({"release": str(done.pk), "format": fmt}, 400, fmt) for fmt in ("xlsx", "", "CSV", "../csv")),
        ):
            answer = owner_api.get(BUNDLE, query)
            assert (answer.status_code, first_error(answer)["value"]) == (status, value), query
        for fmt in ("xlsx", ""):
            assert refused(owner_api.get(release_url(done, "bundle"), {"format": fmt})) == (400, "format")

        assert first_error(owner_api.get(BUNDLE))["field"] == "release"

    @pytest.mark.slow
    def test_a_long_release_is_sent_in_pieces_and_packed(self, owner, owner_api, make_dataset):
        step = np.linspace(0, 1, 60_000)
        long = make_dataset(owner, Trajectory(2 + step, 48 + step, 1_700_000_000.0 + 30 * np.arange(60_000)))
        pieces = list(owner_api.get(release_url(drawn(owner, long, [5]), "bundle")).streaming_content)
        assert max(map(len, pieces)) < 3 * bundle.CHUNK
        archive = zipfile.ZipFile(io.BytesIO(b"".join(pieces)))
        assert sum(map(len, pieces)) < 0.5 * sum(info.file_size for info in archive.infolist())
        assert archive.testzip() is None


class TestSameBytes:
    def test_twice_the_same_and_not_sent_again(self, owner_api, done):
        first, again = (owner_api.get(release_url(done, "bundle")) for _ in range(2))
        assert first.getvalue() == again.getvalue()
        etag = first.headers["ETag"]
        assert not etag.startswith("W/")
        assert owner_api.get(release_url(done, "bundle"), headers={"If-None-Match": etag}).status_code == 304
        fewer = owner_api.get(release_url(done, "bundle"), {"format": "csv"}, headers={"If-None-Match": etag})
        assert fewer.status_code == 200
        assert fewer.headers["ETag"] != etag

    def test_the_configuration_gives_the_same_description_and_with_a_seed_the_same_bits(self, owner_api, run, body):
        seeded = run("landmark-adaptive", seed=11, steps=[{"name": "ou-smoother"}])
        archive = opened(owner_api.get(release_url(seeded, "bundle")))
        (described,) = json.loads(archive.read(f"{seeded.public_stem}/configuration.json"))["releases"]
        assert spec.ReleaseSpec.parse(described).digest == seeded.spec_digest
        again = owner_api.post(RELEASES, body | described)
        assert again.status_code == 201
        execution.run(again.json()["id"])
        twin = Release.objects.get(pk=again.json()["id"])
        assert twin.pk != seeded.pk
        assert (twin.spec_digest, twin.data_sha256) == (seeded.spec_digest, seeded.data_sha256)


class TestNothingElseLeaves:
    """Every text by the owner contains Zebra; k = 4 of 8 events are landmarks and all 8 are marked."""

    @pytest.fixture
    def row(self, owner, owner_api):
        positions = (f"48.{8123457 + 7 * i},2.{3765431 + 9 * i}" for i in range(8))
        table = "time,lat,lon\n" + "".join(f"2024-06-15T10:3{i}:00Z,{one}\n" for i, one in enumerate(positions))
        made = secretive_release(owner, owner_api, table, SECRET)
        Release.objects.filter(pk=made.pk).update(owner_view={"mae_m": 123456.789})
        return Release.objects.get(pk=made.pk)

    def test_no_file_of_a_bundle_has_a_text_by_the_owner(self, owner_api, row):
        archive = opened(owner_api.get(release_url(row, "bundle")))
        sets = row.landmark_set, row.landmark_set.source
        secrets = [SECRET, "123456.789", "dumm", "Dumm", "coin", str(row.dataset_id)]
        secrets += [str(one.pk) for one in sets] + [one.pk.hex for one in sets]
        series = read_data("trajectory", row.dataset.points_path)[0]
        secrets += [f"{value:.7f}" for value in (*series.lat, *series.lon)]
        reported = "".join(archive.namelist())  # the owner alone receives the name of the ZIP, with the dataset's
        reported += "".join(archive.read(name).decode("utf-8", errors="replace") for name in archive.namelist())
        assert [secret for secret in secrets if secret in reported] == []
        assert "all 8 landmarks" in reported
        assert not re.search(r"\b(4|four) (landmarks|events)", reported)


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
    published = read_release(row)
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
    found = nbformat.read(saved(owner_api, release_url(release, "notebook"), tmp_path), as_version=4)
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


def test_a_later_version_changes_no_label(done, monkeypatch):
    before = downloads.label(done)
    assert Release.objects.get(pk=done.pk).engine_version == __version__
    assert f"drawn by Cairn {__version__}; " in before["text"]
    monkeypatch.setattr(label, "__version__", "99.0")
    monkeypatch.setattr(bundle, "__version__", "99.0")
    assert downloads.label(done) == before
    with zipfile.ZipFile(BytesIO(b"".join(bundle.stream([done], ["csv"])))) as archive:
        packed = {name.split("/")[-1]: archive.read(name).decode() for name in archive.namelist()}
    assert json.loads(packed["label.json"])["cairn"] == __version__
    assert "Packed by Cairn 99.0" in packed["README.txt"]


def test_compressed_once_and_one_drawn_before_its_version_was_kept_states_it(done, owner_api):
    for form, packed in (("csv", False), ("geojson", False), ("parquet", True)):
        url = f"/api/v1/releases/{done.pk}/data/?format={form}"
        plain, requested = (owner_api.get(url, headers={"Accept-Encoding": how}) for how in ("identity", "gzip"))
        bodies = [b"".join(one.streaming_content) for one in (plain, requested)]
        assert requested.headers.get("Content-Encoding") == (None if packed else "gzip"), form
        assert bodies[0] == (bodies[1] if packed else gzip.decompress(bodies[1]))
    answer = owner_api.get(f"/api/v1/releases/{done.pk}/bundle/", headers={"Accept-Encoding": "gzip"})
    assert "Content-Encoding" not in answer.headers
    assert zipfile.is_zipfile(BytesIO(b"".join(answer.streaming_content)))
    Release.objects.filter(pk=done.pk).update(engine_version="")
    old = downloads.label(Release.objects.get(pk=done.pk))
    assert old["cairn"] is None
    assert "drawn by Cairn, which version was not kept" in old["text"]
