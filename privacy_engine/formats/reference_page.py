"""The formats as a page, ``formats.md``: all of it from the registry, the reading options and the docstrings."""

import inspect
from collections.abc import Callable, Iterable
from typing import Any

from privacy_engine.formats import archive, folders, options, table_kinds
from privacy_engine.formats.detect import Format, formats
from privacy_engine.formats.options import PLACED, Option
from privacy_engine.formats.report import WHY

HEAD = """# Formats

A file is recognised by its content, in the order of this page: the first format that matches reads it, whatever the
file is called. The reading option `format` names one instead. Of every format positions are read, and what its line
*read beside them* names; altitudes, speeds, heart rates and all else are left out and never stored. The report of a
file lists how many rows were left out and why, and what was guessed, with the option that overrides it.

A guarantee is about one person, so each format defines what identifies a person; the reading option `person` overrides
it. Where nothing names people, everything is one person's: that costs accuracy and keeps the promise
([decision 19](../decisions/0019-people-of-a-dataset.md)). An option that a format cannot use is an error.
"""


def page() -> str:
    """The whole page, as Markdown."""
    shown = [fmt for fmt in formats() if not fmt.hidden]
    return "\n".join(
        [
            HEAD,
            _table(("format", "name", "files"), ((fmt.title, f"`{fmt.name}`", _endings(fmt)) for fmt in shown)),
            *map(_section, shown),
            _kinds(),
            f"## Archives\n\n{_text(archive)} A gzip of one file is read as that file.\n\n{_text(folders)}\n",
            "## Reading options\n",
            f"Every format heeds {_names(PLACED)}; the others are named with the formats that heed them.\n",
            _table(("option", "what", "values"), (_option(opt) for name, opt in options().items() if name != "format")),
            "## Why rows are left out\n",
            _table(("reason", "what it means"), ((f"`{reason}`", why) for reason, why in WHY.items())),
        ]
    )


def _section(fmt: Format) -> str:
    kinds = [table_kinds[kind].title for kind in fmt.kinds]
    heeded = [name for name in options() if name in fmt.options]
    lines = [
        f"Recognised when {_whether(fmt.sniff)}",
        f"Becomes {_either(kinds)}: {_lowered(_first(fmt.read))}",
        f"Read beside them: {fmt.keeps}.",
        f"What identifies a person: {fmt.person}.",
        f"Options: {_names(heeded)}." if heeded else "",
        f"Described at <{fmt.source}>.",
    ]
    return f"## {fmt.title}\n\n{_first(inspect.getmodule(fmt.read))}\n\n" + _list(lines)


def _kinds() -> str:
    """How tables that no format reads in a way of its own are distinguished."""
    tables = [(table_kind.title, *table_kind.described) for table_kind in table_kinds.values() if table_kind.described]
    lines = [f"{_line(module)} Recognised when {_whether(judge)}" for _, module, judge in reversed(tables)]
    return f"## {' and '.join(title for title, *_ in tables).capitalize()} in tables\n\n" + _list(lines)


def _option(option: Option) -> tuple[str, str, str]:
    values = [f"`{value}` {title}" for value, title in option.choices]
    if option.kind == "open-choice":
        values.append("…")
    return f"`{option.name}`", f"{option.label}. {option.help}", "<br>".join(values)


def _endings(fmt: Format) -> str:
    return ", ".join(f".{ending}" for ending in fmt.extensions)


def _whether(judge: Callable[..., bool]) -> str:
    return _line(judge).removeprefix("Whether ")


def _line(described: Any) -> str:
    """A whole docstring as a single line."""
    return _text(described).replace("\n\n", " ")


def _first(described: Any) -> str:
    """The first paragraph of a docstring, as a single line."""
    return " ".join((inspect.getdoc(described) or "").split("\n\n")[0].split()).replace("``", "`")


def _text(described: Any) -> str:
    """A whole docstring, a paragraph on each line."""
    paragraphs = (inspect.getdoc(described) or "").split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()).replace("``", "`") for paragraph in paragraphs)


def _lowered(text: str) -> str:
    return text[:1].lower() + text[1:]


def _either(names: list[str]) -> str:
    return " or ".join(", ".join(names).rsplit(", ", 1))


def _names(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _list(lines: Iterable[str]) -> str:
    return "".join(f"- {line}\n" for line in lines if line)


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    cells = [head, ("---",) * len(head), *(tuple(cell.replace("|", r"\|") for cell in row) for row in rows)]
    return "".join(f"| {' | '.join(row)} |\n" for row in cells)
