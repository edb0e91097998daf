"""Modules and style sheets that are joined, and files that are collected."""

import gzip
import json
import re
import shutil
import subprocess
from pathlib import Path

import brotli
import pytest
from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.template import Context, Template

from dashboard.core import static_files

SOURCES = {
    "js/pages/one.js": """import { a, b as c } from "../core/names.js";
await null;
const { late } = await import("../map/late.js");
globalThis.texts = [a, c(), late()];
""",
    "js/pages/other.js": """import * as names from "../core/names.js";
import { late } from "../map/late.js";
globalThis.texts = [names.a, late()];
""",
    "js/core/names.js": """/* The names. */

// one line
export const a = "a";
  /** @type {any} */ (globalThis).calls = 1 + (globalThis.calls ?? 0);
function local() {
  return a + a;
}
export { local as b };
""",
    "js/map/late.js": """import { a } from "../core/names.js";
import { own } from "./own.js";
export function late() {
  return own + a;
}
""",
    "js/map/own.js": 'export const own = "own";\n',
}
NODE = pytest.mark.skipif(shutil.which("node") is None, reason="needs Node")


def test_a_page_has_all_that_it_imports_and_what_is_imported_later_only_what_pages_lack():
    joined = static_files.joined_modules(SOURCES)
    assert set(joined) == {"js/pages/one.js", "js/pages/other.js", "js/map/late.js"}
    assert [text.count('const a = "a"') for text in joined.values()].count(1) == 2, "the pages have it"
    assert 'own = "own"' in joined["js/map/late.js"]
    assert 'const a = "a"' not in joined["js/map/late.js"]
    assert 'own = "own"' not in joined["js/pages/one.js"]
    assert not re.search(r"/\*|//", "".join(joined.values()))


@NODE
@pytest.mark.parametrize(("page", "texts"), [("one", ["a", "aa", "owna"]), ("other", ["a", "owna"])])
def test_joined_files_do_what_the_modules_do(tmp_path, page, texts):
    written(tmp_path, static_files.joined_modules(SOURCES))
    script = f'await import("./js/pages/{page}.js"); await import("./js/map/late.js");'
    script += "console.log(JSON.stringify([globalThis.texts, globalThis.calls]))"
    command = ["node", "--input-type=module", "-e", script]
    out = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert json.loads(out) == [texts, 1], "a module is called once, also where two files have it"


def test_a_name_that_is_not_exported_is_an_error():
    sources = SOURCES | {"js/map/own.js": "export const other = 1;\n"}
    with pytest.raises(ValueError, match=re.escape("js/map/late.js imports own, which js/map/own.js does not export")):
        static_files.joined_modules(sources)


@NODE
def test_every_joined_file_of_ours_is_a_module_and_none_imports_another_at_once(tmp_path):
    folder = Path(settings.BASE_DIR) / "static"
    sources = {str(path.relative_to(folder)): path.read_text() for path in folder.glob("js/**/*.js")}
    joined = static_files.joined_modules(sources)
    templates = "".join(path.read_text() for path in Path(settings.BASE_DIR, "templates").rglob("*.html"))
    named = set(re.findall(r'{% module "([^"]+)" %}', templates))
    assert len(named) > 20
    assert named <= set(joined)
    assert not re.search(r"^(import|export) .* from ", "".join(joined.values()), re.MULTILINE)
    written(tmp_path, joined)
    for name in joined:
        subprocess.run(["node", "--check", tmp_path / name], check=True)


def written(folder, texts):
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (folder / "package.json").write_text('{"type": "module"}')


@pytest.fixture
def collecting(tmp_path, settings, monkeypatch):
    settings.STATIC_ROOT = tmp_path / "static"
    monkeypatch.setattr(staticfiles_storage, "_wrapped", static_files.JoinedStaticFilesStorage())
    return settings.STATIC_ROOT


def test_files_are_collected_once_and_again_when_one_has_changed(collecting, monkeypatch):
    static_files.collect()
    tag = Template('{% module "js/pages/trajectory_compare.js" %}{% styles "datasets" "account" %}').render(Context())
    assert tag.count("<script") == tag.count("<link") == 1
    names = re.findall(r'(?:src|href)="/static/([^"]+)"', tag)
    assert all(re.search(r"\.[0-9a-f]{12}\.(js|css)$", name) for name in names)
    script, style = ((collecting / name).read_bytes() for name in names)
    assert b".dataset" in style
    assert gzip.decompress((collecting / f"{names[0]}.gz").read_bytes()) == script
    assert brotli.decompress((collecting / f"{names[0]}.br").read_bytes()) == script
    for later in re.findall(rb'import\("([^"]+)"\)', script):
        assert (collecting / names[0]).parent.joinpath(later.decode()).is_file(), later
    assert not list(collecting.rglob("*.map"))
    before = (collecting / names[0]).stat().st_mtime_ns
    static_files.collect()
    assert (collecting / names[0]).stat().st_mtime_ns == before
    monkeypatch.setattr(static_files, "_digest", lambda: "another")
    static_files.collect()
    assert (collecting / names[0]).stat().st_mtime_ns > before


@pytest.mark.slow
def test_an_interrupted_collection_is_made_again(collecting, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(static_files, "call_command", lambda *_, **__: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            static_files.collect()
    static_files.collect()
    assert (collecting / "staticfiles.json").is_file()


def test_what_is_imported_later_alone_exports_what_it_has():
    texts = {"js/pages/a.js": 'const b = () => import("../b.js");\n', "js/b.js": "export const one = 1;\n"}
    assert static_files.joined_modules(texts)["js/b.js"].rstrip().endswith("export const { one } = $_0;")
