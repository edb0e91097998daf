"""What a printed report holds of releases of check-ins."""

from collections.abc import Sequence
from typing import Any

from django.http import HttpRequest

from dashboard.releases.checkins.cells import PLACES, masses_of, places, released_cells
from dashboard.releases.common.release_data import read_release
from dashboard.releases.models import Release
from dashboard.releases.quoted_report import Fact, QuotedReport, below_zero
from privacy_engine.recommender import PopularityModel, Recommender


class CheckInReport(QuotedReport):
    """With a map of the cells that each release ranks first."""

    several = "the same check-ins"

    def facts(self, published: Recommender) -> list[Fact]:
        grid, masses = published.grid, masses_of(published)
        what = "counts" if isinstance(published, PopularityModel) else "masses"
        return [
            Fact("Grid", f"{grid.columns:,} × {grid.rows:,} cells over {grid.box_text}"),
            Fact(f"Published {what}", below_zero(masses)),
            Fact(f"Sum of the {what}", f"{masses.sum():,.0f}"),
        ]

    def figure(self, request: HttpRequest, rows: Sequence[Release], *, owner: bool) -> dict[str, Any]:
        shown = [released_cells(row, PLACES)["cells"] if owner else places(read_release(row)) for row in rows]
        return {"drawn": {"places": shown}}


ADAPTER = CheckInReport()
