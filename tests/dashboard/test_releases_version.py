"""The label names the version that drew a release, whichever runs when it is downloaded."""

import gzip
import json
import zipfile
from io import BytesIO

import pytest

from dashboard.releases import bundle, downloads
from dashboard.releases.models import Release
from privacy_engine import __version__, label

pytestmark = pytest.mark.django_db


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


def test_one_drawn_before_it_was_kept_states_it(done):
    Release.objects.filter(pk=done.pk).update(engine_version="")
    old = downloads.label(Release.objects.get(pk=done.pk))
    assert old["cairn"] is None
    assert "drawn by Cairn, which version was not kept" in old["text"]


def test_what_is_compressed_already_is_not_compressed_again(done, owner_api):
    for form, packed in (("csv", False), ("geojson", False), ("parquet", True)):
        url = f"/api/v1/releases/{done.pk}/data/?format={form}"
        plain, requested = (owner_api.get(url, headers={"Accept-Encoding": how}) for how in ("identity", "gzip"))
        bodies = [b"".join(one.streaming_content) for one in (plain, requested)]
        assert requested.headers.get("Content-Encoding") == (None if packed else "gzip"), form
        assert bodies[0] == (bodies[1] if packed else gzip.decompress(bodies[1]))
    answer = owner_api.get(f"/api/v1/releases/{done.pk}/bundle/", headers={"Accept-Encoding": "gzip"})
    assert "Content-Encoding" not in answer.headers
    assert zipfile.is_zipfile(BytesIO(b"".join(answer.streaming_content)))
