"""Releases of many people's trajectories in parts (dashboard/jobs/parts.py): units of people are drawn by any worker.

What a part publishes, what it spent and its errors are files as those of a release, which one worker joins as they are.
They lie beside the errors of the release, since errors are among them. The last step prepares what pages show.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from dashboard.jobs import leases
from dashboard.jobs.parts import Piece, results
from dashboard.landmarks.promise import mask_of
from dashboard.releases import files
from dashboard.releases.common.drawing import DRAWN, MEASURED, READ, WRITTEN
from dashboard.releases.models import Release, ReleasePart
from dashboard.releases.trajectory import charts, explain
from dashboard.storage import parquet
from dashboard.storage.data_files import read_series, series_index, stored_units
from privacy_engine import data
from privacy_engine.data.points_digest import blocks_digest
from privacy_engine.data.releases import releases_of
from privacy_engine.data.trajectories import EVENTS
from privacy_engine.datatypes import datatypes
from privacy_engine.datatypes.trajectory import figures_of, whole_trace
from privacy_engine.datatypes.trajectory_table import metadata_of
from privacy_engine.landmarks.methods import split

DRAW, FINISH = "draw", "finish"
ERRORS = "error_mm"  # another name than in versions whose parts had metres: those are drawn again
FEW = 8  # distinct budgets that a summary lists individually


def pieces_of(row: Release) -> list[Piece]:
    """The units of a release, each a piece."""
    index = series_index(row.dataset.points_path)
    return [Piece(float(index.sizes[unit].sum())) for unit in stored_units(row.dataset.points_path)]


def released(row: Release, lease: leases.Lease, pieces: Sequence[Piece], run: Callable[[Any], Any]) -> dict[str, Any]:
    """Draw the ``pieces`` of a claimed release, join and store them.

    Returns ``figures``, ``sha256``, the :func:`joined_counts` and the ``whole_trace`` of the person who spends most.
    """
    drawn = results(
        row,
        lease,
        DRAW,
        pieces,
        run=run,
        report=lease.reporting(f"Drawing in {len(pieces)} parts", READ, DRAWN),
        kept=lambda part: files.part_path(row, part["token"], ERRORS).exists(),
    )
    tokens = [part["token"] for part in drawn]
    lease.report("Joining the parts", DRAWN)
    index = series_index(row.dataset.points_path)
    names = metadata_of(index.names, index.people)
    for what, path in (("data", row.data_path), ("budgets", row.budgets_path), (ERRORS, row.errors_path)):
        parts = [files.part_path(row, token, what) for token in tokens]
        parquet.join(path, parts, metadata=names if what == "data" else None)
    report = lease.reporting("Measuring and preparing its charts", MEASURED, WRITTEN)
    finishing = [Piece(1.0, {"file": row.data_file})] * len(_FINISHING)
    digest, figures, *_ = results(row, lease, FINISH, finishing, run=run, report=report)
    counts, whole = joined_counts(part["counts"] for part in drawn), max(part["whole_trace"] for part in drawn)
    return {"figures": figures, "sha256": digest, "counts": counts, "whole_trace": whole}


def work(part: ReleasePart, lease: leases.Lease) -> Any:
    """Work off a claimed part."""
    if part.step == DRAW:
        return _drawn(part, lease)
    part.job.data_file = part.given["file"]
    return _FINISHING[part.number](part.job)


def _drawn(part: ReleasePart, lease: leases.Lease) -> dict[str, Any]:
    row, index = part.job, series_index(part.job.dataset.points_path)
    some, token = stored_units(row.dataset.points_path)[part.number], lease.token.hex
    tracks = read_series(row.dataset.points_path, some)
    first = int(index.sizes[: some.start].sum())
    mask = mask_of(row.dataset, row.set_read)[first : first + len(tracks.lon)]
    datatype = datatypes[row.kind]
    drawn = row.parsed_spec.checked(row.kind).release(
        tracks,
        split(mask, index.sizes[some].tolist()),
        watch=lease.reporting("Drawing", end=0.6),
        first_unit=part.number,
    )
    lease.report("Writing", 0.6)
    path = partial(files.part_path, row, token)
    tables = _numbered_from(some.start, datatype.release_to_tables(drawn))
    parquet.write_tables(path("data"), tables, differences=datatype.slow_columns)
    budgets = datatype.budget_columns(drawn)
    parquet.write_columns(path("budgets"), (of | {"series": of["series"] + np.int32(some.start)} for of in budgets))
    errors = datatype.owner_columns(tracks, drawn)
    parquet.write_columns(path(ERRORS), errors, differences=datatype.slow_columns)
    return {"token": token, "counts": counts_of(drawn), "whole_trace": whole_trace(tracks.people, drawn)}


def _numbered_from(first: int, tables: Iterable[Any]) -> Iterator[Any]:
    for table in tables:
        numbers = table.column("series").to_numpy() + np.int32(first)
        yield table.set_column(table.column_names.index("series"), "series", [numbers])


def counts_of(drawn: Sequence[data.Release]) -> dict[str, Any]:
    """How many positions are ``published`` and ``drawn``, the least and greatest budget, and how many have which."""
    published, fresh, ends, events = 0, 0, list[float](), Counter[float]()
    for _, _, part in releases_of(drawn).cut(EVENTS):
        published += int(part.sizes.sum())
        fresh += int(np.count_nonzero(part.fresh))
        values, counts = (of.tolist() for of in np.unique(part.budgets, return_counts=True))
        ends += values[:1] + values[-1:]
        if len(events) <= FEW:
            events.update(dict(zip(values[: FEW + 1], counts, strict=False)))
    edges = [min(ends), max(ends)] if ends else []
    return {"published": published, "drawn": fresh, "ends": edges, "events": list(events.items())}


def joined_counts(parts: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """:func:`counts_of` of all parts of a release together, as a summary has them."""
    together, events, ends = Counter[str](), Counter[float](), list[float]()
    for part in parts:
        together.update({name: part[name] for name in ("published", "drawn")})
        ends += part["ends"]
        events.update(dict(part["events"]))
    listed = [{"budget": value, "events": events[value]} for value in sorted(events)]
    budgets = {"min": min(ends), "max": max(ends), "distinct": listed if len(listed) <= FEW else None}
    return {**together, "budgets": budgets}


# Of the last step -------------------------------------------------------------------------------------------


def _digest(row: Release) -> str:
    path = row.data_path
    return blocks_digest(read_series(path, unit) for unit in stored_units(path))


def _figures(row: Release) -> dict[str, float]:
    _, batches = parquet.read_batches(row.errors_path, EVENTS)
    return figures_of(batch.column("error_mm").to_numpy() for batch in batches)


_FINISHING: Sequence[Callable[[Release], Any]] = (_digest, _figures, explain.prepare, charts.prepare)
"""The parts of the last step; the worker of the job begins with the last, which takes longest."""
