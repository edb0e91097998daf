"""The table of runs: parameters and measures of experiments as columns, in order, and as CSV."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from io import StringIO
from typing import Any

from dashboard.core.palette import palette
from dashboard.core.templatetags.display import metres, number
from dashboard.experiments.models import Experiment
from dashboard.experiments.results import Memory
from dashboard.experiments.run_parameters import (
    EPSILON,
    MECHANISM,
    RADIUS,
    Values,
    names_of,
    parameters,
    values_by_path,
)

MOST = 500
"""Runs that are compared, the newest."""
FIRST = ("data", MECHANISM, EPSILON, "landmarks.share", "landmarks", "release.postprocess")
"""Columns that come first."""
SHOWN_PARAMETERS, SHOWN_MEASURES = 4, 2
"""Columns that a table shows where none are chosen, at most."""
USUAL = ("data", MECHANISM, EPSILON)
"""Columns of a single run, which differs from no other."""
MEASURE = "measure."
_parameters = Memory(2000)


@dataclass(frozen=True)
class Column:
    """A parameter or a measure: its ``key`` in addresses, and whether runs differ in it."""

    key: str
    title: str
    differs: bool

    @property
    def measure(self) -> bool:
        """Whether it has results."""
        return self.key.startswith(MEASURE)


@dataclass(frozen=True)
class Run:
    """An experiment and its values by the key of their column."""

    row: Experiment
    values: dict[str, Values]

    @property
    def mechanisms(self) -> list[str]:
        """The registered names of those that have a line in the palette."""
        known = palette(self.row.kind)
        return [name for name in names_of(values_by_path(self.row.spec), MECHANISM) if name in known]

    @property
    def curves(self) -> list[dict[str, Any]]:
        """The curves of the first measure."""
        return self.row.measured[0].get("curves", []) if self.row.measured else []


def runs_of(rows: Sequence[Experiment]) -> list[Run]:
    """Return the rows with their values."""
    return [Run(row, _own(row) | _measured(row)) for row in rows]


def _own(row: Experiment) -> dict[str, Values]:
    values: dict[str, Values] | None = _parameters.get(row.spec_digest)
    if values is None:
        values = parameters(row.spec)
        _parameters.put(row.spec_digest, values)
    data = Values("Data", row.data_title, (row.data_title.lower(),))
    return {"data": data} | values | {"events": Values("Size", row.size_text, (row.events,))}


def _measured(row: Experiment) -> dict[str, Values]:
    values = {}
    for measure in row.measured:
        if measure["low"] is not None:
            key, title = f"{MEASURE}{measure['name']}", measure["title"]
            values[key] = Values(title, _range(measure["low"], measure["high"], measure["unit"]), (measure["low"],))
    return values


def _range(low: float, high: float, unit: str) -> str:
    if unit == "m":
        texts, after = [metres(low), metres(high)], ""
    else:
        texts, after = [number(low), number(high)], f" {unit}" if unit else ""
    return (texts[0] if texts[0] == texts[1] else f"{texts[0]} – {texts[1]}") + after


def columns_of(runs: Sequence[Run]) -> list[Column]:
    """Return every column that some run has: those of :data:`FIRST`, other parameters, measures."""
    titles: dict[str, str] = {}
    texts: dict[str, set[str]] = {}
    for run in runs:
        for key, value in run.values.items():
            titles.setdefault(key, value.title)
            texts.setdefault(key, set()).add(value.text)
    some = {key for key in titles if any(key not in run.values for run in runs)}
    keys = sorted(titles, key=lambda key: (key.startswith(MEASURE), FIRST.index(key) if key in FIRST else len(FIRST)))
    return [Column(key, titles[key], len(texts[key]) > 1 or key in some) for key in keys]


def chosen_columns(columns: Sequence[Column], keys: Sequence[str]) -> list[Column]:
    """Return the columns named by ``keys``; without any those in which runs differ, and the first measures."""
    if keys:
        return [column for column in columns if column.key in keys]
    own = [column for column in columns if not column.measure and column.differs and column.key != RADIUS]  # beside ε
    own = own or [column for column in columns if column.key in USUAL]
    return own[:SHOWN_PARAMETERS] + [column for column in columns if column.measure][:SHOWN_MEASURES]


def in_order(runs: Sequence[Run], ordering: str) -> list[Run]:
    """Return the runs by a column, ``name``, ``state``, ``duration`` or ``created``, descending with ``-`` before it.

    Those without a value are last. Any other ordering leaves them as they are.
    """
    key = ordering.removeprefix("-")
    known = [(value, i) for i, run in enumerate(runs) if (value := _sort_key(run, key)) is not None]
    known.sort(key=lambda entry: (isinstance(entry[0][0], str), entry[0]), reverse=ordering.startswith("-"))
    places = {i for _, i in known}
    return [runs[i] for _, i in known] + [run for i, run in enumerate(runs) if i not in places]


def _sort_key(run: Run, key: str) -> tuple[Any, ...] | None:
    row = run.row
    if key in ("name", "state"):
        return (str(getattr(row, key)).lower(),)
    if key == "created":
        return (row.created_at.timestamp(),)
    if key == "duration":
        return None if row.duration_s is None else (row.duration_s,)
    return run.values[key].key if key in run.values else None


def as_csv(runs: Sequence[Run]) -> str:
    """Return the runs with all columns; of measures the least and the largest mean over the cells.

    Texts that a spreadsheet would compute are preceded by an apostrophe.
    """
    columns = columns_of(runs)
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    first = ["id", "name", "state", "tags", "created", "seconds"]
    own = [column for column in columns if not column.measure]
    measures = {m["name"]: f"{m['title']}, {m['unit']}".rstrip(", ") for run in runs for m in run.row.measured}
    ends = [f"{title} ({end})" for title in measures.values() for end in ("least", "largest")]
    writer.writerow([*first, *(column.title for column in own), *ends])
    for run in runs:
        row = run.row
        about = [str(row.pk), row.name, row.state, ", ".join(row.tags), row.created_at.isoformat(), row.duration_s]
        texts = [run.values[column.key].text if column.key in run.values else "" for column in own]
        measured = {entry["name"]: entry for entry in row.measured}
        numbers = [measured.get(name, {}).get(end) for name in measures for end in ("low", "high")]
        writer.writerow([_plain(cell) for cell in [*about, *texts, *numbers]])
    return out.getvalue()


def _plain(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")) else value
