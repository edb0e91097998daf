"""Trajectories as a kind of data: the data of an upload is the list of its series."""

import hashlib
import hmac
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, BinaryIO, ClassVar

import numpy as np

from privacy_engine.accounting.promise import Context
from privacy_engine.analysis import outline
from privacy_engine.analysis.error_forecast import ForecastData, error_forecast
from privacy_engine.analysis.forecast import overall_noise
from privacy_engine.analysis.quantiles import Quantiles
from privacy_engine.core.arrays import Floats, Ints, concatenated, in_turn, parts_of
from privacy_engine.core.geo import distance_m
from privacy_engine.core.progress import reported
from privacy_engine.data import LandmarkSet, Release, Trajectory
from privacy_engine.data.event_sketch import EventSketch, sketch_of
from privacy_engine.data.mapped_series import leaving
from privacy_engine.data.numbered import each
from privacy_engine.data.people import Person, largest_total
from privacy_engine.data.points_digest import CELLS_PER_DEGREE, blocks_digest, trajectories_digest
from privacy_engine.data.releases import Releases, releases_of
from privacy_engine.data.trajectories import EVENTS, Trajectories, has_times, in_pieces, together
from privacy_engine.datatypes import trajectory_table
from privacy_engine.datatypes.base import DataType, Watch
from privacy_engine.datatypes.tables import Table
from privacy_engine.datatypes.trajectory_facts import TrajectoryFacts, facts_of
from privacy_engine.datatypes.trajectory_table import (
    SLOW_COLUMNS,
    PublishedSeries,
    PublishedTable,
    batches,
    published_of,
    published_series,
    release_table_of,
    release_tables_of,
    series_of,
    series_of_batches,
    table_of,
    tables_of,
)
from privacy_engine.exports.base import Label
from privacy_engine.exports.trajectory import write
from privacy_engine.releases.inputs import ReleaseInputs
from privacy_engine.releases.spec import ReleaseSpec

FIGURES: Mapping[str, Mapping[str, Any]] = {
    "mae_m": {"name": "mean-absolute-error"},
    "median_error_m": {"name": "error-quantile", "p": 0.5},
    "p95_error_m": {"name": "error-quantile", "p": 0.95},
    "max_error_m": {"name": "error-quantile", "p": 1.0},
}
"""The metrics that are stored for the owner of a release, by the keys of the stored values."""
BUDGETS: Sequence[tuple[str, str]] = (("budget", "budgets"), ("fresh", "fresh"), ("sd_m", "sd_m"))
"""Columns of what each event consumed, and the fields of a release that they are."""

DIGESTED = 1 << 16
"""Numbers of a column rounded at a time."""


