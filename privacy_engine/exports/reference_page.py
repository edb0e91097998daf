"""The formats that releases are written in, as the last part of ``docs/reference/formats.md``."""

from collections.abc import Mapping

from privacy_engine.exports.base import ExportFormat, formats_of
from privacy_engine.formats.table_kind import table_kinds

HEAD = """
## What is written

Every file carries the privacy label, and `cairn verify` checks each but the mass of cells. The command line and
`.write()` choose the format by the longest ending of the file's name, the API by `?format=`. A ZIP has the formats
marked so unless others are requested.
"""


def written() -> str:
    """The formats of each kind of data, as Markdown."""
    return HEAD + "".join(_table(table.title, formats_of(kind)) for kind, table in table_kinds.items())


def _table(title: str, formats: Mapping[str, ExportFormat]) -> str:
    rows = [("format", "name", "files", "for", "in a ZIP"), ("---",) * 5]
    rows += [
        (fmt.title, f"`{fmt.name}`", f".{fmt.extension}", fmt.use, "yes" if fmt.bundled else "")
        for fmt in formats.values()
    ]
    return f"\n### {title[:1].upper()}{title[1:]}\n\n" + "".join(f"| {' | '.join(row)} |\n" for row in rows)
