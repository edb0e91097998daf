"""Trajectories as a kind of data: the data of an upload is the list of its series."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, BinaryIO, ClassVar

import numpy as np

from privacy_engine import geo
from privacy_engine.audit.kinds import Kind
from privacy_engine.audit.trajectory import TrajectoryKind
from privacy_engine.data import LandmarkSet, Release, Trajectory
from privacy_engine.datatypes.base import DataType, Watch
from privacy_engine.exports.base import ExportFormat, Label
from privacy_engine.exports.trajectory import FORMATS, write
from privacy_engine.formats.arrow import pa
from privacy_engine.metrics import TrajectoryMetric
from privacy_engine.params import Frozen
from privacy_engine.people import people
from privacy_engine.published import trajectories_digest
from privacy_engine.spec import ReleaseSpec

FIGURES: Mapping[str, Mapping[str, Any]] = {
    "mae_m": {"name": "mean-absolute-error"},
    "median_error_m": {"name": "error-quantile", "p": 0.5},
    "p95_error_m": {"name": "error-quantile", "p": 0.95},
    "max_error_m": {"name": "error-quantile", "p": 1.0},
}
"""The metrics that are stored for the owner of a release, by the keys of the stored values."""


class TrajectoryFacts(Frozen):
    """What trajectories hold: events, series, people, from when to when, and the length along great circles."""

    events: int
    series: int
    people: int
    start_s: float | None
    end_s: float | None
    length_m: float


class TrajectoryType(DataType):
    """Positions in the order of time, in series of one or several people."""

    kind: ClassVar[str] = Trajectory.kind
    title: ClassVar[str] = "Trajectories"
    item: ClassVar[str] = "event"
    items: ClassVar[str] = "events"
    data_class: ClassVar[type] = Trajectory
    release_class: ClassVar[type] = Release
    exports: ClassVar[Mapping[str, ExportFormat]] = FORMATS
    audit_kind: ClassVar[Kind] = TrajectoryKind()

    def facts(self, data: Sequence[Trajectory]) -> TrajectoryFacts:
        timed = [one.time_s for one in data if one.time_s is not None and len(one)]
        spanned = bool(timed) and all(one.time_s is not None for one in data)
        length = sum(geo.distance_m(o.lon[:-1], o.lat[:-1], o.lon[1:], o.lat[1:]).sum() for o in data if len(o) > 1)
        return TrajectoryFacts(
            events=sum(len(one) for one in data),
            series=len(data),
            people=len(people(data)),
            start_s=float(min(times[0] for times in timed)) if spanned else None,
            end_s=float(max(times[-1] for times in timed)) if spanned else None,
            length_m=float(length),
        )

    def content_digest(self, data: Sequence[Trajectory]) -> str:
        has_time, n = all(one.time_s is not None for one in data), sum(len(one) for one in data)
        found = hashlib.sha256(f"cairn content 1 {n} {has_time}".encode())
        for name in ("lon", "lat"):
            for one in data:
                found.update(np.round(getattr(one, name) * 1e7).astype("<i4").tobytes())
        for one in data if has_time else ():
            found.update(np.round(np.asarray(one.time_s) * 1e3).astype("<i8").tobytes())
        return found.hexdigest()

    def to_table(self, data: Sequence[Trajectory]) -> Any:
        return _table(data)

    def from_table(self, table: Any) -> list[Trajectory]:
        return [one for one, _ in _series(table)]

    def release_to_table(self, release: Sequence[Release]) -> Any:
        """Series with the event of each position; :meth:`release_from_table` has those, not what was spent."""
        table = _table([one.series for one in release])
        events = [one.event for one in release]
        return table.append_column("event", pa.array(np.concatenate(events) if events else np.empty(0, np.int64)))

    def release_from_table(self, table: Any) -> list[tuple[Trajectory, Any]]:
        return _series(table)

    def digest(self, release: Sequence[Release]) -> str:
        return trajectories_digest(one.series for one in release)

    def release(
        self,
        spec: ReleaseSpec,
        data: Sequence[Trajectory],
        beside: Sequence[LandmarkSet] | None = None,
        *,
        watch: Watch | None = None,
    ) -> list[Release]:
        if beside is None:
            beside = [LandmarkSet(np.zeros(len(one), dtype=np.bool_)) for one in data]
        return spec.checked(self.kind).release(data, beside, watch=watch)

    def measure(self, truth: Sequence[Trajectory], release: Sequence[Release]) -> dict[str, float]:
        """The mean of each metric over the series that publish something, weighted by published positions."""
        pairs = [(one, other) for one, other in zip(truth, release, strict=True) if len(other.event)]
        weights = [len(other.event) for _, other in pairs]
        timed = all(one.time_s is not None for one in truth)
        found = {}
        for cls in self.metrics if pairs else ():
            if any(field["required"] for field in cls.fields()) or (cls.needs_time and not timed):
                continue
            values = [cls(name=cls.registered_name()).of(*pair) for pair in pairs]
            found[cls.registered_name()] = float(np.average(values, weights=weights))
        return found

    def figures(self, truth: Sequence[Trajectory], release: Sequence[Release]) -> dict[str, float]:
        """:data:`FIGURES` over the published positions of all series together, in metres to the millimetre."""
        starts = np.cumsum([0, *(len(one) for one in truth)]).tolist()
        event = _joined([start + one.event for start, one in zip(starts[:-1], release, strict=True)])
        if not len(event):
            return {}
        whole = Trajectory(_joined([one.lon for one in truth]), _joined([one.lat for one in truth]))
        lon, lat = (_joined([getattr(one.series, axis) for one in release]) for axis in ("lon", "lat"))
        found = {}
        for key, described in FIGURES.items():
            metric = self.metrics.parse(described)
            assert isinstance(metric, TrajectoryMetric)
            found[key] = round(float(metric.over(whole, lon, lat, event)), 3)
        return found

    def write(self, release: Sequence[Release | Trajectory], fmt: str, out: BinaryIO, *, label: Label) -> None:
        """As of every kind; ``release`` may also be the published series alone."""
        write([one.series if isinstance(one, Release) else one for one in release], fmt, out, label=label)


def _joined(parts: Sequence[Any]) -> Any:
    return np.concatenate(parts) if parts else np.empty(0)


def _table(data: Sequence[Trajectory]) -> Any:
    """Columns series, lon, lat and those of time and marks that every series has."""
    lengths = [len(one) for one in data]
    columns = {"series": pa.array(np.repeat(np.arange(len(data), dtype=np.int32), lengths))}
    for name in ("lon", "lat", "time_s", "marked"):
        parts = [getattr(one, name) for one in data]
        if parts and all(part is not None for part in parts):
            columns[name] = pa.array(np.concatenate(parts))
    about = {"names": [one.name for one in data], "people": [one.person for one in data], "lengths": lengths}
    return pa.table(columns).replace_schema_metadata({"trajectories": json.dumps(about)})


def _series(table: Any) -> list[tuple[Trajectory, Any]]:
    about = json.loads(table.schema.metadata[b"trajectories"])
    column = {name: table.column(name).to_numpy() for name in table.column_names}
    ends, found = np.cumsum(about["lengths"]).tolist(), []
    named = zip(about["names"], about["people"], [0, *ends[:-1]], ends, strict=True) if ends else ()
    for name, person, start, end in named:
        own = {key: values[start:end] for key, values in column.items()}
        series = Trajectory(own["lon"], own["lat"], own.get("time_s"), name, own.get("marked"), person)
        found.append((series, own.get("event")))
    return found
