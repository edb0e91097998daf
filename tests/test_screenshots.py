"""The images of the documentation are of today's pages, few and small."""

import json
import re
from pathlib import Path

import pytest
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from tests.browser import screenshots
from tests.browser.screenshots import FOLDER, SHOTS, Shot, digest, stale

ROOT = Path(__file__).resolve().parent.parent


def test_none_is_stale():
    assert stale() == [], "`make screenshots` takes them again"


def test_they_are_few_and_small():
    images = sorted(FOLDER.iterdir())
    assert {path.stem for path in images} == set(SHOTS)
    assert len([*(ROOT / "docs").rglob("*.png")]) <= 40
    assert {path.name: path.stat().st_size for path in images if path.stat().st_size > 120_000} == {}
    assert sum(path.stat().st_size for path in images) < 3_000_000


def test_documents_show_images_that_are_there():
    pages = [*(ROOT / "docs").rglob("*.md"), ROOT / "README.md"]
    shown = {name for page in pages for name in re.findall(r"screenshots/([\w-]+)\.png", page.read_text())}
    assert shown <= set(SHOTS)


@pytest.fixture
def image(tmp_path, monkeypatch):
    """One image of a page of two files, below a folder of its own."""
    monkeypatch.setattr(screenshots, "ROOT", tmp_path)
    monkeypatch.setattr(screenshots, "FOLDER", tmp_path)
    shot, files = Shot("datasets"), ["page.html", "page.js"]
    monkeypatch.setattr(screenshots, "SHOTS", {"datasets-light": shot})
    for name in files:
        (tmp_path / name).write_text("first")
    about = PngInfo()
    about.add_text("sources", json.dumps(files))
    about.add_text("digest", digest(shot, files))
    Image.new("P", (1, 1)).save(tmp_path / "datasets-light.png", pnginfo=about)
    return tmp_path


def test_a_change_of_any_of_its_files_makes_it_stale(image):
    assert stale() == []
    (image / "page.js").write_text("second")
    assert stale() == ["datasets-light"]
    (image / "page.js").write_text("first")
    assert stale() == []
    (image / "page.html").unlink()
    assert stale() == ["datasets-light"]


def test_an_image_without_a_digest_is_stale(image):
    Image.new("P", (1, 1)).save(image / "datasets-light.png")
    assert stale() == ["datasets-light"]
    (image / "datasets-light.png").unlink()
    assert stale() == ["datasets-light"]


def test_sources_are_our_templates_and_the_files_of_static_that_were_loaded():
    rendered = {str(ROOT / "templates" / "base.html"), "/usr/lib/python3/django/forms/input.html"}
    loaded = {"static/js/pages/base.js", "static/gone.js", "datasets/", "api/v1/jobs/", "README.md"}
    assert screenshots.sources(rendered, loaded) == ["static/js/pages/base.js", "templates/base.html"]


def test_another_step_is_another_digest():
    shot = Shot("zones", step=screenshots._first_zone)
    assert digest(shot, []) != digest(Shot("zones", step=screenshots._needed), [])
