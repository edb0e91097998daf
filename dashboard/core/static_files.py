"""Static files as browsers get them: collected once, compressed, under names with a digest of their content.

The modules of a page are joined into a file, and so are style sheets that a template lists together: a page requests
ten files instead of a hundred and fifty. Each module is a function that is called once and returns what it exports;
modules that are joined into two files of the same page are known to both. That holds for our own modules, which neither
import each other in circles nor export what they change later.
"""

import fcntl
import posixpath
import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Any

import brotli
from django.conf import settings
from django.contrib.staticfiles.apps import StaticFilesConfig
from django.contrib.staticfiles.finders import get_finders
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.management import call_command
from whitenoise.compress import Compressor
from whitenoise.storage import CompressedManifestStaticFilesStorage

_COMMENT = re.compile(r"^[ \t]*(?:/\*(?:[^*]|\*(?!/))*\*/|//[^\n]*)\n|/\*\*(?:[^*]|\*(?!/))*\*/ ?", re.MULTILINE)
_IMPORT = re.compile(r"""^import (?:\* as (?P<all>\w+)|\{(?P<names>[^}]*)\}) from "(?P<path>[^"]+)";\n""", re.MULTILINE)
_LATER = re.compile(r"""\bimport\("(\.[^"]+)"\)""")
_EXPORT = re.compile(r"^export (?P<rest>(?:async )?(?:function\*?|const|class) (?P<name>[\w$]+))", re.MULTILINE)
_EXPORTS = re.compile(r"^export \{(?P<names>[^}]*)\};\n", re.MULTILINE)
_ALONE = re.compile(r"\{% static 'css/(\w+)\.css' %\}")
_STYLES = re.compile(r"\{% styles ([^%]+) %\}")


class CollectedFiles(StaticFilesConfig):
    """Of packages only what pages use."""

    ignore_patterns = [*StaticFilesConfig.ignore_patterns, "*.map", "redoc", "rest_framework"]


class _QuickCompressor(Compressor):
    @staticmethod
    def compress_brotli(data: bytes) -> bytes:
        """Of Plotly 8 % more than at the default quality, in 0.1 s instead of 1.5 s."""
        return bytes(brotli.compress(data, quality=9))


class JoinedStaticFilesStorage(CompressedManifestStaticFilesStorage):
    """Whitenoise's, with joined modules and style sheets."""

    keep_only_hashed_files = True
    joins = True
    patterns = (  # Django's own also rewrite comments and look for source maps
        ("*.css", (r"""(?P<matched>url\(['"]{0,1}\s*(?P<url>.*?)["']{0,1}\))""",)),
        ("*.js", ((r"""(?P<matched>import\("(?P<url>\..*?)"\))""", 'import("%(url)s")'),)),
    )

    def create_compressor(self, **options: Any) -> Compressor:
        return _QuickCompressor(**options)

    def post_process(self, paths: dict[str, Any], dry_run: bool = False, **options: Any) -> Iterator[Any]:
        modules = [name for name in paths if name.startswith("js/")]
        joined = joined_modules({name: Path(self.path(name)).read_text("utf-8") for name in modules})
        for names in _listed_styles():
            joined[joined_name(names)] = "".join(
                Path(self.path(f"css/{file}.css")).read_text("utf-8") for file in names
            )
        for name in [path for path in paths if path.startswith(("js/", "css/")) and path not in joined]:
            del paths[name]
            self.delete(name)
        for name, text in joined.items():
            Path(self.path(name)).write_text(text, "utf-8")
            paths[name] = self, name
        yield from super().post_process(paths, dry_run, **options)


def joined_name(names: Iterable[str]) -> str:
    """Of the file with these style sheets of ``static/css``."""
    return f"css/{'-'.join(names)}.css"


def _listed_styles() -> Iterator[list[str]]:
    for template in _templates():
        text = template.read_text("utf-8")
        yield from (re.findall(r'"(\w+)"', listed) for listed in _STYLES.findall(text))
        yield from ([name] for name in _ALONE.findall(text))


def _templates() -> Iterator[Path]:
    for folder in settings.TEMPLATES[0]["DIRS"]:
        yield from sorted(Path(folder).rglob("*.html"))


def joined_modules(texts: dict[str, str]) -> dict[str, str]:
    """The files that pages request: of scripts (path: text) those that no other imports, and those imported later.

    Raises
    ------
    ValueError
        A module imports what another does not export.
    """
    modules = {path: _Module(path, text) for path, text in texts.items()}
    later = {name for module in modules.values() for name in module.later}
    imported = {name for module in modules.values() for name in module.imports.values()}
    needed = {path: _closure(path, modules) for path in modules if path in later or path not in imported}
    reached = {page: set(_closure(page, modules, later=True)) for page in needed.keys() - later}
    files = {}
    for path, closure in needed.items():
        having = [set(needed[page]) for page, all_of_it in reached.items() if path in all_of_it and path in later]
        there = set.intersection(*having) if having else set()
        files[path] = _joined(path, [modules[name] for name in closure], there, path not in later)
    return files


