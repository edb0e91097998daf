"""The page of trajectories; its template shows their facts."""

from collections.abc import Sequence
from typing import ClassVar

from dashboard.datasets.common.pages import ERROR, Column, Page


class TrajectoryPage(Page):
    """Their map and landmark sets; releases are compared as they are selected, and attacked."""

    columns: ClassVar[Sequence[Column]] = (
        Column("Radius", "datasets/trajectory/_radius.html", term="radius"),
        ERROR._replace(title="Typical error", cell="datasets/trajectory/_error.html"),
    )
    compares_selected: ClassVar[bool] = True
    actions: ClassVar[str] = "datasets/trajectory/_release_actions.html"


ADAPTER = TrajectoryPage()