class TrajectoryType(DataType):
    """Positions in the order of time, in series of people."""

    kind: ClassVar[str] = Trajectory.kind
    rank: ClassVar[int] = 0
    title: ClassVar[str] = "Trajectories"
    item: ClassVar[str] = "event"
    items: ClassVar[str] = "events"
    about: ClassVar[str] = "positions over time"
    units: ClassVar[tuple[str, ...]] = ("event_per_m",)
    cleaned: ClassVar[bool] = True
    has_stays: ClassVar[bool] = True
    has_landmarks: ClassVar[bool] = True
    has_events: ClassVar[bool] = True
    slow_columns: ClassVar[Collection[str]] = (*SLOW_COLUMNS, "error_mm")

    @property
    def series_of_release(self) -> Callable[[str, str, dict[str, Any]], PublishedSeries]:
        return published_series

    def size(self, data: Sequence[Trajectory]) -> int:
        return len(data.lon) if isinstance(data, Trajectories) else sum(len(track) for track in data)

    def facts(self, data: Sequence[Trajectory]) -> TrajectoryFacts:
        return facts_of(data)

    def uncountable(self, facts: Mapping[str, Any]) -> str:
        return "" if facts.get("has_time") else "events with times"

    def outline(self, data: Sequence[Trajectory]) -> list[Floats]:
        return outline.of_tracks(data)

    def content_digest(self, data: Sequence[Trajectory]) -> str:
        """Of the stored columns. Names, marks and the split into series stay out."""
        return _digested(hashlib.sha256(), data)

    def keyed_digest(self, data: Sequence[Trajectory], key: str) -> str:
        return _digested(hmac.new(key.encode(), digestmod=hashlib.sha256), data)

    def sketches(
        self, data: Sequence[Trajectory], timed_key: bytes, places_key: bytes
    ) -> tuple[EventSketch | None, EventSketch | None]:
        timed = sketch_of(data, timed_key, timed=True) if has_times(data) else None
        return timed, sketch_of(data, places_key, timed=False)

    def to_table(self, data: Sequence[Trajectory]) -> Any:
        """Positions are rounded to 1e-7 degrees, times to milliseconds."""
        return table_of(data)

    def to_tables(self, data: Sequence[Trajectory]) -> Iterable[Any]:
        return tables_of(data)

    def from_table(self, table: Any) -> Trajectories:
        return series_of(table)

    def from_batches(self, schema: Any, batches: Iterable[Any]) -> Trajectories:
        return series_of_batches(schema, batches)

    def release_to_table(self, release: Sequence[Release | PublishedSeries]) -> Any:
        return release_table_of(release)

    def release_to_tables(self, release: Sequence[Release | PublishedSeries]) -> Iterable[Any]:
        return release_tables_of(release)

    def release_from_table(self, table: Any) -> PublishedTable:
        return published_of(table)

    def digest(self, release: Sequence[Release | PublishedSeries]) -> str:
        if isinstance(release, Releases) and (release.timed or release.time_s is None):
            return blocks_digest(part.positions for part in release.parts(in_turn(release.sizes, EVENTS)))
        return trajectories_digest(part.series for part in release)

    def release(
        self,
        spec: ReleaseSpec,
        data: Sequence[Trajectory],
        beside: Sequence[LandmarkSet] | None = None,
        *,
        watch: Watch | None = None,
        first_unit: int = 0,
    ) -> Sequence[Release]:
        if beside is None:
            beside = [LandmarkSet(np.zeros(len(track), dtype=np.bool_)) for track in data]
        return spec.checked(self.kind).release(data, beside, watch=watch, first_unit=first_unit)

    def forecast(
        self, spec: ReleaseSpec, data: Sequence[Trajectory], beside: Sequence[LandmarkSet] | None = None
    ) -> Table:
        """Of all events, of landmarks, and of others."""
        marks = [LandmarkSet(np.zeros(len(track), dtype=np.bool_)) for track in data] if beside is None else beside
        forecast = error_forecast(spec.checked(self.kind).mechanism, ForecastData.of(data, marks), spec.postprocess)
        groups = {"all events": forecast.overall, "landmarks": forecast.landmarks, "other events": forecast.others}
        rows = [{"of": name, **group.model_dump()} for name, group in groups.items()]
        how = "in closed form" if forecast.exact else f"by {forecast.runs:,} simulations of each event"
        return Table(f"Errors to expect of {spec.title}", rows, f"Metres, {how}.")

    def drawn_context(
        self, spec: ReleaseSpec, inputs: ReleaseInputs[Sequence[Trajectory]], release: Sequence[Release]
    ) -> Context:
        return with_noise(spec, inputs, whole_trace(inputs.people, release))

    def is_private(self, release: Sequence[Release]) -> bool:
        return all(part.private for part in release)

    def measure(self, truth: Sequence[Trajectory], release: Sequence[Release]) -> dict[str, float]:
        """The mean of each metric over the series that publish something, weighted by published positions."""
        pairs = [(true, other) for true, other in zip(truth, release, strict=True) if len(other.event)]
        weights = [len(other.event) for _, other in pairs]
        timed = has_times(truth)
        means = {}
        for cls in self.metrics if pairs else ():
            if any(field["required"] for field in cls.fields()) or (cls.needs_time and not timed):
                continue
            values = [cls(name=cls.registered_name()).of(*pair) for pair in reported(pairs)]
            means[cls.registered_name()] = float(np.average(values, weights=weights))
        return means

    def figures(self, truth: Sequence[Trajectory], release: Sequence[Release]) -> dict[str, float]:
        return figures_of(map(millimetres, errors_m(truth, release)))

    def budget_columns(self, release: Sequence[Release]) -> Iterator[dict[str, Any]]:
        """``series``, ``budget``, ``fresh`` and ``sd_m`` of each event."""
        for first, _, part in releases_of(release).cut(trajectory_table.BATCH):
            numbers = np.arange(first, first + len(part), dtype=np.int32)
            columns = {name: getattr(part, of) for name, of in BUDGETS}
            yield {"series": np.repeat(numbers, np.diff(part.starts)), **columns}

    def owner_columns(self, truth: Sequence[Trajectory], release: Sequence[Release]) -> Iterator[dict[str, Any]]:
        """``error_mm`` of each published position."""
        for _, some in batches(errors_m(truth, release), len):
            yield {"error_mm": millimetres(concatenated(some))}

    def write(self, release: Sequence[Release | PublishedSeries], fmt: str, out: BinaryIO, *, label: Label) -> None:
        whole = release.positions if isinstance(release, PublishedTable) else None
        write(each(release, lambda part: part.series) if whole is None else whole, fmt, out, label=label)


