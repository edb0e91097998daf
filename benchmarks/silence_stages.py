"""The stages that :mod:`benchmarks.silence` measures, made of generated data."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet

Stage = tuple[str, "_Prepared"]
START_S = 1_718_447_400


def shuffled(table: pa.Table) -> pa.Table:
    return table.take(np.random.default_rng(4).permutation(len(table)))


def walks(rows: int, people: int) -> pa.Table:
    """Random walks of so many people, in the order of time, a position a second."""
    rng = np.random.default_rng(0)
    each = max(rows // people, 1)
    steps = rng.normal(0, 5e-5, (2, each, people)).astype(np.float32).cumsum(axis=1)
    lon, lat = (np.round(steps[i].ravel().astype(float) % 1 + base, 6) for i, base in enumerate((13.0, 52.0)))
    seconds = np.repeat(START_S + np.arange(each), people)
    names = pa.DictionaryArray.from_arrays(
        np.tile(np.arange(people, dtype=np.int32), each), pa.array([f"p{i:05d}" for i in range(people)])
    )
    time = pa.array(seconds.astype("datetime64[s]")).cast(pa.timestamp("s", "UTC"))
    return pa.table({"person": names, "time": time, "lat": lat, "lon": lon})


def as_csv(table: pa.Table, path: Path) -> None:
    """Write a table of :func:`walks` with times in ISO 8601."""
    text = table.set_column(1, "time", pa.compute.strftime(table["time"], "%Y-%m-%dT%H:%M:%SZ"))
    pyarrow.csv.write_csv(text, path, pyarrow.csv.WriteOptions(quoting_style="none"))


def checkins(rows: int, path: Path) -> None:
    """Write check-ins of a thousand users at 10,000 places."""
    rng = np.random.default_rng(1)
    user, place = rng.integers(0, 1000, rows), rng.integers(0, 10_000, rows)
    columns = {
        "user_id": user,
        "venue_id": pa.array(place).cast(pa.string()),
        "time": pa.array((START_S + np.arange(rows) * 60).astype("datetime64[s]")).cast(pa.timestamp("s", "UTC")),
        "latitude": np.round(52 + place % 100 / 200, 6),
        "longitude": np.round(13 + place // 100 / 200, 6),
    }
    table = pa.table(columns)
    table = table.set_column(2, "time", pa.compute.strftime(table["time"], "%Y-%m-%dT%H:%M:%SZ"))
    pyarrow.csv.write_csv(table, path, pyarrow.csv.WriteOptions(quoting_style="none"))


def counts(values: int, path: Path) -> None:
    """Write a count stream of a hundred dimensions."""
    rng = np.random.default_rng(2)
    times = pa.array((START_S + 3600 * np.arange(max(values // 100, 10))).astype("datetime64[s]"))
    columns = {"time": pa.compute.strftime(times.cast(pa.timestamp("s")), "%Y-%m-%dT%H:%M:%S")}
    columns |= {f"place {i}": rng.integers(0, 200, len(times)) for i in range(100)}
    pyarrow.csv.write_csv(pa.table(columns), path, pyarrow.csv.WriteOptions(quoting_style="none"))


def geojson(table: pa.Table, path: Path) -> None:
    """Write a feature for each person, a line with times."""
    with path.open("w") as out:
        out.write('{"type":"FeatureCollection","features":[')
        for i, (name, times, lines) in enumerate(_tracks(table)):
            properties = json.dumps({"name": name, "coordTimes": times})
            line = json.dumps({"type": "LineString", "coordinates": lines})
            out.write(f'{"," if i else ""}{{"type":"Feature","properties":{properties},"geometry":{line}}}')
        out.write("]}")


def gpx(table: pa.Table, path: Path) -> None:
    """Write a track for each person."""
    with path.open("w") as out:
        out.write('<gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1">')
        for name, times, lines in _tracks(table):
            out.write(f"<trk><name>{name}</name><trkseg>")
            rows = zip(times, lines, strict=True)
            out.writelines(f'<trkpt lat="{lat}" lon="{lon}"><time>{at}</time></trkpt>' for at, (lon, lat) in rows)
            out.write("</trkseg></trk>")
        out.write("</gpx>")


def records(table: pa.Table, path: Path) -> None:
    """Write an array of JSON objects."""
    with path.open("w") as out:
        out.write("[")
        for i, (name, times, lines) in enumerate(_tracks(table)):
            rows = zip(times, lines, strict=True)
            texts = (json.dumps({"user": name, "time": at, "lat": lat, "lon": lon}) for at, (lon, lat) in rows)
            out.write(("," if i else "") + ",".join(texts))
        out.write("]")


def _tracks(table: pa.Table) -> Iterator[tuple[str, list[str], list[list[float]]]]:
    stamps = pa.compute.strftime(table["time"], "%Y-%m-%dT%H:%M:%SZ")
    codes = table["person"].combine_chunks()
    for code, name in enumerate(codes.dictionary.to_pylist()):
        of = pa.array(np.flatnonzero(codes.indices.to_numpy() == code))
        lon, lat = (table[axis].take(of).to_numpy().tolist() for axis in ("lon", "lat"))
        yield name, stamps.take(of).to_pylist(), [list(one) for one in zip(lon, lat, strict=True)]


def all_stages(home: Path, rows: int, people: int) -> Iterator[Stage]:
    """Every stage; what one needs of another is made when it is first needed, outside of the measured time."""
    from celery import current_app

    current_app.conf.broker_url = "memory://"
    files = home / "generated"
    files.mkdir()
    account = Account(files, rows, people)
    yield from account.imports()
    yield from account.releases()
    yield from account.others()


CLEANING = [
    {"name": "drop-repeats"},
    {"name": "drop-jumps", "highest_km_h": 300.0},
    {"name": "resample", "every_s": 2.0},
    {"name": "split-gaps", "silence_s": 3600.0},
]
WHOLE, OF_ROWS = 1_000_000, 2_000_000
"""About how many rows are read of a format that is held in memory, and of one that is read one by one."""


class Account:
    """A user, what was imported, and what was made of it."""

    def __init__(self, files: Path, rows: int, people: int) -> None:
        from dashboard.accounts.models import User

        self.files, self.rows, self.people = files, rows, people
        self.user = User.objects.create_user("owner")
        self.made: dict[str, Any] = {}

    def once(self, name: str, make: Callable[[], Any]) -> Any:
        """What ``make`` returned the first time."""
        if name not in self.made:
            self.made[name] = make()
        return self.made[name]

    def file(self, name: str, write: Callable[[Path], Any]) -> Path:
        """A generated file, written once."""
        path = self.files / name
        if not path.exists():
            write(path)
        return path

    def walks(self, rows: int | None = None, people: int | None = None) -> pa.Table:
        """Random walks of at most as many rows as are measured."""
        return walks(min(rows or self.rows, self.rows), people or self.people)

    # Imports -------------------------------------------------------------------------------------

    def imports(self) -> Iterator[Stage]:
        """One for each file."""
        writers: dict[str, Callable[[Path], Any]] = {
            "people.csv": lambda path: as_csv(self.walks(), path),
            "person.csv": lambda path: as_csv(self.walks(people=1), path),
            "shuffled.csv": lambda path: as_csv(shuffled(self.walks(4 * WHOLE)), path),
            "points.parquet": lambda path: pyarrow.parquet.write_table(self.walks(), path),
            "points.feather": lambda path: pyarrow.feather.write_feather(self.walks(), path),
            "people.geojson": lambda path: geojson(self.walks(4 * WHOLE), path),
            "people.json": lambda path: records(self.walks(2 * WHOLE), path),
            "people.gpx": lambda path: gpx(self.walks(OF_ROWS), path),
            "packed.zip": lambda path: _packed(self.file("people.csv", writers["people.csv"]), path),
            "visits.csv": lambda path: checkins(self.rows, path),
            "counts.csv": lambda path: counts(self.rows, path),
        }
        kinds = {"visits.csv": "checkins", "counts.csv": "stream"}
        for name, write in writers.items():
            queued = lambda name=name, write=write: self.queued(self.file(name, write), kinds.get(name, ""))  # noqa: E731
            yield f"import {name}", _Prepared(queued, self.imported)
        cleaned = _Prepared(lambda: self.queued(self.file("people.csv", as_csv), "", CLEANING), self.imported)
        yield "import people.csv, cleaned", cleaned

    def queued(self, path: Path, kind: str = "", cleaning: Any = ()) -> Any:
        """A dataset that waits for a worker."""
        from dashboard.datasets.models import Dataset
        from dashboard.jobs.models import State

        row = Dataset(
            owner=self.user,
            name=path.name,
            file_name=path.name,
            kind=kind or "trajectory",
            requested_kind=kind,
            cleaning=list(cleaning),
            size_bytes=path.stat().st_size,
            state=State.QUEUED,
        )
        folder = path.parent / str(row.pk)
        folder.mkdir()
        (folder / "original").hardlink_to(path)
        row.folder.take_folder(folder)
        row.save(force_insert=True)
        return row

    def imported(self, row: Any) -> Any:
        """Do a worker's work on a dataset."""
        from dashboard.datasets import execution

        execution.run(row.pk)
        return finished(row)

    def dataset(self, kind: str) -> Any:
        """The dataset of a kind that releases are made of."""
        writers = {
            "trajectory": ("people.csv", lambda path: as_csv(self.walks(), path)),
            "checkins": ("visits.csv", lambda path: checkins(self.rows, path)),
            "stream": ("counts.csv", lambda path: counts(self.rows, path)),
        }
        name, write = writers[kind]
        return self.once(
            f"dataset {kind}",
            lambda: self.imported(self.queued(self.file(name, write), "" if kind == "trajectory" else kind)),
        )

    # Releases ------------------------------------------------------------------------------------

    def landmarks(self) -> Any:
        """Landmarks of a tenth of the events."""
        from dashboard.landmarks.services import mark_landmarks

        days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
        window = {"days": days, "start": "14:00", "end": "16:24"}
        method = {"name": "schedule", "windows": [window], "time_zone": "UTC"}
        return self.once(
            "landmarks", lambda: mark_landmarks(owner=self.user, dataset=self.dataset("trajectory"), method=method)
        )

    def submitted(self, description: dict[str, Any], kind: str) -> Any:
        """A release that waits for a worker."""
        from dashboard.releases.services import submit_release
        from privacy_engine.releases.spec import ReleaseSpec

        return submit_release(
            owner=self.user,
            dataset=self.dataset(kind),
            landmark_set=self.landmarks() if kind == "trajectory" else None,
            spec=ReleaseSpec.parse({"mechanism": description, "seed": 1}),
        )

    def released(self, row: Any) -> Any:
        """Do a worker's work on a release."""
        from dashboard.releases import execution

        execution.run(row.pk)
        return finished(row)

    def release(self, kind: str) -> Any:
        """The release of a kind that exports and attacks are of."""
        from privacy_engine.mechanisms.base.mechanism import offered

        description = _example(offered(kind)[0])
        return self.once(f"release {kind}", lambda: self.released(self.submitted(description, kind)))

    def releases(self) -> Iterator[Stage]:
        """One for each mechanism, step and export format."""
        from dashboard.releases import downloads
        from dashboard.releases.services import derive_release
        from privacy_engine.datatypes import datatypes
        from privacy_engine.mechanisms.base.mechanism import mechanisms
        from privacy_engine.postprocess import postprocesses

        for kind in datatypes:
            for cls in mechanisms.of(kind):
                if cls.publishable and not getattr(cls, "needs_venues", False):
                    yield (
                        f"release {cls.registered_name()}",
                        _Prepared(lambda cls=cls, kind=kind: self.submitted(_example(cls), kind), self.released),
                    )
        for step in postprocesses:
            chosen = step.model_validate(_example(step))
            yield (
                f"derive {step.registered_name()}",
                _Prepared(
                    lambda chosen=chosen: derive_release(source=self.release(chosen.kind), steps=[chosen]),
                    self.released,
                ),
            )
        for kind, found in datatypes.items():
            for name in found.exports:
                yield (
                    f"export {kind} {name}",
                    _Prepared(
                        lambda kind=kind: self.release(kind),
                        lambda row, name=name: drained(downloads.export(row, name)[0]),
                    ),
                )

    # The rest ------------------------------------------------------------------------------------

    def others(self) -> Iterator[Stage]:
        """Attacks, experiments, audits, and the export of the account."""
        from dashboard.account_data import execution as packing
        from dashboard.account_data.services import request_export
        from dashboard.attacks import execution as attacking
        from dashboard.attacks.services import submit_attack
        from dashboard.audits import execution as auditing
        from dashboard.audits.services import submit_audit
        from dashboard.experiments import execution as experimenting
        from dashboard.experiments.services import submit_experiment
        from privacy_engine.attacks import attacks
        from privacy_engine.audit import AuditSpec
        from privacy_engine.experiments import presets
        from privacy_engine.mechanisms.base.mechanism import mechanisms

        for cls in attacks:
            described = cls.model_validate(_example(cls))
            yield (
                f"attack {cls.registered_name()}",
                _Prepared(
                    lambda described=described: submit_attack(
                        owner=self.user, release=self.release("trajectory"), attack=described
                    )[0],
                    lambda row: (attacking.run(row.pk), finished(row)),
                ),
            )

        def experimented(row: Any) -> Any:
            while experimenting.run(row.pk):  # again where it gave way
                pass
            return finished(row)

        for preset in presets:
            if preset.kind == "trajectory":
                described = preset.model_validate({"name": preset.registered_name()})
                yield (
                    f"experiment {preset.registered_name()}",
                    _Prepared(
                        lambda described=described: submit_experiment(owner=self.user, preset=described), experimented
                    ),
                )
        for mechanism in mechanisms:
            if mechanism.publishable:
                spec = AuditSpec(mechanism=_example(mechanism), trials=100_000, seed=1)
                yield (
                    f"audit {mechanism.registered_name()}",
                    _Prepared(
                        lambda spec=spec: submit_audit(owner=self.user, spec=spec),
                        lambda row: (auditing.run(row.pk), finished(row)),
                    ),
                )
        yield (
            "account export",
            _Prepared(lambda: request_export(owner=self.user), lambda row: (packing.run(row.pk), finished(row))),
        )


class _Prepared:
    """Work on something that is made beforehand."""

    def __init__(self, prepare: Callable[[], Any], work: Callable[[Any], Any]) -> None:
        self.prepare, self._work = prepare, work

    def __call__(self) -> Any:
        """Prepare and work: :func:`benchmarks.silence.main` measures the second alone."""
        return self._work(self.prepare())

    def work(self, prepared: Any) -> Any:
        """The measured part."""
        return self._work(prepared)


def _packed(path: Path, to: Path) -> None:
    with zipfile.ZipFile(to, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as out:
        out.write(path, path.name)


def _example(cls: Any) -> dict[str, Any]:
    needed = {field["name"]: field["example"] for field in cls.fields() if field["required"]}
    return needed | {"name": cls.registered_name()}


def finished(row: Any) -> Any:
    """The row again, which must have come to its end without an error."""
    row.refresh_from_db()
    if row.state not in ("ready", "done"):
        raise RuntimeError(f"{row}: {row.state}, {row.error}")
    return row


def drained(file: BinaryIO) -> int:
    """Read a file to its end; how many bytes there were."""
    with file:
        return sum(iter(lambda: len(file.read(1 << 20)), 0))
