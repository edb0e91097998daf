"""Published counts: a chart of a stream, or of the total."""

from typing import Any

from django.http import HttpRequest

from dashboard.core.computing import computed_where
from dashboard.publications import copies
from dashboard.publications.common.quoted import QuotedPublic
from dashboard.publications.models import Publication
from dashboard.releases.models import Release
from dashboard.releases.stream import report
from dashboard.storage.data_files import is_large

LISTED = 2000
"""The most streams to choose from."""


class PublicStream(QuotedPublic):
    """With the streams to choose from."""

    report = report.ADAPTER

    def facts(self, row: Release, data: Any) -> dict[str, Any]:
        more = {"timestamps": len(data), "below_zero": bool(data.counts.min(initial=0) < 0)}
        return super().facts(row, data) | more

    def context(self, request: HttpRequest, publication: Publication) -> dict[str, Any]:
        text = request.GET.get("stream", "")
        which = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None
        curves, streams = _shown(publication, which)
        return {"streams": streams, "stream": which, "stream_name": curves["name"], "drawn": {"curves": curves}}


@computed_where(lambda publication, _: is_large(publication.data_path))
def _shown(publication: Publication, which: int | None) -> tuple[dict[str, Any], list[tuple[int, str]]]:
    data = copies.read_data(publication)
    return report.curves([data], which), list(enumerate(data.names))[:LISTED]


ADAPTER = PublicStream()