ADAPTER = TrajectoryType()


def errors_m(truth: Sequence[Trajectory], release: Sequence[Release]) -> Iterator[Floats]:
    """The distance of each published position from its event's true position, metres, series after series."""
    drawn = releases_of(release)
    if isinstance(truth, Trajectories):
        owns = truth.cut(EVENTS)
    else:
        owns = (of for some in in_turn(np.diff(drawn.starts), EVENTS) for of in together(truth[some]).cut(EVENTS))
    for (_, _, part), (_, own) in zip(drawn.cut(EVENTS), owns, strict=True):
        yield distance_m(*(part.shown(axis) for axis in (own.lon, own.lat, part.lon, part.lat)))


def millimetres(metres: Floats) -> Ints:
    """Errors in whole millimetres, as they are stored."""
    return np.round(metres * 1000).astype(np.int64)


def figures_of(errors_mm: Iterable[Ints]) -> dict[str, float]:
    """:data:`FIGURES` of all errors together, which come in pieces, in metres to the millimetre; empty without any."""
    together = Quantiles()
    for some in errors_mm:
        together.add(some / 1000)
    if not together.count:
        return {}
    shares = {key: described.get("p") for key, described in FIGURES.items()}
    return {key: round(together.mean() if p is None else together.quantile(p), 3) for key, p in shares.items()}


def whole_trace(people: Sequence[Person], release: Sequence[Release]) -> float:
    """The largest sum of budgets that any of ``people``, those of the series of ``release``, spends."""
    drawn = releases_of(release)
    budgets = parts_of(drawn.budgets, drawn.starts)
    return largest_total(leaving(drawn, (person.joined_values(budgets) for person in people)))


def with_noise(spec: ReleaseSpec, inputs: ReleaseInputs[Any], whole: float) -> Context:
    """The context of ``inputs`` with what a release spends of a :func:`whole_trace`, and how far its noise moves."""
    noise = None if spec.postprocess else overall_noise(spec.mechanism, inputs)
    return replace(inputs.context, whole_trace=whole, noise_p95_m=None if noise is None else noise.p95_m)


def _digested(digest: Any, data: Sequence[Trajectory]) -> str:
    has_time, n = has_times(data), ADAPTER.size(data)
    digest.update(f"cairn content 1 {n} {has_time}".encode())
    columns = [("lon", CELLS_PER_DEGREE, "<i4"), ("lat", CELLS_PER_DEGREE, "<i4"), ("time_s", 1000, "<i8")]
    for name, units, dtype in columns if has_time else columns[:2]:
        for piece in in_pieces(data, DIGESTED):
            digest.update(np.round(getattr(piece, name) * units).astype(dtype).data)
    return str(digest.hexdigest())
