"""Releases of count streams and check-ins: a worker's work on them, and what pages and the API show of them."""

from __future__ import annotations

import math
from typing import Any

from dashboard.datasets import cells, counts, ledger
from dashboard.datasets.models import unit_text
from dashboard.jobs.leases import Lease
from dashboard.releases.models import Release
from dashboard.storage import parquet
from privacy_engine import __version__
from privacy_engine.analysis.downsampling import decimated
from privacy_engine.analysis.results import listed
from privacy_engine.datatypes import datatypes
from privacy_engine.mechanism import Mechanism

READ, DRAWN, MEASURED = 0.05, 0.75, 0.85


def draw(row: Release, lease: Lease) -> dict[str, Any]:
    """Load, draw, measure, write; returns what the row stores as it succeeds."""
    found = datatypes[row.kind]
    lease.report("Reading", 0.0)
    data = found.from_table(parquet.read_table(row.dataset.points_path))

    def watch(share: float) -> None:
        lease.report("Drawing", READ + (DRAWN - READ) * share)

    drawn = found.release(row.parsed_spec, data, watch=watch)
    lease.report("Measuring", DRAWN)
    figures = {name: value for name, value in found.measure(data, drawn).items() if math.isfinite(value)}
    lease.report("Writing", MEASURED)
    parquet.write_table(row.data_path, found.release_to_table(drawn))
    return {
        "data_file": row.data_file,
        "data_sha256": found.digest(drawn),
        "engine_version": __version__,
        "summary": {"mechanism": row.mechanism, "points": len(data)},
        "owner_view": figures,
    }


def read_release(row: Release) -> Any:
    """Return what a finished release published."""
    return datatypes[row.kind].release_from_table(parquet.read_table(row.data_path))


def released_counts(row: Release, which: int | None, points: int) -> dict[str, Any]:
    """Return one stream of a release, or the total, beside the upload's, thinned out for a chart."""
    stream = counts.read_stream(row.dataset.points_path)
    name, original = counts.curve_of(stream, which)
    _, released = counts.curve_of(read_release(row), which)
    at = decimated([original, released.astype(float)], points)
    return {
        "stream": which,
        "name": name,
        "timestamps": len(stream),
        "index": at.tolist(),
        "labels": [stream.labels[i] for i in at],
        "counts": listed(original[at]),
        "released": listed(released[at].astype(float)),
    }


def released_cells(row: Release, k: int) -> dict[str, Any]:
    """Return the cells that a release ranks first, beside the upload's counts of them."""
    model = read_release(row)
    uploaded = cells.counted(model.grid, cells.read_checkins(row.dataset.points_path))
    return cells.ranked(model.grid, model.counts, uploaded, k)


def promise_of(mechanism: Mechanism) -> dict[str, Any]:
    """Return what a mechanism promises, and how large its noise is; no data are read."""
    guarantee = mechanism.guarantee()
    return {
        "name": mechanism.name,
        "title": mechanism.title,
        "statement": guarantee.statement,
        "neighbours": guarantee.neighbours.words,
        "assumptions": list(guarantee.assumptions),
        "caveats": list(guarantee.caveats),
        "noise_sd": mechanism.noise_sd(),  # type: ignore[attr-defined]
    }


def price_of(price: ledger.Price) -> dict[str, Any]:
    """Return a price of the ledger in ε."""
    return {
        "unit": price.unit,
        "label": unit_text(price.unit),
        "price": (price.after - price.before) / ledger.MICRO,
        "spent": price.before / ledger.MICRO,
        "after": price.after / ledger.MICRO,
        "total": None if price.total is None else price.total / ledger.MICRO,
        "fits": price.fits,
    }
