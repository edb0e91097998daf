"""Count streams as a kind of data."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from privacy_engine import noise
from privacy_engine.accounting.promise import Context
from privacy_engine.analysis import outline
from privacy_engine.analysis.stream_forecast import count_forecast, zeros_forecast
from privacy_engine.core.arrays import Floats
from privacy_engine.core.params import Frozen
from privacy_engine.core.progress import reported
from privacy_engine.data import LARGEST_COUNT, CountStream
from privacy_engine.data.counted import Counted
from privacy_engine.data.event_sketch import EventSketch, stream_sketch
from privacy_engine.data.hierarchy import natural
from privacy_engine.data.stream_release import StreamRelease, counts_digest
from privacy_engine.datatypes.base import DataType, Watch
from privacy_engine.datatypes.tables import Table
from privacy_engine.formats.arrow import listed, pa
from privacy_engine.releases.spec import ReleaseSpec, for_counts


class Dimension(Frozen):
    """One dimension of a stream: its name, the sum of its counts and the largest one."""

    name: str
    total: float
    largest: float


class StreamFacts(Frozen):
    """What a stream holds. ``start`` and ``end`` are its first and last label, times None where labels are no instants.

    ``interval_s`` is the most frequent time between two timestamps; ``gaps`` counts longer ones. ``counted`` is how the
    counts were made of events (:meth:`privacy_engine.data.counted.Counted.as_dict`), with the grid whose cells are the
    dimensions; ``hierarchy`` is what the names show (:func:`privacy_engine.data.hierarchy.natural`).
    """

    timestamps: int
    dimensions: list[Dimension]
    total: float
    whole: bool
    start: str | None
    end: str | None
    start_s: float | None
    end_s: float | None
    interval_s: float | None
    gaps: int
    counted: dict[str, Any] | None = None
    hierarchy: dict[str, str] = {}


class StreamType(DataType):
    """Counts of d dimensions at T timestamps."""

    kind: ClassVar[str] = CountStream.kind
    rank: ClassVar[int] = 1
    title: ClassVar[str] = "Count streams"
    item: ClassVar[str] = "timestamp"
    items: ClassVar[str] = "timestamps"
    about: ClassVar[str] = "counts at timestamps"
    units: ClassVar[tuple[str, ...]] = ("event",)
    outline_filled: ClassVar[bool] = True

    def facts(self, data: CountStream) -> StreamFacts:
        columns = zip(data.names, data.counts.T, strict=True)
        steps = np.array([]) if data.time_s is None else np.diff(data.time_s)
        values, often = np.unique(steps, return_counts=True)
        interval = float(values[often.argmax()]) if len(values) else None
        times = (None, None) if data.time_s is None or not len(data) else (data.time_s[0], data.time_s[-1])
        start_s, end_s = (None if time is None else float(time) for time in times)
        return StreamFacts(
            timestamps=len(data),
            dimensions=[Dimension(name=n, total=float(c.sum()), largest=float(c.max(initial=0.0))) for n, c in columns],
            total=float(data.counts.sum()),
            whole=bool((data.counts == np.floor(data.counts)).all()),
            start=data.labels[0] if len(data) else None,
            end=data.labels[-1] if len(data) else None,
            start_s=start_s,
            end_s=end_s,
            interval_s=interval,
            gaps=0 if interval is None else int((steps > 1.5 * interval).sum()),
            counted=None if data.counted is None else data.counted.as_dict(),
            hierarchy=natural(data.names, on_a_grid=data.counted is not None),
        )

    def unreleasable(self, facts: Mapping[str, Any]) -> tuple[str, str, str] | None:
        largest = max((dimension["largest"] for dimension in facts["dimensions"]), default=0.0)
        if facts["whole"] and largest <= LARGEST_COUNT:
            return None
        reason = f"; the largest is {largest:g}" if facts["whole"] else "; some are not whole numbers"
        return "counts", "whole numbers from 0 to 2**52", reason

    def uncountable(self, facts: Mapping[str, Any]) -> str:
        return "trajectories or check-ins: it holds counts already"

    def outline(self, data: CountStream) -> list[Floats]:
        return outline.of_counts(data)

    def content_digest(self, data: CountStream) -> str:
        digest = hashlib.sha256(f"cairn stream content 1 {len(data)} {len(data.names)} {data.time_s is None}".encode())
        digest.update(np.ascontiguousarray(data.counts, dtype="<f8").tobytes())
        if data.time_s is not None:
            digest.update(np.round(data.time_s * 1e3).astype("<i8").tobytes())
        return digest.hexdigest()

    def sketches(
        self, data: CountStream, timed_key: bytes, places_key: bytes
    ) -> tuple[EventSketch | None, EventSketch | None]:
        return stream_sketch(data, timed_key), None

    def to_table(self, data: CountStream) -> Any:
        counted = {} if data.counted is None else {"counted": data.counted.as_dict()}
        return _table(data, data.counts, _about(data) | counted)

    def from_table(self, table: Any) -> CountStream:
        about, counts, labels, time_s = _columns(table)
        return CountStream(counts, about["names"], labels, time_s, about.get("time_name", "time"), _counted(about))

    def release_to_table(self, release: StreamRelease) -> Any:
        about = _about(release) | {"private": release.private}
        about |= {} if release.whole else {"whole": False}
        return _table(release, release.counts, about).append_column("budget", pa.array(release.budgets))

    def release_from_table(self, table: Any) -> StreamRelease:
        budgets = table.column("budget").to_numpy()
        about, counts, labels, time_s = _columns(table.drop_columns(["budget"]))
        if about.get("whole", True):
            counts = counts.astype(np.int64)
        header = about.get("time_name", "time")
        return StreamRelease(counts, about["names"], labels, time_s, budgets, about["private"], header)

    def owner_columns(self, truth: CountStream, release: StreamRelease) -> list[dict[str, Any]]:
        """``start0``, ``group0``, …: where clusters of a dimension begin and its group's size, of a grouping."""
        if release.grouping is None:
            return []
        grouping = release.grouping
        columns: dict[str, Any] = {}
        for k in reported(range(len(release.names))):
            start, group = grouping_columns(k)
            columns |= {start: grouping.cluster_start[:, k], group: grouping.group_size[:, k]}
        return [columns]

    def digest(self, release: StreamRelease) -> str:
        return counts_digest(release.names, release.labels, release.counts, release.time_name)

    def prepared(self, spec: ReleaseSpec, data: CountStream) -> tuple[ReleaseSpec, Context]:
        """With the sensitivity of counts that were made of events, and the hierarchy that the names show."""
        tree = natural(data.names, on_a_grid=data.counted is not None)
        return for_counts(spec.checked(self.kind), data.counted, tree), Context.of_counts(data.counted)

    def release(
        self, spec: ReleaseSpec, data: CountStream, beside: Any = None, *, watch: Watch | None = None
    ) -> StreamRelease:
        source = noise.source(spec.checked(self.kind).seed)
        release = spec.mechanism.release(data, rng=source if watch is None else noise.watched(source, watch))
        assert isinstance(release, StreamRelease)
        return release

    def forecast(self, spec: ReleaseSpec, data: CountStream, beside: Any = None) -> Table:
        """Of the release, and of publishing zeros."""
        forecast = count_forecast(self.prepared(spec, data)[0].mechanism, data)
        each = {spec.title: forecast, "publishing zeros": zeros_forecast(data)}
        rows = [{"of": name} | expected.model_dump(exclude={"exact", "runs"}) for name, expected in each.items()]
        how = "in closed form" if forecast.exact else f"by {forecast.runs:,} simulated releases"
        return Table(f"Errors to expect of {spec.title}", rows, f"Counts, and ARE as a share, {how}.")


