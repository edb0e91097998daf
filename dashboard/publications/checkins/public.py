"""A published model of check-ins: the cells it ranks first, on a map."""

from typing import Any

from django.http import HttpRequest

from dashboard.core.templatetags.display import place
from dashboard.publications import copies
from dashboard.publications.common.quoted import QuotedPublic
from dashboard.publications.models import Publication
from dashboard.releases.checkins.cells import places
from dashboard.releases.checkins.report import ADAPTER as REPORT


class PublicModel(QuotedPublic):
    """With the centres of the cells."""

    report = REPORT

    def context(self, request: HttpRequest, publication: Publication) -> dict[str, Any]:
        ranked = places(copies.read_data(publication))
        return {"places": [cell | {"centre": _centre(cell)} for cell in ranked], "drawn": {"places": ranked}}


def _centre(cell: dict[str, Any]) -> str:
    return place((cell["west"] + cell["east"]) / 2, (cell["south"] + cell["north"]) / 2)


ADAPTER = PublicModel()
