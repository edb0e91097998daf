"""What `make docs` adds to MkDocs: generated pages, examples, the order of the sections, no script within a page.

Cairn serves the site under its content security policy, which runs scripts of files alone (mkdocs.yml names this file).
"""

import re
import sys
from hashlib import sha256
from pathlib import Path
from posixpath import relpath
from typing import Any

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parents[1]
SECTIONS = ("index.md", "tutorial", "how-to", "reference", "explanation", "results", "notes", "decisions")
_INLINE = re.compile(r"<script>(.+?)</script>", re.DOTALL)
_scripts: dict[str, str] = {}


def on_files(files: Any, config: Any) -> Any:
    """Add the pages that are generated from the registries, and the examples that pages link."""
    sys.path.insert(0, str(ROOT))
    from scripts.reference_pages import pages
    from scripts.results_figures import figures

    for path, content in (pages() | figures()).items():
        files.append(File.generated(config, path, content=content))
    for example in sorted((ROOT / "examples").rglob("*")):
        if example.is_file() and "__pycache__" not in example.parts:
            path = example.relative_to(ROOT).as_posix()
            files.append(File.generated(config, path, abs_src_path=str(example)))
    return files


def on_nav(nav: Any, **_: Any) -> Any:
    """Sections in the order of :data:`SECTIONS`."""
    nav.items.sort(key=lambda item: SECTIONS.index(_folder(item)))
    return nav


def _folder(item: Any) -> str:
    while item.children:
        item = item.children[0]
    return str(item.file.src_uri.partition("/")[0])


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Links to examples, which are beside docs/ in the repository, are to those of the site."""
    above = relpath("examples", page.file.src_uri.rpartition("/")[0] or ".")
    return re.sub(r"\]\((?:\.\./)+examples/", f"]({above}/", markdown)


def on_page_content(html: str, page: Any, **_: Any) -> str:
    """Link the first use of each term of the glossary."""
    from scripts.docs_terms import FOLDERS, with_terms

    folder, _, _ = page.file.src_uri.partition("/")
    above = relpath("reference/glossary.html", page.file.dest_uri.rpartition("/")[0] or ".")
    return with_terms(html, above) if folder in FOLDERS else html


def on_post_page(output: str, page: Any, **_: Any) -> str:
    """Move scripts into files."""
    above = relpath("assets", page.file.dest_uri.rpartition("/")[0] or ".")

    def moved(script: re.Match[str]) -> str:
        name = f"{sha256(script[1].encode()).hexdigest()[:12]}.js"
        _scripts[name] = script[1]
        return f'<script src="{above}/{name}"></script>'

    return _INLINE.sub(moved, output)


def on_post_build(config: Any) -> None:
    """Write the files that scripts were moved into; Cairn has a page of its own for what is not there."""
    Path(config["site_dir"], "404.html").unlink()
    for name, script in _scripts.items():
        Path(config["site_dir"], "assets", name).write_text(script, encoding="utf-8")
