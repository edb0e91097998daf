"""``cairn read FILE``: what a file is read as, column by column, without keeping anything."""

import json
from argparse import ArgumentParser
from pathlib import Path

from privacy_engine import formats
from privacy_engine.commands.base import PERSON, Command, reading
from privacy_engine.core.plurals import quantity

EXAMPLE = """\
example:
  cairn read walk.csv --read time_zone=Europe/Berlin

The output quotes rows of the file: it is for its owner.
"""


class Read(Command):
    help = "Read a file and print how: its columns, its first rows, what was left out and what was guessed."
    example = EXAMPLE
    place = "file"

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add("file", type=Path, help="file in any format")
        add("--kind", choices=formats.KINDS, help="what the file holds (default: recognised by its columns)")
        add("--read", action="append", default=[], metavar="NAME=VALUE", help="a reading option")
        add("--person", metavar="WHAT", help=PERSON)
        add("--json", action="store_true", help="print the report as JSON")

    def run(self, *, file: Path, kind: str | None, read: list[str], person: str | None, json: bool) -> str:
        content = formats.read(file, kinds=[kind] if kind else formats.KINDS, **reading(read, person))
        return _as_json(content) if json else "\n".join(_lines(content))


def _as_json(content: formats.Reading) -> str:
    return json.dumps(content.report.as_dict() | {"kind": content.kind}, ensure_ascii=False, indent=1)


def _lines(content: formats.Reading) -> list[str]:
    """The report as lines of text."""
    report = content.report
    what = formats.table_kinds[content.kind].title
    lines = [f"{report.format_title}: {what}, {quantity(report.kept, 'record')} of {report.rows_read:,} read."]
    lines += [f"{column['column']}: {column['read_as']}" for column in report.columns_text]
    lines += [f"{report.unit} {row[report.unit]}: {row['cells']} -> {row['read_as']}" for row in report.first_text]
    lines += [report.dropped_text] if report.drops else []
    lines += [f"{guess['message']} (option {guess['option']})" for guess in report.guesses]
    return lines + [f"{note['level']}: {note['message']}" for note in report.notes]
