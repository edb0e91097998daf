"""``Table``: a few named rows that a notebook shows as a table and that pandas takes."""

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

from privacy_engine.core.optional import required
from privacy_engine.mechanisms.base.mechanism import number_text

CELL = "text-align:left;padding:2px 12px 2px 0;vertical-align:top"


class Table:
    """Rows of a set of columns, in their order. ``note`` is a sentence below it; the first column names a row.

    It is iterated over as mappings, and ``table[name]`` is the row of a name.
    """

    def __init__(self, title: str, rows: Sequence[Mapping[str, Any]], note: str = "") -> None:
        self.title, self.note = title, note
        self.rows = tuple(dict(row) for row in rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.rows)

    def __getitem__(self, name: str) -> dict[str, Any]:
        for row in self.rows:
            if next(iter(row.values())) == name:
                return row
        raise KeyError(name)

    def __repr__(self) -> str:
        lines = [", ".join(f"{name} {_cell(value)}" for name, value in row.items()) for row in self.rows]
        return "\n".join([self.title, *(f"  {line}" for line in lines), *([self.note] if self.note else [])])

    def _repr_html_(self) -> str:
        names = list(self.rows[0]) if self.rows else []
        head = "".join(f'<th scope="col" style="{CELL}">{escape(name.replace("_", " "))}</th>' for name in names)
        body = "".join(f"<tr>{''.join(map(_html_cell, row.values()))}</tr>" for row in self.rows)
        note = f"<p>{escape(self.note)}</p>" if self.note else ""
        caption = f'<caption style="text-align:left;font-weight:bold">{escape(self.title)}</caption>'
        return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{note}"

    def to_dataframe(self) -> Any:
        """The rows as a pandas.DataFrame."""
        return required("pandas", "to_dataframe()").DataFrame(list(self.rows))


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4g}" if abs(value) < 1000 else number_text(round(value))
    return "" if value is None else number_text(value) if type(value) is int else str(value)


def _html_cell(value: Any) -> str:
    return f'<td style="{CELL}">{escape(_cell(value))}</td>'
