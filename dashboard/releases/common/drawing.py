"""How releases of a kind of data are drawn: what a worker needs of the kind."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from dashboard.core.by_kind import ByKind
from dashboard.jobs import leases
from dashboard.jobs.parts import Piece
from dashboard.releases.models import Release, ReleasePart
from dashboard.storage.data_files import read_data
from privacy_engine.accounting.promise import Context
from privacy_engine.datatypes import datatypes
from privacy_engine.releases.inputs import ReleaseInputs

READ, DRAWN, MEASURED, WRITTEN = 0.05, 0.75, 0.85, 0.95
"""The share of the work that is over after each stage."""


class Made(NamedTuple):
    """What the row of a release stores of what was made; ``figures`` and ``beside`` are the owner's alone."""

    sha256: str
    summary: dict[str, Any]
    figures: dict[str, float]
    beside: dict[str, float]


class Drawing:
    """Of data without landmarks and without steps after a release; kinds that have either override it."""

    def load(self, row: Release) -> ReleaseInputs[Any]:
        """All that a release reads."""
        return ReleaseInputs(read_data(row.kind, row.dataset.points_path), context=self.context(row))

    def draw(self, row: Release, inputs: ReleaseInputs[Any], lease: leases.Lease) -> Any:
        """What is published. The lease learns of each share that is drawn, so that a long release can be stopped."""
        watch = lease.reporting("Drawing", READ, DRAWN)
        return datatypes[row.kind].release(row.parsed_spec, inputs.data, inputs.landmarks, watch=watch)

    def pieces(self, row: Release) -> Sequence[Piece]:
        """What it can be cut into for several workers; less than two where it is drawn at once."""
        return []

    def draw_parts(self, row: Release, lease: leases.Lease, pieces: Sequence[Piece], run: Any) -> Made:
        """Draw the pieces by several workers and store what they make; ``run(pk)`` works off a part."""
        raise NotImplementedError

    def work_part(self, part: ReleasePart, lease: leases.Lease) -> Any:
        """A worker's work on a part, as of :func:`dashboard.jobs.parts.run_part`."""
        raise NotImplementedError

    def summary(self, row: Release, inputs: ReleaseInputs[Any], drawn: Any) -> dict[str, Any]:
        """What recipients may know of it beside its mechanism and size."""
        return {}

    def beside_figures(self, row: Release, inputs: ReleaseInputs[Any]) -> dict[str, float]:
        """What the verdict on its errors needs beside them: the owner's alone."""
        return {}

    def prepare(self, row: Release) -> None:
        """Make ahead what requests about many events need, from the stored release."""

    def context(self, row: Release) -> Context:
        """What the promise of a release depends on."""
        return row.dataset.context.with_box(row.parsed_spec.box_from_data)

    def charged_context(self, row: Release) -> Context:
        """What its charge depends on, before it is made."""
        return Context()


drawings: ByKind[Drawing] = ByKind("dashboard.releases", "drawing")