ADAPTER = StreamType()


def _counted(about: Mapping[str, Any]) -> Counted | None:
    return Counted.from_dict(about["counted"]) if "counted" in about else None


def _about(stream: CountStream | StreamRelease) -> dict[str, Any]:
    return {"names": list(stream.names), "timed": stream.time_s is not None, "time_name": stream.time_name}


def grouping_columns(dimension: int) -> tuple[str, str]:
    """The names of a dimension's columns in :meth:`StreamType.owner_columns`."""
    return f"start{dimension}", f"group{dimension}"


def _table(stream: CountStream | StreamRelease, counts: Any, about: dict[str, Any]) -> Any:
    """Labels, times and a column "c0", "c1", … for each dimension, whose names are in the metadata."""
    columns = {"label": pa.array(list(stream.labels), pa.string())}
    if stream.time_s is not None:
        columns["time_s"] = pa.array(stream.time_s)
    columns |= {f"c{k}": pa.array(np.ascontiguousarray(counts[:, k])) for k in reported(range(counts.shape[1]))}
    return pa.table(columns).replace_schema_metadata({"stream": json.dumps(about)})


def _columns(table: Any) -> tuple[dict[str, Any], Any, list[str], Any]:
    about = json.loads(table.schema.metadata[b"stream"])
    labels = listed(table.column("label"))
    columns = [table.column(f"c{k}").to_numpy() for k in reported(range(len(about["names"])))]
    counts = np.column_stack(columns) if columns else np.empty((len(labels), 0))
    return about, counts, labels, table.column("time_s").to_numpy() if about["timed"] else None
