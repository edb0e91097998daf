"""Published counts: a chart of one stream, or of the total."""

from typing import Any

from django.http import HttpRequest

from dashboard.publications import copies
from dashboard.publications.common.quoted import QuotedPublic
from dashboard.publications.models import Publication
from dashboard.releases.stream import report

LISTED = 2000
"""The most streams to choose from."""


class PublicStream(QuotedPublic):
    """With the streams to choose from."""

    report = report.ADAPTER

    def context(self, request: HttpRequest, publication: Publication) -> dict[str, Any]:
        data, text = copies.read_data(publication), request.GET.get("stream", "")
        which = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None
        curves = report.curves([data], which)
        streams = list(enumerate(data.names))[:LISTED]
        return {"streams": streams, "stream": which, "stream_name": curves["name"], "drawn": {"curves": curves}}


ADAPTER = PublicStream()
