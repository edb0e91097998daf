"""Check-ins as a kind of data."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from privacy_engine import noise
from privacy_engine.analysis import outline
from privacy_engine.analysis.checkin_forecast import checkin_forecast
from privacy_engine.core.arrays import Floats
from privacy_engine.core.params import Frozen
from privacy_engine.data import CheckIns
from privacy_engine.data.event_sketch import EventSketch, checkin_sketch
from privacy_engine.data.venues import Venues
from privacy_engine.datatypes.base import DataType, Watch
from privacy_engine.datatypes.tables import Table
from privacy_engine.formats.arrow import pa
from privacy_engine.recommender import Recommender, model_digest
from privacy_engine.releases.spec import ReleaseSpec

LONG = 4096
"""Lists of so many numbers of a model are columns of its table: as JSON they take most of the time to read it."""


class CheckInFacts(Frozen):
    """What check-ins hold: how many users, places and events, from when to when, and where.

    ``places`` is None where the file names none; ``bounds`` is [west, south, east, north], None without positions.
    ``per_user`` is the mean number of check-ins of a user, ``most_per_user`` the largest; ``venues`` is how many places
    the list of venues has that came with them, None without one.
    """

    checkins: int
    users: int
    places: int | None
    start_s: float | None
    end_s: float | None
    bounds: list[float] | None
    per_user: float
    most_per_user: int
    venues: int | None = None


class CheckInType(DataType):
    """Who was at which place, and when."""

    kind: ClassVar[str] = CheckIns.kind
    rank: ClassVar[int] = 2
    title: ClassVar[str] = "Check-ins"
    item: ClassVar[str] = "check-in"
    items: ClassVar[str] = "check-ins"
    about: ClassVar[str] = "visits of users to places"
    units: ClassVar[tuple[str, ...]] = ("user", "record")
    users: ClassVar[bool] = True
    has_events: ClassVar[bool] = True

    def facts(self, data: CheckIns) -> CheckInFacts:
        each = np.bincount(data.user)
        users = int(np.count_nonzero(each))
        bounds = None
        if data.lon is not None and data.lat is not None and len(data):
            edges = data.lon.min(), data.lat.min(), data.lon.max(), data.lat.max()
            bounds = [float(edge) for edge in edges]
        return CheckInFacts(
            checkins=len(data),
            users=users,
            places=None if data.place is None else len(np.unique(data.place)),
            start_s=float(data.time_s.min()) if len(data) else None,
            end_s=float(data.time_s.max()) if len(data) else None,
            bounds=bounds,
            per_user=len(data) / max(users, 1),
            most_per_user=int(each.max(initial=0)),
            venues=None if data.venues is None else len(data.venues),
        )

    def unreleasable(self, facts: Mapping[str, Any]) -> tuple[str, str, str] | None:
        return ("positions", "longitudes and latitudes", "") if facts["bounds"] is None else None

    def uncountable(self, facts: Mapping[str, Any]) -> str:
        return "events with positions" if facts["bounds"] is None else ""

    def outline(self, data: CheckIns) -> list[Floats]:
        return outline.of_checkins(data)

    def content_digest(self, data: CheckIns) -> str:
        digest = hashlib.sha256(f"cairn check-ins content 1 {len(data)}".encode())
        digest.update(data.user.astype("<i8").tobytes() + np.round(data.time_s * 1e3).astype("<i8").tobytes())
        for axis in (data.lon, data.lat):
            if axis is not None:
                digest.update(np.round(axis * 1e7).astype("<i8").tobytes())
        if data.lon is None and data.place is not None:
            digest.update(data.place.astype("<i8").tobytes())
        return digest.hexdigest()

    def sketches(
        self, data: CheckIns, timed_key: bytes, places_key: bytes
    ) -> tuple[EventSketch | None, EventSketch | None]:
        return checkin_sketch(data, timed_key, timed=True), checkin_sketch(data, places_key, timed=False)

    def to_table(self, data: CheckIns) -> Any:
        optional = {"place": data.place, "lon": data.lon, "lat": data.lat}
        columns = {"user": data.user, "time_s": data.time_s}
        columns |= {name: column for name, column in optional.items() if column is not None}
        about: dict[str, Any] = {
            "users": list(data.users),
            "places": list(data.places),
            "place_names": list(data.place_names),
        }
        if data.venues is not None:
            about["venues"] = data.venues.as_dict()
        table = pa.table({name: pa.array(column) for name, column in columns.items()})
        return table.replace_schema_metadata({"checkins": json.dumps(about)})

    def from_table(self, table: Any) -> CheckIns:
        about = json.loads(table.schema.metadata[b"checkins"])
        column = {name: table.column(name).to_numpy() for name in table.column_names}
        return CheckIns(
            column["user"],
            about["users"],
            column["time_s"],
            column.get("place"),
            about["places"],
            column.get("lon"),
            column.get("lat"),
            about.get("place_names", ()),  # stored before places had names
            Venues.from_dict(about["venues"]) if "venues" in about else None,
        )

    def release_to_table(self, release: Recommender) -> Any:
        described = release.as_dict()
        long = [name for name, value in described.items() if isinstance(value, list) and len(value) >= LONG]
        columns = {name: pa.array([described.pop(name)]) for name in long}
        text = json.dumps(described, separators=(",", ":"), allow_nan=False)
        table = pa.table({"model": pa.array([text], pa.large_string()), **columns})
        return table.replace_schema_metadata({"recommender": json.dumps({"private": release.private})})

    def release_from_table(self, table: Any) -> Recommender:
        if about := table.schema.metadata.get(b"popularity"):  # counts as they were stored before other models
            about = json.loads(about)
            described = {"grid": about["grid"], "counts": table.column("count").to_numpy()}
        else:
            about = json.loads(table.schema.metadata[b"recommender"])
            described = json.loads(table.column("model")[0].as_py())
            long = [name for name in table.column_names if name != "model"]
            described |= {name: table.column(name)[0].values.to_numpy() for name in long}
        return Recommender.from_dict(described, private=about["private"])

    def digest(self, release: Recommender) -> str:
        return model_digest(release)

    def release(
        self, spec: ReleaseSpec, data: CheckIns, beside: Any = None, *, watch: Watch | None = None
    ) -> Recommender:
        source = noise.source(spec.checked(self.kind).seed)
        model = spec.mechanism.release(data, rng=source if watch is None else noise.watched(source, watch))
        assert isinstance(model, Recommender)
        return model

    def forecast(self, spec: ReleaseSpec, data: CheckIns, beside: Any = None) -> Table:
        """Of the model, and of the public baseline."""
        forecast = checkin_forecast(spec.checked(self.kind).mechanism, data)
        figures = forecast.model_dump(exclude={"runs", "baseline"})
        nearest = dict.fromkeys(figures) | {"hit_rate": forecast.baseline}
        rows = [{"of": spec.title} | figures, {"of": "ten nearest cells, public"} | nearest]
        note = f"Shares of next cells among ten recommended, by {forecast.runs:,} models of four fifths of the users."
        return Table(f"Hit rate to expect of {spec.title}", rows, note)


ADAPTER = CheckInType()
