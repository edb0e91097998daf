"""What a printed report holds of releases of count streams."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from django.http import HttpRequest

from dashboard.core.computing import computed_where
from dashboard.datasets.stream import counts
from dashboard.releases.common.release_data import original_of, read_release
from dashboard.releases.models import Release
from dashboard.releases.quoted_report import Fact, QuotedReport, below_zero
from dashboard.releases.report import POINTS, number_below
from privacy_engine.analysis.downsampling import decimated
from privacy_engine.analysis.results import listed
from privacy_engine.data import CountStream
from privacy_engine.data.stream_release import StreamRelease


class StreamReport(QuotedReport):
    """With a chart of a stream, or of the total."""

    several = "one count stream"

    def facts(self, published: StreamRelease) -> list[Fact]:
        spent = np.unique(published.budgets[published.budgets > 0])
        shares = " to ".join(f"{share:.4g}" for share in sorted({spent.min(), spent.max()})) if spent.size else "none"
        fresh = int((published.budgets > 0).sum())
        repeated = "; the others repeat an earlier release" if fresh < len(published) else ""
        first = f"{published.labels[0]} to {published.labels[-1]}" if len(published) else "none"
        return [
            Fact("Timestamps", f"{len(published):,}, {first}"),
            Fact("Streams", f"{len(published.names):,}"),
            Fact("Published counts", below_zero(published.counts)),
            Fact("Newly sampled", f"{fresh:,} timestamps, ε = {shares} each{repeated}"),
        ]

    def figure(self, request: HttpRequest, rows: Sequence[Release], *, owner: bool) -> dict[str, Any]:
        """Which points a public curve keeps depends on what was published alone."""
        return _figure(rows, request.GET.get("series", ""), owner)


@computed_where(lambda rows, *_: rows[0].dataset.is_large)
def _figure(rows: Sequence[Release], text: str, owner: bool) -> dict[str, Any]:
    published = [read_release(row) for row in rows]
    names = list(published[0].names)
    which = number_below(text, len(names)) if text else None
    return {
        "series": "" if which is None else which,
        "streams": list(enumerate(names)),
        "stream_name": "all streams together" if which is None else names[which],
        "drawn": {"curves": curves(published, which, original_of(rows[0]) if owner else None)},
    }


def curves(releases: Sequence[StreamRelease], which: int | None, original: CountStream | None = None) -> dict[str, Any]:
    """Counts of a stream or of the total, thinned out for a chart, with the ``original``'s beside them if given."""
    pairs = [counts.curve_of(release, which) for release in releases]
    lines = [values.astype(np.float64) for _, values in pairs]
    if original is not None:
        lines.append(counts.curve_of(original, which)[1])
    at = decimated(lines, POINTS)
    shown = {
        "name": pairs[0][0],
        "timestamps": len(releases[0]),
        "index": at.tolist(),
        "labels": [releases[0].labels[i] for i in at],
        "released": [listed(line[at]) for line in lines[: len(releases)]],
    }
    return shown if original is None else shown | {"original": listed(lines[-1][at])}


ADAPTER = StreamReport()
