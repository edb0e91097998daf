"""The page of check-ins."""

from collections.abc import Mapping
from typing import Any

from dashboard.core.templatetags.display import moment, number, whole
from dashboard.datasets.common.pages import Page
from privacy_engine.core.instants import instant


class CheckInPage(Page):
    """Their most visited cells and places."""

    def listed(self, known: Mapping[str, Any]) -> list[tuple[str, Any]]:
        return [
            ("Check-ins", whole(known["checkins"])),
            ("Users", whole(known["users"])),
            ("Places", None if known["places"] is None else whole(known["places"])),
            ("Listed venues", None if known.get("venues") is None else whole(known["venues"])),
            ("First", _moment(known["start_s"])),
            ("Last", _moment(known["end_s"])),
            ("Per user, mean", number(known["per_user"])),
            ("Per user, most", whole(known["most_per_user"])),
            ("Positions", "none: no mechanism can release them" if known["bounds"] is None else None),
        ]


def _moment(seconds: float | None) -> str | None:
    return None if seconds is None else str(moment(instant(seconds)))


ADAPTER = CheckInPage()
