"""What to expect of releases of a count stream before any is made: from the original, for the owner alone."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from dashboard.core.computing import computed
from dashboard.datasets.models import Dataset, Kind
from dashboard.datasets.stream.counts import shown
from dashboard.releases.common.least_levels import KindLevels, is_usable, kind_levels
from dashboard.releases.selectors import made
from dashboard.storage.data_files import cached_data
from dashboard.storage.stored_path import StoredPath
from privacy_engine import noise
from privacy_engine.analysis.repeated import SHOWN, Effort
from privacy_engine.analysis.results import Result
from privacy_engine.analysis.stream_forecast import CountForecast, count_forecast, zeros_forecast
from privacy_engine.analysis.utility_verdict import CountRules, UtilityVerdict, count_rules, count_verdict
from privacy_engine.data import CountStream
from privacy_engine.mechanisms.base.stream import StreamMechanism
from privacy_engine.releases.spec import SimulatedSpec

DRAWN_POINTS = 400
"""Timestamps of a preview, at most."""
PREVIEW_SEED = 0


class MechanismCounts(Result):
    """Errors to expect of one release, and the verdict on them; null where nothing is known."""

    name: str
    title: str
    forecast: CountForecast
    verdict: UtilityVerdict | None
    made: str | None = None
    """The page of a release that is made, or being made, as described, of the same data; null for none."""


class ExpectedCounts(Result):
    """Errors to expect of releases, beside those of publishing zeros, which costs no ε, and the rules of verdicts."""

    zeros: CountForecast
    rules: CountRules | None
    mechanisms: list[MechanismCounts]


class PreviewedStream(Result):
    """One stream with a simulated release of it: counts at some timestamps, the extremes kept."""

    name: str
    typical_count: float
    typical_error: float
    """Of this stream in this one simulation: half of the counts are off by at most this."""
    index: list[int]
    labels: list[str]
    counts: list[float | None]
    released: list[float | None]


class CountPreview(Result):
    """A large, a typical and a small stream beside one simulation from a fixed seed, which is never private."""

    timestamps: int
    streams: list[PreviewedStream]


@computed
def expected_counts(dataset: Dataset, mechanisms: Sequence[StreamMechanism]) -> ExpectedCounts:
    """Return the errors to expect of a release by each mechanism."""
    zeros = _zeros(dataset.points_path)
    rows = []
    pages = made(dataset, None, [SimulatedSpec(mechanism=given) for given in mechanisms])
    for mechanism, page in zip(mechanisms, pages, strict=True):
        forecast = _forecast(dataset.points_path, mechanism)
        rated = _verdict(mechanism, forecast, zeros)
        rows.append(
            MechanismCounts(name=mechanism.name, title=mechanism.title, forecast=forecast, verdict=rated, made=page)
        )
    rules = None if zeros.are is None else count_rules(zeros.are)
    return ExpectedCounts(zeros=zeros, rules=rules, mechanisms=rows)


def _verdict(mechanism: StreamMechanism, forecast: CountForecast, zeros: CountForecast) -> UtilityVerdict | None:
    if forecast.are is None or zeros.are is None:
        return None
    return count_verdict(forecast.are, zeros.are, unsound=bool(mechanism.unsound))


@lru_cache(maxsize=256)
def _forecast(path: StoredPath, mechanism: StreamMechanism, how: Effort = SHOWN) -> CountForecast:
    return count_forecast(mechanism, cached_data(Kind.STREAM, path), how)


@lru_cache(maxsize=32)
def _zeros(path: StoredPath) -> CountForecast:
    return zeros_forecast(cached_data(Kind.STREAM, path))


@computed
def least_count_levels(dataset: Dataset, mechanisms: Sequence[StreamMechanism], accepted: float | None) -> KindLevels:
    """Return the least ε of each mechanism at which half of the counts are off by at most ``accepted``.

    None for ``accepted``: at which the counts are usable.
    """

    def reached(mechanism: StreamMechanism, how: Effort) -> bool:
        forecast = _forecast(dataset.points_path, mechanism, how)
        if accepted is None:
            return is_usable(_verdict(mechanism, forecast, _zeros(dataset.points_path)))
        return forecast.typical_error is not None and forecast.typical_error <= accepted

    return kind_levels(dataset, mechanisms, accepted, reached)


@computed
def count_preview(dataset: Dataset, mechanism: StreamMechanism) -> CountPreview:
    """Return a simulated release of a few streams, :func:`previewed`."""
    stream: CountStream = cached_data(dataset.kind, dataset.points_path)
    release = mechanism.release(stream, rng=noise.seeded(PREVIEW_SEED))

    def of(which: int) -> PreviewedStream:
        curve: dict[str, Any] = shown(stream, which, DRAWN_POINTS, released=release)
        truth, off = stream.counts[:, which], np.abs(release.counts[:, which] - stream.counts[:, which])
        return PreviewedStream(
            **{part: curve[part] for part in ("name", "index", "labels", "counts", "released")},
            typical_count=float(np.median(truth)),
            typical_error=float(np.median(off)),
        )

    streams = [of(which) for which in previewed(stream)] if len(stream) else []
    return CountPreview(timestamps=len(stream), streams=streams)


def previewed(stream: CountStream) -> list[int]:
    """Return the numbers of the largest stream by its total, of the median and of a stream in the lowest quarter."""
    order = np.argsort(-stream.counts.sum(axis=0), kind="stable")
    places = (0, (len(order) - 1) // 2, round((len(order) - 1) * 0.75))
    return list(dict.fromkeys(int(order[place]) for place in places if len(order)))
