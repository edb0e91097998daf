"""One job on several processes: a release in parts by workers of a real installation, and by two processes of Dask."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from benchmarks import distributed_release, job_workers

POINTS, PEOPLE = 3_000_000, 300


def bench_release_in_parts(finding: Any) -> None:
    medians = job_workers.measured(POINTS, PEOPLE, 1, "event-level", "folder")
    what = f"release of {POINTS:,} events of {PEOPLE} people in parts, wall clock: by two workers beside one"
    (one, cpu), (two, _), (_, of_four) = (medians["release", workers] for workers in job_workers.WORKERS)
    finding("", what, "at 10⁷ events ≥ 1.6×", f"{one / two:.2f}× ({one:.1f} s by one)", None)
    what = "the same by four workers of one core each, on the cores of this machine: CPU beside one worker"
    finding("", what, "at 10⁷ events ≤ 1.15×", f"{of_four / cpu:.2f}×", None)


def bench_distributed_release(finding: Any, tmp_path: Path) -> None:
    file = tmp_path / "walks.parquet"
    job_workers.write_points(file, POINTS, PEOPLE)
    pq.write_table(pq.read_table(file).rename_columns({"person": "user"}), file)
    one, two = (distributed_release.measured(how, str(file), tmp_path) for how in ("single", "two"))
    assert distributed_release.equal(tmp_path / "two", tmp_path / "single")
    what = f"release of {POINTS:,} events of {PEOPLE} people by two processes of Dask beside one process"
    ratios = f"{one[0] / two[0]:.2f}× as fast, {two[1] / one[1]:.2f}× the CPU"
    finding("", f"{what}, with start and shuffle", "", ratios, None)
