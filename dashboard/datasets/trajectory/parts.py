"""What is computed of many people's stored trajectories in parts (dashboard/jobs/parts.py): facts, counts of events.

A part is of a unit of people. The arrays that it computes are a file beside the points until they are joined.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dashboard.datasets.evidence import Sketches
from dashboard.datasets.models import Dataset, DatasetPart
from dashboard.jobs import leases
from dashboard.jobs.parts import Piece
from dashboard.storage import part_files
from dashboard.storage.data_files import read_series, series_index, stored_units
from dashboard.storage.stored_path import StoredPath
from privacy_engine.aggregation import AggregationSpec, events_of
from privacy_engine.aggregation.counting import (
    Aggregated,
    Extent,
    Visits,
    aggregate_parts,
    extent_of,
    layout,
    visits_of,
)
from privacy_engine.data import Trajectory
from privacy_engine.datatypes.trajectory_facts import FactsPart, TrajectoryFacts, facts_of_parts, facts_part

FACTS, COUNTS = "facts", "counts"
Arrays = Mapping[str, NDArray[Any]]


@dataclass(frozen=True)
class Claimed:
    """A claimed row whose work is cut into parts: ``run(pk)`` works off one, ``report(share)`` takes the progress."""

    row: Dataset
    lease: leases.Lease
    run: Callable[[Any], Any]
    report: Callable[[float], None]

    def facts(self, path: StoredPath, sketched: Callable[[Sketches], None] | None = None) -> TrajectoryFacts | None:
        """The facts of the points at ``path``; None where all are of one unit, or no trajectories.

        ``sketched`` is called with their sketches, unless the result is None.
        """
        if len(units := _units(self.row.kind, path)) < 2:
            return None
        parts = [*self._computed(FACTS, units, path, sketched=sketched is not None)]
        if sketched is not None:
            sketched(
                Sketches.joined(Sketches(*(part.pop(name).tobytes() for name in Sketches._fields)) for part in parts)
            )
        return facts_of_parts(FactsPart(**arrays) for arrays in parts)

    def counts(self, source: Dataset, spec: AggregationSpec, cleaned: Sequence[str]) -> Aggregated | None:
        """The counts of the events of ``source``; None as of :meth:`facts`; errors as of ``aggregate``."""
        path = source.points_path
        if len(units := _units(source.kind, path)) < 2:
            return None
        extent = Extent.around(extent_of(events_of(read_series(path, unit))) for unit in units)
        visits = self._computed(COUNTS, units, path, extent=extent._asdict())
        return aggregate_parts((Visits.of(arrays) for arrays in visits), extent, spec, cleaned)

    def _computed(
        self, step: str, units: Sequence[slice], path: StoredPath, **given: Any
    ) -> Iterator[dict[str, NDArray[Any]]]:
        sizes, given = series_index(path).sizes, {"path": path.key, **given}
        pieces = [Piece(float(sizes[unit].sum()), given) for unit in units]
        return part_files.results(self.row, self.lease, step, pieces, run=self.run, report=self.report)


def _units(kind: str, path: StoredPath) -> Sequence[slice]:
    return stored_units(path) if kind == Trajectory.kind else []


def work(part: DatasetPart, lease: leases.Lease) -> dict[str, Any]:
    """Work off a claimed part."""
    path = StoredPath(part.given["path"])
    tracks = read_series(path, stored_units(path)[part.number])
    return part_files.store(part, lease, _WORK[part.step](part, tracks))


def _facts(part: DatasetPart, tracks: Sequence[Trajectory]) -> Arrays:
    arrays = facts_part(tracks)._asdict()
    if part.given.get("sketched"):
        sketches = Sketches.of(Trajectory.kind, tracks)._asdict()
        arrays |= {name: np.frombuffer(sketch, np.uint8) for name, sketch in sketches.items()}
    return arrays


def _counts(part: DatasetPart, tracks: Sequence[Trajectory]) -> Arrays:
    spec, extent = AggregationSpec.parse(part.job.aggregation), Extent(**part.given["extent"])
    return visits_of(events_of(tracks), spec, *layout(extent, spec))._asdict()


_WORK: dict[str, Callable[[DatasetPart, Sequence[Trajectory]], Arrays]] = {FACTS: _facts, COUNTS: _counts}
