"""What the explanation of a release of count streams holds: the published counts of a stream, and their noise."""

import math
from typing import Any

import numpy as np

from dashboard.core.axis import ticks
from dashboard.releases.common.release_data import read_release
from dashboard.releases.explanation import Explanation, Subject
from dashboard.releases.models import Release
from dashboard.releases.paper_figure import Plot
from dashboard.releases.report import number_below
from dashboard.releases.stream.report import ADAPTER as REPORT
from privacy_engine.accounting.promise import Context
from privacy_engine.analysis.downsampling import decimated
from privacy_engine.core.arrays import Floats, ceil_div
from privacy_engine.core.plurals import quantity
from privacy_engine.data.stream_release import StreamRelease
from privacy_engine.mechanisms.base.stream import CLEAR_NAMES, MANY_WINDOWS, StreamMechanism

WIDTH, HEIGHT = 680, 200
LEFT, RIGHT, ABOVE, BELOW = 4, 74, 24, 26
"""Pixels around the counts: for the noise, for a number, for times."""
DRAWN, POINTS = 900, 2000
"""Points of the image, and of a paper's figure."""
LISTED = 2000
"""The most streams to choose from."""
TIMES, WINDOWS = (1, 2, 5), 10
"""How many times the sensitivity, and how many windows at most, the page states a guess for."""


class ExplainedStream(Explanation):
    """With a chart of a stream: the largest, unless another is chosen."""

    known = "all other events, all timestamps and all names"
    listed = (CLEAR_NAMES,)

    def subject(self, mechanism: StreamMechanism, context: Context) -> Subject:
        successive = f"{mechanism.window:,} successive timestamps" if mechanism.window > 1 else "one timestamp"
        change = f"as far as they change its counts by at most {mechanism.sensitivity:,} in sum"
        change = change.replace("its counts", "the counts of each timestamp") if mechanism.window > 1 else change
        who = f"The events of any {successive}, {change}"
        return Subject(who, "whether they happened", "the same timestamps and names")

    def questions(
        self, mechanism: StreamMechanism, context: Context, label: dict[str, Any], published: dict[str, Any]
    ) -> list[tuple[str, float]]:
        """Several times the sensitivity, and several windows, are so many successive changes."""
        when = "in one window" if mechanism.window > 1 else "at one timestamp"
        changes = [(f"by {times * mechanism.sensitivity:,} {when}", times * label["epsilon"]) for times in TIMES]
        windows = min(ceil_div(published["timestamps"], mechanism.window), WINDOWS)
        each = f"in each of {windows} windows" if mechanism.window > 1 else f"at each of {windows} timestamps"
        return [*changes, *[(f"by {mechanism.sensitivity:,} {each}", windows * label["epsilon"])] * (windows > 1)]

    def not_hidden(self, label: dict[str, Any], facts: dict[str, Any]) -> list[str]:
        one_window = facts.get("timestamps", math.inf) <= (label.get("window") or 1)
        return [text for text in super().not_hidden(label, facts) if not (one_window and text == MANY_WINDOWS)]

    def published(self, row: Release, series: str) -> dict[str, Any]:
        data, mechanism = read_release(row), row.parsed_spec.mechanism
        which = _chosen(series, data)
        values = data.counts[:, which].astype(np.float64)
        noise_sd = mechanism.noise_sd()
        return {
            "facts": REPORT.facts(data),
            "timestamps": len(data),
            "first": data.labels[0] if len(data) else "",
            "last": data.labels[-1] if len(data) else "",
            "series": which,
            "streams": list(enumerate(data.names))[:LISTED],
            "stream_count": len(data.names),
            "stream_name": data.names[which],
            "noise_sd": noise_sd,
            "faint": int((np.abs(data.counts) < 2 * noise_sd).sum()),
            "published_counts": data.counts.size,
            "image": _image(data, values, noise_sd) if len(values) else None,
        }

    def plot(self, row: Release, series: str) -> Plot:
        data = read_release(row)
        which = _chosen(series, data)
        values = data.counts[:, which].astype(np.float64)
        at = decimated([values], POINTS) if len(values) else np.empty(0, np.int64)
        first = f", 1 is {data.labels[0]}" if len(data) else ""
        return Plot(
            xy=np.column_stack([at + 1.0, values[at]]),
            titles=(f"timestamp{first}", "published count"),
            what=f"Published counts of {data.names[which]}",
            details=[quantity(len(data), "timestamp"), f"sensitivity {row.parsed_spec.mechanism.sensitivity}"],
        )


def _chosen(series: str, data: StreamRelease) -> int:
    """The number of the stream that is requested; without any that of the largest published sum."""
    return number_below(series, len(data.names)) if series else int(data.counts.sum(axis=0, dtype=np.float64).argmax())


def _image(data: StreamRelease, values: Floats, noise_sd: float) -> dict[str, Any]:
    """The counts as a line, and at the scale of its axis a standard deviation of the noise above and below."""
    low, high = min(float(values.min()), 0.0), max(float(values.max()), 2 * noise_sd)
    at = decimated([values], DRAWN)
    right = WIDTH - RIGHT
    scale = (HEIGHT - ABOVE - BELOW) / (high - low)
    x = LEFT + at / max(len(values) - 1, 1) * (right - LEFT)
    y = HEIGHT - BELOW - (values[at] - low) * scale
    numbers = [
        {"y": round(HEIGHT - BELOW - (tick - low) * scale, 1), "text": f"{tick:,g}"} for tick in ticks(low, high, 5)
    ]
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x.tolist(), y.tolist(), strict=True))
    bar, middle = noise_sd * scale, (ABOVE + HEIGHT - BELOW) / 2
    box = {"width": WIDTH, "height": HEIGHT, "left": LEFT, "right": right, "base": HEIGHT - BELOW}
    return box | {"points": points, "ticks": numbers, "top": round(middle - bar, 1), "bottom": round(middle + bar, 1)}


ADAPTER = ExplainedStream()
