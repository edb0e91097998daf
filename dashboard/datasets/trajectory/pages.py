"""The page of trajectories; its template shows their facts."""

from typing import ClassVar

from dashboard.datasets.common.pages import Page


class TrajectoryPage(Page):
    """Their map and landmark sets; releases are compared as they are selected, and attacked."""

    compares_selected: ClassVar[bool] = True
    actions: ClassVar[str] = "datasets/trajectory/_release_actions.html"


ADAPTER = TrajectoryPage()
