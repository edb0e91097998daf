"""What the explanation of a release of check-ins holds: the cells that the published model ranks first."""

from typing import Any

import numpy as np

from dashboard.core.templatetags.display import place
from dashboard.maps.server_image import OPACITIES, Frame
from dashboard.releases.checkins.cells import places
from dashboard.releases.checkins.report import ADAPTER as REPORT
from dashboard.releases.common.release_data import read_release
from dashboard.releases.explanation import Explanation, Subject
from dashboard.releases.models import Release
from dashboard.releases.paper_figure import Plot
from privacy_engine.accounting.promise import Context
from privacy_engine.core.geo import LocalPlane
from privacy_engine.data.grid import Grid
from privacy_engine.mechanisms.base.checkins import PUBLIC_GRID, CheckInMechanism

TOGETHER = ((1, "one"), (2, "two"), (5, "five"), (10, "ten"))
EDGES = ("west", "south", "east", "north")


class ExplainedModel(Explanation):
    """With a map of the first cells."""

    known = "all other check-ins"

    def subject(self, mechanism: CheckInMechanism, context: Context) -> Subject:
        who, between = "Each single check-in", "whether it is among them"
        if mechanism.privacy_unit == "user":
            who = "All check-ins under one user name, of which the first "
            who += f"{mechanism.contributions:,} {mechanism.counting}"
            between = "whether they are among the data"
        if mechanism.relation == "replace-one":
            between += " or others are in their place"
        chosen = "taken as given" if context.box_from_data else PUBLIC_GRID
        return Subject(who, between, f"{mechanism.domain} {chosen}")

    def questions(
        self, mechanism: CheckInMechanism, context: Context, label: dict[str, Any], published: dict[str, Any]
    ) -> list[tuple[str, float]]:
        """Several users, or check-ins, are so many successive changes."""
        users = mechanism.privacy_unit == "user"
        noun, more = ("user", "users together") if users else ("check-in", "check-ins of one user")
        return [(f"{text} {noun if n == 1 else more}", n * label["epsilon"]) for n, text in TOGETHER]

    def published(self, row: Release, series: str) -> dict[str, Any]:
        model = read_release(row)
        ranked = places(model)
        more = {"noise_sd": row.parsed_spec.mechanism.noise_sd(), "image": _image(model.grid, ranked)}
        return {"facts": REPORT.facts(model), "grid": model.grid, "places": ranked, **more}

    def plot(self, row: Release, series: str) -> Plot:
        ranked = places(read_release(row))
        west, south, east, north = np.array([[cell[name] for name in EDGES] for cell in ranked]).T
        lon, lat = (west + east) / 2, (south + north) / 2
        plane = LocalPlane.around(lon, lat)
        side = row.parsed_spec.mechanism.side
        return Plot(
            xy=plane.project(lon, lat) / 1000,
            titles=(f"km east of {place(plane.lon, plane.lat)}", "km north"),
            what=f"The {len(ranked)} cells that the published model ranks first, with their ranks",
            details=[f"grid {side} × {side}"],
            marks=[str(cell["rank"]) for cell in ranked],
            is_map=True,
        )


def _image(grid: Grid, ranked: list[dict[str, Any]]) -> dict[str, Any]:
    """The box and the first cells, darker the higher they are ranked."""
    frame = Frame.around(np.array([grid.west, grid.east]), np.array([grid.north, grid.south]))
    shade = [OPACITIES[-1 - len(OPACITIES) * i // len(ranked)] for i in range(len(ranked))]
    paths = [frame.rectangle(*(cell[name] for name in EDGES)) for cell in ranked]
    cells = [{"opacity": opacity, "path": path} for opacity, path in zip(shade, paths, strict=True)]
    return frame.drawn() | {"shades": cells, "box": frame.rectangle(*(getattr(grid, name) for name in EDGES))}


ADAPTER = ExplainedModel()
