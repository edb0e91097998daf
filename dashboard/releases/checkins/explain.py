"""What the explanation of a release of check-ins holds: the cells that the published model ranks first."""

from typing import Any

import numpy as np

from dashboard.core.templatetags.display import place
from dashboard.maps import server_image
from dashboard.releases.checkins.cells import places
from dashboard.releases.checkins.report import ADAPTER as REPORT
from dashboard.releases.common.published import read_release
from dashboard.releases.explanation import Explanation, Subject
from dashboard.releases.models import Release
from dashboard.releases.paper_figure import Plot
from privacy_engine.accounting.promise import Context
from privacy_engine.core.geo import LocalPlane
from privacy_engine.data.grid import Grid
from privacy_engine.mechanisms.base.checkins import PUBLIC_GRID, CheckInMechanism

TOGETHER = ((1, "one"), (2, "two"), (5, "five"), (10, "ten"))


class ExplainedModel(Explanation):
    """With a map of the first cells."""

    known = "all other check-ins"

    def subject(self, mechanism: CheckInMechanism, context: Context) -> Subject:
        who = "Each single check-in"
        if mechanism.privacy_unit == "user":
            who = "All check-ins under one user name, of which the first "
            who += f"{mechanism.contributions:,} {mechanism.counting}"
        between = "whether they are among the data" if mechanism.privacy_unit == "user" else "whether it is among them"
        if mechanism.relation == "replace-one":
            between += " or others are in their place"
        chosen = "taken as given" if context.box_from_data else PUBLIC_GRID
        return Subject(who, between, f"{mechanism.domain} {chosen}")

    def questions(
        self, mechanism: CheckInMechanism, context: Context, label: dict[str, Any], published: dict[str, Any]
    ) -> list[tuple[str, float]]:
        """Several users, or check-ins, are so many changes one after another."""
        users = mechanism.privacy_unit == "user"
        noun, more = ("user", "users together") if users else ("check-in", "check-ins of one user")
        return [(f"{text} {noun if n == 1 else more}", n * label["epsilon"]) for n, text in TOGETHER]

    def published(self, row: Release, series: str) -> dict[str, Any]:
        model, mechanism = read_release(row), row.parsed_spec.mechanism
        found = places(model)
        return {
            "facts": REPORT.facts(model),
            "grid": model.grid,
            "places": found,
            "noise_sd": mechanism.noise_sd(),
            "image": _image(model.grid, found),
        }

    def plot(self, row: Release, series: str) -> Plot:
        found = places(read_release(row))
        lon, lat = _middles(found)
        plane = LocalPlane.around(lon, lat)
        return Plot(
            xy=plane.project(lon, lat) / 1000,
            titles=(f"km east of {place(plane.lon, plane.lat)}", "km north"),
            what=f"The {len(found)} cells that the published model ranks first, with their ranks",
            details=[f"grid {row.parsed_spec.mechanism.side} × {row.parsed_spec.mechanism.side}"],
            marks=[str(one["rank"]) for one in found],
            is_map=True,
        )


def _middles(found: list[dict[str, Any]]) -> tuple[Any, Any]:
    edges = np.array([[one[name] for name in ("west", "east", "south", "north")] for one in found])
    return edges[:, :2].mean(axis=1), edges[:, 2:].mean(axis=1)


def _image(grid: Grid, found: list[dict[str, Any]]) -> dict[str, Any]:
    """The box and the first cells, darker the higher they are ranked."""
    corners = ([grid.west, grid.east], [grid.north, grid.south])
    frame = server_image.Frame.around(*map(np.array, corners))
    cells = []
    for i, one in enumerate(found):
        (x, y), (right, base) = frame.places(*map(np.array, ([one["west"], one["east"]], [one["north"], one["south"]])))
        cells.append(
            {
                "x": x,
                "y": y,
                "width": right - x,
                "height": base - y,
                "rank": one["rank"],
                "opacity": server_image.OPACITIES[-1 - 4 * i // len(found)],
            }
        )
    (x, y), (right, base) = frame.places(*map(np.array, corners))
    box = {"x": x, "y": y, "width": right - x, "height": base - y}
    return frame.drawn() | {"cells": cells, "box": box}


ADAPTER = ExplainedModel()