def _closure(path: str, modules: dict[str, "_Module"], *, later: bool = False) -> list[str]:
    """The modules that a module needs, each after those that it imports itself, and at last the module."""
    met: dict[str, None] = {}
    entered = {path}

    def enter(file: str) -> None:
        module = modules[file]
        for name in (*module.imports.values(), *(module.later if later else ())):
            if name not in entered:
                entered.add(name)
                enter(name)
        met[file] = None

    enter(path)
    return list(met)


def _joined(path: str, needed: list["_Module"], there: set[str], is_page: bool) -> str:
    """The text of a file; modules that are ``there`` already are taken from the page. A page's own may await."""
    names = {module.path: f"$_{number}" for number, module in enumerate(needed)}
    exports = {module.path: module.exports for module in needed}
    alone = is_page and len(needed) == 1  # it may be no module, whose constants all scripts of a page share
    parts = [] if alone else ["const $_modules = (globalThis.cairnModules ??= {});\n"]
    for module in needed:
        body, known = module.body(path, names, exports), f'$_modules["{module.path}"]'
        if is_page and module.path == path:
            parts.append(body)
        elif module.path in there:
            parts.append(f"const {names[module.path]} = {known};\n")
        else:
            returned = ", ".join(f"{name}: {local}" for name, local in module.exports.items())
            parts.append(
                f"const {names[module.path]} = ({known} ??= (() => {{\n{body}return {{ {returned} }};\n}})());\n"
            )
    if not is_page:
        parts.append(f"export const {{ {', '.join(exports[path])} }} = {names[path]};\n")
    return "".join(parts)


class _Module:
    """A script of ours: ``imports`` (as written: path), those imported ``later``, ``exports`` (name: local name)."""

    def __init__(self, path: str, text: str) -> None:
        self.path, self._text = path, _COMMENT.sub("", text)
        self.imports = {match["path"]: self._at(match["path"]) for match in _IMPORT.finditer(self._text)}
        self.later = [self._at(written) for written in _LATER.findall(self._text)]

    def _at(self, written: str) -> str:
        return posixpath.normpath(posixpath.join(posixpath.dirname(self.path), written))

    @cached_property
    def exports(self) -> dict[str, str]:
        names = {match["name"]: match["name"] for match in _EXPORT.finditer(self._text)}
        for listed in _EXPORTS.finditer(self._text):
            for entry in listed["names"].split(","):
                local, _, name = entry.strip().partition(" as ")
                names[name or local] = local
        return names

    def body(self, file: str, names: dict[str, str], exports: dict[str, dict[str, str]]) -> str:
        """The text as it stands in ``file``, where the modules have ``names``."""

        def taken(match: re.Match[str]) -> str:
            of = self.imports[match["path"]]
            if match["all"]:
                return f"const {match['all']} = {names[of]};\n"
            wanted = [name.strip() for name in match["names"].split(",") if name.strip()]
            if missing := [name for name in wanted if name.split(" as ")[0] not in exports[of]]:
                raise ValueError(f"{self.path} imports {', '.join(missing)}, which {of} does not export")
            return f"const {{ {', '.join(name.replace(' as ', ': ') for name in wanted)} }} = {names[of]};\n"

        def later(match: re.Match[str]) -> str:
            at = posixpath.relpath(self._at(match[1]), posixpath.dirname(file))
            return f'import("{at if at.startswith(".") else f"./{at}"}")'

        text = _EXPORTS.sub("", _EXPORT.sub(r"\g<rest>", _IMPORT.sub(taken, self._text)))
        return _LATER.sub(later, text)


def collect() -> None:
    """Collect the static files if that is not done, or they changed since; an image has them."""
    if settings.CAIRN_COLLECTED or not hasattr(staticfiles_storage, "joins"):
        return
    digest = _digest()
    state = Path(settings.STATIC_ROOT).with_suffix(".sha256")
    state.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with state.open("a+") as known:
        fcntl.flock(known, fcntl.LOCK_EX)
        known.seek(0)
        if known.read() != digest:
            known.truncate(0)
            call_command("collectstatic", interactive=False, clear=True, verbosity=0)
            known.write(digest)


def _digest() -> str:
    """Of names, sizes and times of all files that are collected, of the templates and of this module."""
    digest = sha256()
    collected = (storage.path(name) for finder in get_finders() for name, storage in finder.list(None))
    for path in chain(collected, _templates(), [__file__]):
        status = Path(path).stat()
        digest.update(f"{path} {status.st_size} {status.st_mtime_ns}\n".encode())
    return digest.hexdigest()
