"""How releases of a kind of data are drawn: what a worker needs of the kind."""

from typing import Any

from dashboard.core.by_kind import ByKind
from dashboard.jobs import leases
from dashboard.releases.models import Release
from dashboard.storage.data_files import read_data
from privacy_engine.accounting.promise import Context
from privacy_engine.datatypes import datatypes
from privacy_engine.releases.inputs import ReleaseInputs

READ, DRAWN, MEASURED, WRITTEN = 0.05, 0.75, 0.85, 0.95
"""The share of the work that is over after each stage."""


class Drawing:
    """Of data without landmarks and without steps after a release; kinds that have either override it."""

    def load(self, row: Release) -> ReleaseInputs[Any]:
        """All that a release reads."""
        return ReleaseInputs(read_data(row.kind, row.dataset.points_path), context=self.context(row))

    def draw(self, row: Release, inputs: ReleaseInputs[Any], lease: leases.Lease) -> Any:
        """What is published. The lease learns of each share that is drawn, so that a long release can be stopped."""

        def watch(share: float) -> None:
            lease.report("Drawing", READ + (DRAWN - READ) * share)

        return datatypes[row.kind].release(row.parsed_spec, inputs.data, inputs.landmarks, watch=watch)

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
